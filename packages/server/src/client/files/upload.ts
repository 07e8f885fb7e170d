/**
 * Uploads of any size by tus 1.0.0, in pieces. An upload that is cut goes on where the server has
 * it, also after a reload of the page. A write then names the upload by its id.
 */
import type { ApiConnection, ApiResponse } from '../make-connection.ts'
import { RequestError } from '../request-error.ts'
import { sleep } from '../retry.ts'

/** In bytes. */
export type UploadProgress = { readonly sent: number; readonly size: number }

/** Remembers the addresses of uploads that are under way, by a key for each file. */
export type UploadMemory = {
  read(key: string): string | null | undefined
  /** `undefined` forgets it. */
  write(key: string, address: string | undefined): void
}

export type UploadOptions = {
  /** The resource whose record will have the file, as in paths: `things`. */
  readonly resource: string
  /** The field that will have it: `photo`. */
  readonly field: string
  /** That of a `File` unless it is said. */
  readonly name?: string
  /** Its media type; that of the file unless it is said. */
  readonly type?: string
  onProgress?(progress: UploadProgress): void
  /** Ends the upload, and removes it from the server. */
  readonly signal?: AbortSignal
  /**
   * The storage of the browser, where there is one. False, or none: another call with the same file
   * begins anew.
   */
  readonly memory?: UploadMemory | false
  /** Such as `X-Tenant`. */
  readonly headers?: Readonly<Record<string, string>>
}

const uploadsPath = '/api/v1/_uploads'
const version = { 'tus-resumable': '1.0.0' }
const pieceFirst = 262_144
const pieceMin = 65_536
const pieceMax = 8_388_608
/** A piece that took longer is followed by a smaller one. */
const pieceMsMax = 4_000
const failuresMax = 8
const waitMsMax = 30_000
const passing: readonly number[] = [0, 408, 409, 423, 429, 500, 502, 503, 504]

function browserMemory(): UploadMemory | undefined {
  try {
    if (!('document' in globalThis)) return undefined
    const storage = localStorage
    return {
      read: (key) => storage.getItem(key),
      write: (key, address) => (address === undefined ? storage.removeItem(key) : storage.setItem(key, address)),
    }
  } catch {
    return undefined // a page that may store nothing
  }
}

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const nameOf = (file: Blob, { name }: UploadOptions) => name ?? (file as Partial<File>).name ?? ''

function metadataOf(file: Blob, options: UploadOptions): string {
  const { resource, field, type = file.type } = options
  const values = { resource, field, filename: nameOf(file, options), filetype: type }
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',')
}

/** The same file for the same field. */
function keyOf(url: string, file: Blob, options: UploadOptions): string {
  const { resource, field, headers = {} } = options
  const { lastModified = 0 } = file as Partial<File>
  const facts = [url, resource, field, nameOf(file, options), file.type, file.size, lastModified, headers]
  return `bindery upload ${JSON.stringify(facts)}`
}

const offsetOf = ({ headers }: ApiResponse<unknown>) => Number(headers.get('upload-offset'))

function waitMs(failures: number, error: RequestError): number {
  const backoffMs = 250 * 2 ** failures * (0.5 + Math.random())
  return Math.min(waitMsMax, Math.max(backoffMs, (error.retryAfter ?? 0) * 1000))
}

type Sending = {
  readonly file: Blob
  readonly address: string
  readonly ask: Ask
  readonly options: UploadOptions
}
type Ask = (
  method: string,
  path: string,
  more?: { readonly body?: Blob; readonly headers?: Readonly<Record<string, string>> },
) => Promise<ApiResponse<unknown>>

/** Whether another try may help: the connection has broken, or the server asks for patience. */
function isPassing(error: unknown): error is RequestError {
  return error instanceof RequestError && passing.includes(error.status)
}

/** The offset that the server tells after a failure; undefined where it tells none. Throws. */
async function offsetAfter(ask: Ask, address: string): Promise<number | undefined> {
  try {
    return offsetOf(await ask('HEAD', address))
  } catch (error) {
    if (isPassing(error)) return undefined
    throw error
  }
}

/** Sends the rest, piece after piece. Throws `RequestError`. */
async function sendRest({ file, address, ask, options }: Sending, begun: number): Promise<void> {
  const { onProgress, signal = new AbortController().signal } = options
  const { size } = file
  let [offset, piece, failures] = [begun, pieceFirst, 0]
  onProgress?.({ sent: offset, size })
  while (offset < size) {
    const startMs = Date.now()
    try {
      const body = file.slice(offset, offset + piece)
      const headers = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }
      offset = offsetOf(await ask('PATCH', address, { body, headers }))
      failures = 0
      piece = Date.now() - startMs > pieceMsMax ? Math.max(pieceMin, piece / 2) : Math.min(pieceMax, piece * 2)
    } catch (error) {
      failures += 1
      if (!isPassing(error) || failures > failuresMax) throw error
      piece = Math.max(pieceMin, piece / 2)
      await sleep(waitMs(failures, error), signal)
      const known = (await offsetAfter(ask, address)) ?? offset
      if (known > offset) failures = 0
      offset = known
    }
    onProgress?.({ sent: offset, size })
  }
}

/** Where an earlier call has come to; undefined where there is none, or no longer. */
async function resumed(ask: Ask, address: string | null | undefined, size: number): Promise<number | undefined> {
  if (!address) return undefined
  try {
    const found = await ask('HEAD', address)
    return Number(found.headers.get('upload-length')) === size ? offsetOf(found) : undefined
  } catch (error) {
    if (error instanceof RequestError && error.status > 0) return undefined
    throw error
  }
}

export type UploadFile = (file: Blob, options: UploadOptions) => Promise<string>

export function makeUpload({ send, url }: Pick<ApiConnection, 'send' | 'url'>): UploadFile {
  return async (file, options) => {
    const { signal, headers: own, memory = browserMemory() } = options
    const ask: Ask = (method, path, { body, headers } = {}) =>
      send(method, path, { body, signal, headers: { ...version, ...own, ...headers }, idempotencyKey: false })
    const known = memory || undefined
    const key = keyOf(url, file, options)
    let address = known?.read(key) ?? undefined
    let offset = await resumed(ask, address, file.size)
    if (address === undefined || offset === undefined) {
      const headers = { 'upload-length': String(file.size), 'upload-metadata': metadataOf(file, options) }
      const made = await ask('POST', uploadsPath, { headers })
      const { pathname } = new URL(made.headers.get('location') ?? '', `${url}${uploadsPath}/`)
      address = `${uploadsPath}/${pathname.split('/').at(-1)}`
      offset = 0
      known?.write(key, address)
    }
    try {
      await sendRest({ file, address, ask, options }, offset)
    } catch (error) {
      if (signal?.aborted) {
        known?.write(key, undefined)
        await send('DELETE', address, { headers: { ...version, ...own }, idempotencyKey: false }).catch(() => undefined)
      }
      throw error
    }
    known?.write(key, undefined)
    return address.split('/').at(-1) as string
  }
}
