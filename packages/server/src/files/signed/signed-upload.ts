/**
 * Uploads that a client sends to the place of files itself, by a signed address, and that the
 * server then confirms. Their bytes wait beside the file: the address works until its end, and no
 * client may change a file that has been judged.
 */
import { timestampOf } from '../../base/clock.ts'
import { printBytes } from '../../base/print-bytes.ts'
import { ApiError, isRefusal } from '../../errors.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import type { Principal } from '../../resource/principal.ts'
import { checksumOf, sentOf } from '../../stores/file-objects.ts'
import type { DirectPlace, ObjectStore, SignedPut } from '../../stores/object-store.ts'
import type { FileRoom } from '../file-room.ts'
import { type BegunUpload, begunUpload } from '../uploads/begun-upload.ts'
import { cleanName } from '../uploads/clean-name.ts'
import { checkAnnounced, judgePurpose } from '../uploads/judge-purpose.ts'
import { saidType } from '../uploads/media-type.ts'
import { judgeStored, storeBytes } from '../uploads/store-bytes.ts'
import { beginUpload, expireUpload, type FoundFacts, finishUpload } from '../uploads/upload-rows.ts'

/** How long an address may be used, and how long a request that has begun by then may take. */
const addressSeconds = 3600
const sendingSeconds = 86_400

/** The most that an S3 takes in one request. */
const bytesMax = 5 * 1024 ** 3

async function placeOf({ store }: FileRoom): Promise<DirectPlace> {
  const { direct } = await store()
  if (direct) return direct
  throw new ApiError(
    'conflict',
    'Files are kept by this server itself: send the bytes to it, by tus or with the record',
  )
}

export type WantedUpload = {
  readonly resource: string
  readonly field: string
  readonly name: string
  readonly type: string | null
  readonly size: number
  readonly sha256: string
}

export type UploadSender = { readonly caller: Principal; readonly address: string }

export type SignedUpload = SignedPut & { readonly id: string; readonly expiresAt: string }

/** Throws what `judgePurpose`, `checkAnnounced` and `beginUpload` throw, and `conflict`. */
export async function signUpload(
  room: FileRoom,
  { caller, address }: UploadSender,
  wanted: WantedUpload,
): Promise<SignedUpload> {
  const purpose = judgePurpose(room.engine, caller, wanted)
  const { size, sha256 } = wanted
  const said = saidType(wanted.type ?? undefined)
  checkAnnounced(purpose, { type: said, size })
  const direct = await placeOf(room)
  if (size > bytesMax)
    throw new ApiError('too-large', `A signed address takes at most ${printBytes(bytesMax)}; send it by tus`)
  const { clock } = room.engine
  const endMs = clock() + addressSeconds * 1000
  const name = cleanName(wanted.name, purpose.field)
  const signedUntil = timestampOf(endMs + sendingSeconds * 1000)
  const begun = { ...purpose, caller, address, way: 'signed', name, size, said, sha256, signedUntil } as const
  const id = await beginUpload(room, begun)
  const signed = await direct.signPut(sentOf(id), { bytes: size, sha256, seconds: addressSeconds })
  return { id, ...signed, expiresAt: timestampOf(endMs) }
}

const objectAt = async (store: ObjectStore, name: string) => (await store.list(name)).find((one) => one.name === name)

/** The bytes that have been sent. Throws `conflict`. */
async function sentBytes(store: ObjectStore, { id, row }: BegunUpload): Promise<AsyncIterable<Buffer>> {
  const found = await objectAt(store, sentOf(id))
  if (!found) throw new ApiError('conflict', 'The bytes have not arrived: send them to the signed address first')
  const size = Number(row[names.size])
  if (found.bytes !== size)
    throw new ApiError('conflict', `${found.bytes} bytes have arrived, and ${size} were to come: send them once more`)
  return store.read(sentOf(id))
}

/**
 * Judges the bytes as those of any upload, while they go where no client changes them. The bytes
 * that are judged are those that are kept.
 */
async function judged(room: FileRoom, upload: BegunUpload): Promise<FoundFacts> {
  const { id, row } = upload
  const store = await room.store()
  const isStored = (await objectAt(store, checksumOf(id))) !== undefined
  const facts = isStored
    ? await judgeStored(room, upload)
    : await storeBytes(room, upload, await sentBytes(store, upload))
  if (facts.sha256 !== row[names.sha256])
    throw new ApiError(
      'checksum-mismatch',
      'The bytes are not those of the sha256 that was said; begin the upload again',
    )
  await store.remove(sentOf(id))
  return facts
}

/** Refused bytes end the upload; those that have not come may still be sent. */
const endsUpload = (error: unknown) => isRefusal(error) && error.code !== 'conflict'

export type ConfirmedUpload = Pick<StoredFile, 'id' | 'name' | 'type' | 'size' | 'sha256'>

/** Each step can be done again. Throws `not-found`, `conflict`, and the refusals of all uploads. */
export async function confirmUpload(room: FileRoom, caller: Principal, id: string): Promise<ConfirmedUpload> {
  const upload = await begunUpload(room, caller, { id, way: 'signed' })
  const { row } = upload
  const isDone = row[names.state] !== 'arriving'
  try {
    const facts = isDone ? (row as unknown as ConfirmedUpload) : await judged(room, upload)
    if (!isDone) await finishUpload(room, upload.id, facts)
    const { type, size, sha256 } = facts
    return { id: upload.id, name: String(row[names.name]), type, size, sha256 }
  } catch (error) {
    if (endsUpload(error)) await expireUpload(room, upload.id)
    throw error
  }
}
