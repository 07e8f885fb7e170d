/** The options of fields that hold files, and the parts that their types share. */
import { parseBytes, printBytes } from '../../../base/print-bytes.ts'
import { countKind, kindOf, listOfKind, type Members } from '../../members.ts'
import type { Rule } from '../../rule.ts'
import type { Deprecation } from '../../words/deprecation.ts'
import { commonMembers, type FieldOf, type FieldType, fieldError, type JsonSchema } from '../field.ts'
import { type FileScan, scanKind, scanMistake } from './file-scan.ts'
import { type ImageVariants, variantsKind } from './image-variant.ts'
import { scanStates } from './scan-state.ts'

/** `bytesMax`: of one file. `filesMax`: of a list. */
export type FileLimits = {
  readonly types: readonly string[] | undefined
  readonly bytesMax: number
  readonly filesMax: number
  /** Of an image; undefined in all other fields. */
  readonly variants?: ImageVariants | undefined
  readonly scan?: FileScan | undefined
}
export type FileField = FieldOf<FileLimits>

export type FileOptions<R extends boolean = boolean, L extends string = string, Q extends string = string> = {
  /**
   * The media types that it takes: `['application/pdf', 'image/*']`. The bytes decide which type a
   * file has. Every type where it is absent.
   */
  types?: readonly string[]
  /** The size of one file: `'20 MB'`, or a number of bytes. 10 MB unless said. */
  maxBytes?: string | number
  /**
   * Code that judges each file when a record has it, such as a search for viruses. No caller reads
   * the file until it has passed, and a refused one loses its bytes.
   */
  scan?: FileScan
  /** A record has one from the start, and never none. */
  required?: R
  /** It is given when the record is made, and never another one. */
  immutable?: boolean
  /** Only the server or an action sets it. */
  readOnly?: boolean
  /** A PUT of the record that leaves it out keeps it. */
  keepOnReplace?: boolean
  /** `request`: answers have it only where the request names it, as in every field. */
  returned?: 'request'
  /** The callers who may see it and read its bytes, as in every field. */
  read?: Rule<Q, Q, L>
  /** The callers who may set it, as in every field. */
  write?: Rule<Q, Q, L>
  /** One sentence for the documents. */
  description?: string
  /** The former name, or names, of the field. */
  renamedFrom?: string | readonly string[]
  /** It is deprecated: the documents say since when, and what to use. */
  deprecated?: Deprecation
}
export type ImageOptions<
  R extends boolean = boolean,
  L extends string = string,
  Q extends string = string,
> = FileOptions<R, L, Q> & {
  /**
   * Smaller pictures by name, such as `{ thumb: { width: 200, height: 200, fit: 'cover' } }`. They
   * are made at their first request. `maxBytes` is at most 50 MB.
   */
  variants?: ImageVariants
}
export type FileListOptions<
  R extends boolean = boolean,
  L extends string = string,
  Q extends string = string,
> = FileOptions<R, L, Q> & {
  /** How many files it may have; 20 unless said, 100 at most. */
  max?: number
}

const bytesMaxDefault = 10_000_000
export const filesMaxDefault = 20
const filesMaxMost = 100

/** `image/png`, or `image/*` */
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,63})$/

const { required, immutable, readOnly, keepOnReplace, returned, read, write, description, renamedFrom, deprecated } =
  commonMembers
export const fileMembers = {
  required,
  immutable,
  readOnly,
  keepOnReplace,
  returned,
  read,
  write,
  description,
  renamedFrom,
  deprecated,
  types: listOfKind(
    kindOf('a media type such as application/pdf or image/*', (one) => typeof one === 'string' && mediaType.test(one)),
  ),
  maxBytes: kindOf("a size such as '20 MB', or a number of bytes", (value) => sizeOf(value) !== undefined),
  scan: scanKind,
} satisfies Members<FileOptions>
export const imageMembers = { ...fileMembers, variants: variantsKind } satisfies Members<ImageOptions>
export const fileListMembers = { ...fileMembers, max: countKind } satisfies Members<FileListOptions>

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return parseBytes(value)
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
}

export function limitsOf({ types, maxBytes, max, variants, scan }: FileListOptions & ImageOptions): FileLimits {
  const limits = { types, bytesMax: sizeOf(maxBytes) ?? bytesMaxDefault, filesMax: max ?? filesMaxDefault }
  return { ...limits, ...(variants && { variants }), ...(scan && { scan }) }
}

export function limitsMistake(limits: FileLimits): string | undefined {
  const { types, filesMax } = limits
  if (types?.length === 0) return 'types is empty: no file has one of no types; leave it out for every type'
  if (filesMax > filesMaxMost) return `max (${filesMax}) is above ${filesMaxMost}: more are records of their own`
  return scanMistake(limits)
}

/** Whether a field takes files of this type. */
export function takesType({ types }: Pick<FileLimits, 'types'>, type: string): boolean {
  if (!types) return true
  return types.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
}

/** `A PDF of at most 20.0 MB`, for documents. */
export function wordsOf({ types, bytesMax }: FileLimits): string {
  return `${types ? types.join(', ') : 'Any type'}; at most ${printBytes(bytesMax)}.`
}

/** No text of a filter is a file: filters ask whether there is one. */
function refuseText(_text: string, name: string): never {
  throw fieldError(name, 'cannot be compared')
}

/** The facts that all types of files share. */
export const fileTraits = {
  column: 'document',
  scalar: 'ID',
  isOpaque: true,
  isComparable: () => false,
  parse: refuseText,
  limitsMistake,
} as const satisfies Partial<FieldType<FileLimits>>

const idSchema = { type: 'string', format: 'uuid', maxLength: 36 } as const
const sideOf = (name: string) =>
  ({ type: ['integer', 'null'], minimum: 0, description: `Its ${name} in pixels, where it is known.` }) as const
const scanTold = 'How far its scan is; null for a file that is older than the scan.'

export function fileSchema(isImage: boolean, { scan }: Pick<FileLimits, 'scan'>): JsonSchema {
  return {
    type: 'object',
    required: [
      ...['id', 'name', 'type', 'size', 'sha256'],
      ...(isImage ? ['width', 'height'] : []),
      ...(scan ? ['scan'] : []),
      'url',
    ],
    properties: {
      id: { ...idSchema, description: 'Its id, as that of its upload.' },
      name: { type: 'string', maxLength: 255, description: 'Its name.' },
      type: { type: 'string', maxLength: 127, description: 'Its media type, by its bytes.' },
      size: { type: 'integer', minimum: 0, description: 'In bytes.' },
      sha256: { type: 'string', minLength: 64, maxLength: 64, description: 'Of its bytes, in hexadecimal.' },
      ...(isImage && { width: sideOf('width'), height: sideOf('height') }),
      ...(scan && { scan: { type: ['string', 'null'], enum: [...scanStates, null], description: scanTold } }),
      url: { type: ['string', 'null'], maxLength: 2000, description: 'The path of its bytes.' },
    },
    additionalProperties: false,
  }
}

/** Of a body: the id of an upload, or the file as it is shown. */
const given = [
  idSchema,
  { type: 'object', required: ['id'], properties: { id: { type: 'string', description: 'Its id.' } } },
] as const
export const givenSchema: JsonSchema = { anyOf: given }

/** The same, and null where no file is needed. */
export function bodyOr(more: readonly JsonSchema[], { required: isRequired }: FileField): JsonSchema {
  return { anyOf: [...more, ...(isRequired ? [] : [{ type: 'null' }])] }
}
export const givenForms: readonly JsonSchema[] = given

export const exampleFile = {
  id: '0d9f5f4e-7c0b-4a3c-9a53-4f4f4c9b7c11',
  name: 'manual.pdf',
  type: 'application/pdf',
  size: 48213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  url: null,
} as const
