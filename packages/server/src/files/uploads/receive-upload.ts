/** Receives an upload of any size as a stream: its row, its bytes, its checksum. */

import type { FileField } from '../../resource/fields/files/file-options.ts'
import { arrivedFile, type StoredFile } from '../../resource/fields/files/stored-file.ts'
import type { FileRoom } from '../file-room.ts'
import { fileTooLarge } from './checked-bytes.ts'
import { cleanName } from './clean-name.ts'
import { saidType } from './media-type.ts'
import { storeBytes } from './store-bytes.ts'
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
 * Returns the name of the upload for the write that attaches it. Throws `too-large`,
 * `unsupported-media-type`, `bad-request`, `too-many-requests`, and what the bytes throw; the sweep
 * then removes what has been stored.
 */
export async function receiveUpload(
  room: FileRoom,
  purpose: UploadPurpose,
  sent: SentFile,
): Promise<Pick<StoredFile, 'id'>> {
  const { resource, field } = purpose
  const { limits } = resource.fields[field] as unknown as FileField
  const { size: announced = 0 } = sent
  await room.counts.refusing(async () => {
    if (announced > limits.bytesMax) throw fileTooLarge(field, limits)
  })
  const name = cleanName(sent.name, field)
  const id = await beginUpload(room, { ...purpose, name, size: announced })
  try {
    const facts = await storeBytes(room, { id, resource, field, said: saidType(sent.type) }, sent.bytes)
    // Announced bytes have counted with the quota.
    if (facts.size <= announced) return arrivedFile({ ...facts, id, name })
    await finishUpload(room, id, facts)
    return { id }
  } catch (error) {
    await expireUpload(room, id)
    throw error
  }
}
