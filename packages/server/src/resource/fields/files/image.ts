/** The field `image`: one picture of a record, which browsers show. */
import { takeOptions } from '../../members.ts'
import { type Field, type FieldType, makeField, type ValueOf } from '../field.ts'
import { fileType } from './file.ts'
import {
  exampleFile,
  type FileLimits,
  fileSchema,
  type ImageOptions,
  imageMembers,
  limitsMistake,
  limitsOf,
} from './file-options.ts'
import { variantsMistake } from './image-variant.ts'
import { type StoredFile, shownFile } from './stored-file.ts'

/** Pictures that every browser shows, and that run no code. */
const shownTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const

const imageType: FieldType<FileLimits> = {
  ...fileType,
  name: 'image',
  alsoReads: ['file'],
  limitsMistake: (limits) => limitsMistake(limits) ?? variantsMistake(limits),
  represent: (value, { limits }) => shownFile(value, { isImage: true, isScanned: limits.scan !== undefined }),
  schema: ({ limits }) => fileSchema(true, limits),
  example: () => ({ ...exampleFile, name: 'front.webp', type: 'image/webp', width: 1200, height: 800 }),
}

/**
 * One picture: `photo: image({ variants: { thumb: { width: 200 } } })`. It takes PNG, JPEG, WebP,
 * GIF and AVIF unless `types` says others.
 */
export function image<const R extends boolean = false, L extends string = never, Q extends string = never>(
  options?: ImageOptions<R, L, Q>,
): Field<ValueOf<StoredFile, R, undefined>, string, { kind: 'file'; filled: false; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, imageMembers)
  const { types = shownTypes, maxBytes: _, variants: __, scan: ___, ...common } = known
  return makeField(imageType, { ...common, limits: limitsOf({ variants: {}, ...known, types }), mistakes } as never)
}
