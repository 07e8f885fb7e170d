/**
 * Uploads as the package `@tus/server` asks for them, for one request: begun as a row, stored in
 * pieces, finished when the last byte is there. The package has the protocol, and nothing of it is
 * kept in the process.
 */
import type { Readable } from 'node:stream'
import type { DataStore, Upload } from '@tus/server'
import { ApiError } from '../../errors.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import type { Principal } from '../../resource/principal.ts'
import type { FileRoom } from '../file-room.ts'
import { type BegunUpload, begunUpload } from '../uploads/begun-upload.ts'
import { checkHead } from '../uploads/checked-bytes.ts'
import { cleanName } from '../uploads/clean-name.ts'
import { checkAnnounced, judgePurpose } from '../uploads/judge-purpose.ts'
import { saidType } from '../uploads/media-type.ts'
import { beginUpload, expireUpload } from '../uploads/upload-rows.ts'
import { announcedChecksum, withChecksum } from './announced-checksum.ts'
import { finishChunks } from './finish-chunks.ts'
import { keepChunk } from './keep-chunk.ts'

/** `checksum`: the header of that name. */
export type TusCaller = {
  readonly room: FileRoom
  readonly caller: Principal
  readonly address: string
  readonly checksum: string | undefined
}

export type TusPackage = Pick<typeof import('@tus/server'), 'DataStore' | 'Upload'>

const find = ({ room, caller }: TusCaller, id: string) => begunUpload(room, caller, { id, way: 'tus' })

/** Judges the upload and stores its row. Throws what `judgePurpose` and `checkAnnounced` throw. */
async function begin({ room, caller, address }: TusCaller, { id, size, metadata = {} }: Upload): Promise<void> {
  const said = (name: string) => (Object.hasOwn(metadata, name) ? (metadata[name] ?? null) : null)
  const purpose = judgePurpose(room.engine, caller, { resource: said('resource'), field: said('field') })
  const announced = { type: saidType(said('filetype') ?? undefined), size: size ?? 0 }
  checkAnnounced(purpose, announced)
  const name = cleanName(said('filename') ?? undefined, purpose.field)
  await beginUpload(room, {
    ...purpose,
    caller,
    address,
    id,
    way: 'tus',
    name,
    size: announced.size,
    said: announced.type,
  })
}

async function finish(room: FileRoom, { id, resource, field, said, row }: BegunUpload): Promise<void> {
  await finishChunks(room, { id, resource, field, said, size: Number(row[names.size]) })
}

/** Refused bytes end the upload, but for those that the client may send again. */
const endsUpload = (error: unknown) => error instanceof ApiError && error.code === 'unsupported-media-type'

/** Stores what arrives, also what came before a cut. Returns the offset after it. */
async function write(tus: TusCaller, stream: AsyncIterable<Buffer>, at: { id: string; offset: number }) {
  const { room, checksum } = tus
  const begun = await find(tus, at.id)
  const { resource, field: name, said, row, id } = begun
  const { limits } = resource.fields[name] as unknown as FileField
  const size = Number(row[names.size])
  const head = at.offset === 0 ? checkHead(stream, { name, limits, said, size }) : stream
  try {
    const end = await keepChunk(room, { ...at, id }, withChecksum(head, announcedChecksum(checksum)))
    if (end === size) await finish(room, begun)
    return end
  } catch (error) {
    if (endsUpload(error)) await expireUpload(room, id)
    throw error
  }
}

/** How far the upload is. One whose last bytes came before a kill is finished first. */
async function look(tus: TusCaller, { Upload: Made }: TusPackage, id: string): Promise<Upload> {
  const { room } = tus
  const begun = await find(tus, id)
  const { row, resource, field } = begun
  const size = Number(row[names.size])
  const received = Number(row[names.received])
  if (row[names.state] === 'arriving' && received === size) await finish(room, begun)
  const { dueAt, createdAt, name, type } = row
  const createdMs =
    dueAt === null ? Date.parse(String(createdAt)) : Date.parse(String(dueAt)) - room.settings.uploadKeptMs
  return new Made({
    id: begun.id,
    size,
    offset: received,
    metadata: { resource: resource.slug, field, filename: String(name), filetype: type === null ? null : String(type) },
    creation_date: new Date(createdMs).toISOString(),
  })
}

/** Ends an upload that no record has. Throws `conflict` for one that a record has. */
async function end(tus: TusCaller, id: string): Promise<void> {
  const { row } = await find(tus, id)
  if (row[names.state] === 'attached')
    throw new ApiError('conflict', 'A record has this file; change the record to let it go')
  await expireUpload(tus.room, String(row[names.id]))
}

/** `fail`: told of each error, which the package would make texts of. */
export function makeTusStore(tus: TusCaller, own: TusPackage, fail: (error: unknown) => void): DataStore {
  const telling = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      fail(error)
      throw error
    })
  return Object.assign(new own.DataStore(), {
    extensions: ['creation', 'creation-with-upload', 'expiration', 'termination'],
    create: (upload: Upload) => telling(begin(tus, upload).then(() => upload)),
    write: (stream: Readable, id: string, offset: number) => telling(write(tus, stream, { id, offset })),
    getUpload: (id: string) => telling(look(tus, own, id)),
    remove: (id: string) => telling(end(tus, id)),
    getExpiration: () => tus.room.settings.uploadKeptMs,
  })
}
