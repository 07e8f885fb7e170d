/**
 * The values of fields that hold files. A record stores the facts of a file as JSON; the bytes are
 * in a store, under the id of the file. A write names a file by its id: of an upload that is ready,
 * or of the file that the record has already.
 */
import { isUuid } from '../../../base/ids.ts'
import { isTable } from '../../members.ts'
import { fieldError, type Json } from '../field.ts'
import { type ScanState, scanStates } from './scan-state.ts'

/** The facts of a file as records store them. */
export type StoredFile = {
  readonly id: string
  /** Its name, as the uploader gave it, without anything that a name may not have. */
  readonly name: string
  /** Its media type, as its bytes say. */
  readonly type: string
  /** In bytes. */
  readonly size: number
  /** The SHA-256 of its bytes, as 64 hexadecimal digits. */
  readonly sha256: string
  /** Of an image, in pixels as it is shown; absent where it is not known. */
  readonly width?: number
  readonly height?: number
  /** Of a field with a scan; absent where the file came before the scan was declared. */
  readonly scan?: ScanState
}

/** A file that a write names: the id of an upload, or an object with the id of a file. */
export type GivenFile = string | { readonly id: string }

/** The files that a write gives a list: all of them, or those that come and go. */
export type GivenFiles =
  | readonly GivenFile[]
  | { readonly add?: readonly GivenFile[]; readonly remove?: readonly GivenFile[] }

const texts = ['id', 'name', 'type', 'sha256'] as const
const numbers = ['size', 'width', 'height'] as const
const known: ReadonlySet<string> = new Set([...texts, ...numbers, 'scan', 'url'])

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

/** The members in one order, so that equal values have equal bytes. */
export function fileFacts({ id, name, type, size, sha256, width, height, scan }: StoredFile): StoredFile {
  return {
    ...(height !== undefined && { height }),
    id,
    name,
    ...(scan !== undefined && { scan }),
    sha256,
    size,
    type,
    ...(width !== undefined && { width }),
  } as StoredFile
}

/** Whether all facts are there, as a record stores them. */
export function isStoredFile(value: unknown): value is StoredFile {
  if (!isTable(value)) return false
  const { id, name, type, size, sha256, width, height, scan } = value
  const isWhole = [id, name, type, sha256].every((one) => typeof one === 'string' && one !== '') && isCount(size)
  const isScanKnown = scan === undefined || scanStates.includes(scan as ScanState)
  return isWhole && isScanKnown && [width, height].every((one) => one === undefined || isCount(one))
}

/** The id that names a file; undefined for any other value. */
export function fileIdOf(value: unknown): string | undefined {
  const id = isTable(value) ? value.id : value
  return typeof id === 'string' && isUuid(id.toLowerCase()) ? id.toLowerCase() : undefined
}

const arrived = Symbol('facts of an upload that has arrived')

/**
 * Names an upload whose bytes the server has just stored, before its row says so: the write that
 * attaches it stores both. No JSON names one in this way.
 */
export function arrivedFile(facts: StoredFile): { readonly id: string } {
  return { id: facts.id, [arrived]: facts } as { readonly id: string }
}

export function arrivedFacts(value: unknown): StoredFile | undefined {
  return isTable(value) ? (value as { readonly [arrived]?: StoredFile })[arrived] : undefined
}

/**
 * A value of a body → the file that it names: with all facts where the shown object was sent, or
 * with its id alone. Throws `bad-request`.
 */
export function namedFile(value: unknown, name: string): StoredFile | { readonly id: string } {
  const id = fileIdOf(value)
  if (id === undefined) throw fieldError(name, 'must be the id of an upload, or the file as it is shown')
  if (!isTable(value)) return { id }
  if (arrivedFacts(value)) return value as { readonly id: string }
  const unknown = Object.keys(value).find((one) => !known.has(one))
  if (unknown !== undefined) throw fieldError(name, `has an unknown member ${unknown.slice(0, 100)}`)
  const [width, height, scan] = [value.width, value.height, value.scan].map((one) => one ?? undefined)
  const sent = { ...value, id, width, height, scan }
  return isStoredFile(sent) ? fileFacts(sent) : { id }
}

/** Throws `bad-request` for a value without all facts: an upload was named, and never looked up. */
export function checkStoredFile(value: unknown, name: string): void {
  if (!isStoredFile(value)) throw fieldError(name, 'must be a file')
}

type ShownMembers = { readonly isImage: boolean; readonly isScanned: boolean }

/** As responses show it. Its address is added where the record is known. */
export function shownFile(value: unknown, { isImage, isScanned }: ShownMembers): Json {
  if (!isStoredFile(value)) return (typeof value === 'string' ? value : { id: fileIdOf(value) ?? null }) as Json
  const { id, name, type, size, sha256, width = null, height = null, scan = null } = value
  return { id, name, type, size, sha256, ...(isImage && { width, height }), ...(isScanned && { scan }), url: null }
}
