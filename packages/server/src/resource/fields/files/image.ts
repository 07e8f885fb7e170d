/** The field `image`: one picture of a record, which browsers show. */
import { takeOptions } from '../../members.ts'
import { type Field, type FieldType, makeField, type ValueOf } from '../field.ts'
import { fileType } from './file.ts'
import { exampleFile, type FileLimits, type FileOptions, fileMembers, fileSchema, limitsOf } from './file-options.ts'
import { type StoredFile, shownFile } from './stored-file.ts'

/** Pictures that every browser shows, and that run no code. */
const shownTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const

const imageType: FieldType<FileLimits> = {
  ...fileType,
  name: 'image',
  alsoReads: ['file'],
  represent: (value) => shownFile(value, true),
  schema: () => fileSchema(true),
  example: () => ({ ...exampleFile, name: 'front.webp', type: 'image/webp', width: 1200, height: 800 }),
}

/**
 * One picture: `photo: image({ maxBytes: '5 MB' })`. It takes PNG, JPEG, WebP, GIF and AVIF unless
 * `types` says others.
 */
export function image<const R extends boolean = false, L extends string = never, Q extends string = never>(
  options?: FileOptions<R, L, Q>,
): Field<ValueOf<StoredFile, R, undefined>, string, { kind: 'file'; filled: false; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, fileMembers)
  const { types = shownTypes, maxBytes: _, ...common } = known
  return makeField(imageType, { ...common, limits: limitsOf({ ...known, types }), mistakes } as never)
}
