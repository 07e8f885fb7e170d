/** The field `file`: one file of a record, such as its manual. */
import { type Members, takeOptions } from '../../members.ts'
import { type Field, type FieldType, makeField, type ValueOf } from '../field.ts'
import {
  bodyOr,
  exampleFile,
  type FileLimits,
  type FileOptions,
  fileMembers,
  fileSchema,
  fileTraits,
  givenForms,
  limitsOf,
} from './file-options.ts'
import { checkStoredFile, namedFile, type StoredFile, shownFile } from './stored-file.ts'

export const fileType: FieldType<FileLimits> = {
  ...fileTraits,
  name: 'file',
  holdsFiles: 'one',
  operators: ['null'],
  check: namedFile,
  checkStored: checkStoredFile,
  parseCell: namedFile,
  represent: (value, { limits }) => shownFile(value, { isImage: false, isScanned: limits.scan !== undefined }),
  schema: ({ limits }) => fileSchema(false, limits),
  bodySchema: (field) => bodyOr(givenForms, field),
  example: () => exampleFile,
}

/**
 * One file: `manual: file({ types: ['application/pdf'], maxBytes: '20 MB' })`. A body names it by
 * the id of an upload; `PUT /things/{id}/manual` takes its bytes.
 */
export function file<const R extends boolean = false, L extends string = never, Q extends string = never>(
  options?: FileOptions<R, L, Q>,
): Field<ValueOf<StoredFile, R, undefined>, string, { kind: 'file'; filled: false; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, fileMembers satisfies Members<FileOptions>)
  const { types: _, maxBytes: __, scan: ___, ...common } = known
  return makeField(fileType, { ...common, limits: limitsOf(known), mistakes } as never)
}
