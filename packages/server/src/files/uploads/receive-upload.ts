/** Receives an upload of any size as a stream: its row, its bytes, its checksum. */

import type { FileField } from '../../resource/fields/files/file-options.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { checksumOf, checksumText, folderOf, originalOf } from '../../stores/file-objects.ts'
import type { FileRoom } from '../file-room.ts'
import { measureUpload } from '../variants/measure-upload.ts'
import { checkBytes, fileTooLarge } from './checked-bytes.ts'
import { cleanName } from './clean-name.ts'
import { saidType } from './media-type.ts'
import { beginUpload, expireUpload, finishUpload, type UploadPurpose } from './upload-rows.ts'

export type SentFile = {
  /** The name that the sender gives it. */
  readonly name: string | undefined
  /** The media type that the sender says. */
  readonly type: string | undefined
  /** The number of bytes that are announced. */
  readonly size: number | undefined
  readonly bytes: AsyncIterable<Buffer>
}

/**
 * Throws `too-large`, `unsupported-media-type`, `bad-request`, `too-many-requests`, and what the
 * bytes throw; the sweep then removes what has been stored.
 */
export async function receiveUpload(
  room: FileRoom,
  purpose: UploadPurpose,
  sent: SentFile,
): Promise<Pick<StoredFile, 'id'>> {
  const { resource, field: name } = purpose
  const field = resource.fields[name] as unknown as FileField
  const { limits } = field
  if ((sent.size ?? 0) > limits.bytesMax) throw fileTooLarge(name, limits)
  const id = await beginUpload(room, { ...purpose, name: cleanName(sent.name, name), size: sent.size ?? 0 })
  try {
    const store = await room.store()
    const { bytes, facts } = checkBytes(sent.bytes, { name, limits, said: saidType(sent.type) })
    await store.write(originalOf(id), bytes)
    await store.write(checksumOf(id), [checksumText(facts().sha256)])
    const sides = await measureUpload(room, { ...facts(), id, name, field })
    await finishUpload(room, id, { ...facts(), ...sides }).catch(async (error) => {
      await store.removeAll(folderOf(id)) // the sweep has been here before the last bytes
      throw error
    })
    return { id }
  } catch (error) {
    await expireUpload(room, id)
    throw error
  }
}
