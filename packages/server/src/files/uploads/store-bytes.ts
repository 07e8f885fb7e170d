/** Stores the bytes of an upload under its id, judged as they pass, with their checksum. */

import type { Resource } from '../../resource/catalog.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { originalOf, writeFileBytes } from '../../stores/file-objects.ts'
import type { FileRoom } from '../file-room.ts'
import { measureUpload } from '../variants/measure-upload.ts'
import { checkBytes } from './checked-bytes.ts'
import type { FoundFacts } from './upload-rows.ts'

export type JudgedUpload = {
  readonly id: string
  readonly resource: Resource
  /** The field that it is for. */
  readonly field: string
  /** The type that the sender says. */
  readonly said: string | undefined
}

const fieldOf = ({ resource, field }: JudgedUpload) => resource.fields[field] as unknown as FileField

function checked(upload: JudgedUpload, source: AsyncIterable<Buffer>) {
  const { field: name, said } = upload
  return checkBytes(source, { name, limits: fieldOf(upload).limits, said })
}

/** Throws `too-large`, `unsupported-media-type`, `bad-request`, and what the source throws. */
export async function storeBytes(
  room: FileRoom,
  upload: JudgedUpload,
  source: AsyncIterable<Buffer>,
): Promise<FoundFacts> {
  const { id } = upload
  const store = await room.store()
  const { bytes, facts } = checked(upload, room.counts.passing('in', source))
  return room.counts.refusing(async () => {
    await writeFileBytes(store, { id, sha256: () => facts().sha256 }, bytes)
    return withSides(room, upload, facts())
  })
}

/** The same for bytes that are stored: it judges them once more. */
export async function judgeStored(room: FileRoom, upload: JudgedUpload): Promise<FoundFacts> {
  const store = await room.store()
  const { bytes, facts } = checked(upload, await store.read(originalOf(upload.id)))
  return room.counts.refusing(async () => {
    for await (const _chunk of bytes);
    return withSides(room, upload, facts())
  })
}

async function withSides(room: FileRoom, upload: JudgedUpload, facts: FoundFacts): Promise<FoundFacts> {
  const { id, field: name } = upload
  return { ...facts, ...(await measureUpload(room, { ...facts, id, name, field: fieldOf(upload) })) }
}
