/** The field `files`: a list of files of a record, in the order in which they came. */
import { isTable, takeOptions } from '../../members.ts'
import { type Field, type FieldType, fieldError, type Json, makeField } from '../field.ts'
import {
  bodyOr,
  exampleFile,
  type FileField,
  type FileLimits,
  type FileListOptions,
  fileListMembers,
  fileSchema,
  fileTraits,
  givenSchema,
  limitsOf,
} from './file-options.ts'
import { checkStoredFile, fileIdOf, namedFile, type StoredFile, shownFile } from './stored-file.ts'

/** The files that a write gives a list, each named by its id. */
export type FileListChange = {
  readonly add: readonly { readonly id: string }[]
  readonly remove: readonly { readonly id: string }[]
}
export type NamedFiles = readonly { readonly id: string }[]

const form = 'must be a list of files, or an object with add and remove'

function namedFiles(value: unknown, name: string, filesMax: number): NamedFiles {
  if (!Array.isArray(value)) throw fieldError(name, form)
  if (value.length > filesMax) throw fieldError(name, `must have at most ${filesMax} files`)
  const files = value.map((one, at) => namedFile(one, `${name}[${at}]`))
  const ids = files.map(({ id }) => id)
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) throw fieldError(name, `names ${twice} twice`)
  return files
}

/** All files, or those that come and go. Throws `bad-request`. */
export function givenFiles(value: unknown, name: string, { limits }: FileField): NamedFiles | FileListChange {
  const { filesMax } = limits
  if (!isTable(value)) return namedFiles(value, name, filesMax)
  if (Object.keys(value).some((one) => one !== 'add' && one !== 'remove')) throw fieldError(name, form)
  const { add = [], remove = [] } = value
  return {
    add: namedFiles(add, `${name}.add`, filesMax),
    remove: namedFiles(remove, `${name}.remove`, filesMax),
  }
}

/** The files of the list after the change, each once. Throws `bad-request` for too many. */
export function changedFiles(
  change: NamedFiles | FileListChange,
  before: NamedFiles,
  { name, field }: { readonly name: string; readonly field: FileField },
): NamedFiles {
  if (Array.isArray(change)) return change
  const { add, remove } = change as FileListChange
  const gone = new Set([...remove, ...add].map(({ id }) => id))
  const files = [...before.filter(({ id }) => !gone.has(id)), ...add]
  const { filesMax } = field.limits
  if (files.length > filesMax) throw fieldError(name, `must have at most ${filesMax} files`)
  return files
}

function checkStoredFiles(value: unknown, name: string, { limits }: FileField): void {
  if (!Array.isArray(value)) throw fieldError(name, 'must be a list of files')
  if (value.length > limits.filesMax) throw fieldError(name, `must have at most ${limits.filesMax} files`)
  for (const [at, one] of value.entries()) checkStoredFile(one, `${name}[${at}]`)
}

/** A cell as `id;id`. */
function parseList(cell: string, name: string): NamedFiles {
  const parts = cell.split(';').map((part) => part.trim())
  return parts.filter((part) => part !== '').map((part) => namedFile(part, name))
}

function shownFiles(value: unknown, { limits }: FileField): Json {
  const members = { isImage: false, isScanned: limits.scan !== undefined }
  if (Array.isArray(value)) return value.map((one) => shownFile(one, members))
  if (!isTable(value)) return value as Json
  const idsOf = (list: unknown) => (Array.isArray(list) ? list.map((one) => fileIdOf(one) ?? null) : [])
  return { add: idsOf(value.add), remove: idsOf(value.remove) }
}

const fileListType: FieldType<FileLimits> = {
  ...fileTraits,
  name: 'files',
  holdsFiles: 'many',
  isList: true,
  operators: [],
  check: givenFiles,
  checkStored: checkStoredFiles,
  parseCell: parseList,
  represent: shownFiles,
  schema: ({ limits }) => ({ type: 'array', items: fileSchema(false, limits), maxItems: limits.filesMax }),
  bodySchema(field) {
    const items = { type: 'array', items: givenSchema, maxItems: field.limits.filesMax } as const
    const change = { type: 'object', properties: { add: items, remove: items }, additionalProperties: false }
    return bodyOr([items, change], field)
  },
  example: () => [exampleFile],
}

/**
 * A list of files: `papers: files({ types: ['application/pdf'], max: 10 })`. It is empty by
 * default. `POST /things/{id}/papers` adds one; a body has the whole list, or `{ "add": [id] }`.
 */
export function files<const R extends boolean = false, L extends string = never, Q extends string = never>(
  options?: FileListOptions<R, L, Q>,
): Field<readonly StoredFile[], string, { kind: 'files'; filled: true; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, fileListMembers)
  const { types: _, maxBytes: __, max: ___, scan: ____, ...common } = known
  return makeField(fileListType, { default: [], ...common, limits: limitsOf(known), mistakes } as never)
}
