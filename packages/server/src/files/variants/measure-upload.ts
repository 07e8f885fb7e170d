/** Measures the picture of an upload that is stored, and refuses one that no variant is made of. */
import { ApiError } from '../../errors.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { declaresVariants, originalBytesMax } from '../../resource/fields/files/image-variant.ts'
import { originalOf } from '../../stores/file-objects.ts'
import { wholeObject } from '../../stores/object-store.ts'
import type { FileRoom } from '../file-room.ts'
import { BadPicture, type PictureSize } from './pictures.ts'

type UploadedPicture = {
  readonly id: string
  readonly size: number
  readonly type: string
  readonly name: string
  readonly field: FileField
}

/**
 * Undefined where the size is not known: the package is missing, or the picture is damaged. Throws
 * `unsupported-media-type` where the field has variants, and there can be none of it.
 */
export async function measureUpload(room: FileRoom, uploaded: UploadedPicture): Promise<PictureSize | undefined> {
  const { id, size, type, name, field } = uploaded
  if (!field.limits.variants || !room.pictures.isThere || size > originalBytesMax) return undefined
  const store = await room.store()
  try {
    return await room.pictures.measure(() => wholeObject(store, originalOf(id)), type)
  } catch (error) {
    if (!(error instanceof BadPicture)) throw error
    if (!declaresVariants(field.limits)) return undefined
    throw new ApiError('unsupported-media-type', `${name} cannot take this picture: ${error.message}`, { cause: error })
  }
}
