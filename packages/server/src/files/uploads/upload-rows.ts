/**
 * The rows of uploads. A row is stored before the bytes, and says when the sweep may take it. So
 * after a kill nothing is left that no row names.
 */
import { randomUUID } from 'node:crypto'
import { timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import { authorOf } from '../../record/author.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal } from '../../resource/condition.ts'
import { type FileState, fileFields as names, type UploadWay } from '../../resource/made/file-table.ts'
import type { Principal } from '../../resource/principal.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { folderOf } from '../../stores/file-objects.ts'
import type { FileRoom } from '../file-room.ts'
import { ownerOf, storedFacts } from '../steps/claim-files.ts'
import type { PictureSize } from '../variants/pictures.ts'
import { checkQuotas } from './check-quotas.ts'
import type { ByteFacts } from './checked-bytes.ts'

/** For what the upload is, and by whom. `tenant`: the id of the tenant that is named, if any. */
export type UploadPurpose = {
  readonly resource: Resource
  readonly field: string
  readonly caller: Principal
  readonly tenant: string | null
  readonly address: string
}

export type NewUpload = UploadPurpose & {
  /** Random unless it is given. */
  readonly id?: string
  readonly way?: UploadWay
  readonly name: string
  /** Both as the sender announces them. */
  readonly size: number
  readonly said?: string | undefined
  readonly sha256?: string
  readonly signedUntil?: string
}

const saidLengthMax = 127

const tooMany = () =>
  new ApiError('too-many-requests', 'Too many uploads wait for their records; attach them, or try again later', {
    retryAfterSeconds: 60,
  })

/** Throws `too-many-requests` where as many uploads wait as may. */
async function checkBounds(
  { files, settings }: FileRoom,
  tx: RecordTransaction,
  { held, size }: { readonly held: Condition; readonly size: number },
): Promise<void> {
  const { waitingMax: limit, waitingBytesMax } = settings
  const sort = [{ field: names.id, descending: false }]
  const rows = await tx.list(files, { where: held, sort, limit, after: null })
  const bytes = rows.reduce((sum, row) => sum + Math.max(Number(row[names.size]), Number(row[names.received])), size)
  if (rows.length >= limit || bytes > waitingBytesMax) throw tooMany()
}

/** Stores the row of an upload whose bytes come next. Returns its id. */
export async function beginUpload(room: FileRoom, upload: NewUpload): Promise<string> {
  const { engine, files, settings } = room
  const {
    id = randomUUID(),
    way = 'body',
    said,
    sha256,
    signedUntil,
    resource,
    field,
    caller,
    tenant,
    address,
    name,
    size,
  } = upload
  const author = authorOf(caller)
  const owner = ownerOf(author)
  const begin = async (tx: RecordTransaction) => {
    // Callers without a credential are one owner, and are told apart by their addresses.
    if (author.userId !== null) await checkBounds(room, tx, { held: equal(names.heldBy, owner), size })
    await checkBounds(room, tx, { held: equal(names.heldAddress, address), size })
    const user = author.userId ?? undefined
    await checkQuotas(room, tx, { user, resource: resource.name, tenant, bytes: size })
    const values = {
      [names.id]: id,
      [names.way]: way,
      [names.type]: said?.slice(0, saidLengthMax) ?? null,
      [names.sha256]: sha256 ?? null,
      [names.signedUntil]: signedUntil ?? null,
      [names.owner]: owner,
      [names.tenant]: tenant,
      [names.resource]: resource.name,
      [names.field]: field,
      [names.name]: name,
      [names.size]: size,
      [names.dueAt]: timestampOf(engine.clock() + settings.uploadKeptMs),
      [names.heldBy]: owner,
      [names.heldAddress]: address,
    }
    await tx.insert(await tx.prepare(files, values))
    return id
  }
  return room.counts.refusing(() => engine.records.transaction({ ...author, address }, begin))
}

export const inStates = (...values: readonly FileState[]): Condition => ({ kind: 'in', field: names.state, values })

/** Changes the row where the condition holds for it. Returns whether it does. */
export async function changeUpload(
  { engine, files }: Pick<FileRoom, 'engine' | 'files'>,
  { id, when }: { readonly id: string; readonly when: Condition },
  changes: (row: Row, tx: RecordTransaction) => Values | Promise<Values>,
): Promise<boolean> {
  const where = all(equal(names.id, id), when)
  return engine.records.transaction(serviceAuthor, async (tx) => {
    const found = await tx.lock(files, where)
    if (!found) return false
    await tx.change(files, found.row, await changes(found.row, tx))
    return true
  })
}

export type FoundFacts = ByteFacts & Partial<PictureSize>

/** A body without a length announces nothing: its bytes count when they are there. */
async function checkUnannounced(
  room: FileRoom,
  tx: RecordTransaction,
  { row, size }: { readonly row: Row; readonly size: number },
): Promise<void> {
  const { resource, tenant, owner, size: announced } = row
  const bytes = size - Number(announced)
  if (bytes <= 0) return
  const user = owner === ownerOf({ userId: null }) ? undefined : String(owner)
  await checkQuotas(room, tx, { user, resource: String(resource), tenant: (tenant as string | null) ?? null, bytes })
}

/** All bytes are stored: from here on a record may have the file. */
export async function finishUpload(room: FileRoom, id: string, found: FoundFacts): Promise<void> {
  const isFinished = await changeUpload(room, { id, when: inStates('arriving') }, async (row, tx) => {
    await checkUnannounced(room, tx, { row, size: found.size })
    return { ...storedFacts(found), [names.state]: 'ready' }
  })
  if (isFinished) return
  throw new ApiError('conflict', 'The upload took longer than uploads are kept; begin it again')
}

/** An upload that no record has is due at once. One that a record has stays as it is. */
export async function expireUpload(room: FileRoom, id: string): Promise<void> {
  const { engine, files } = room
  const found = await engine.storage.find(files, equal(names.id, id))
  const state = found?.row[names.state] ?? 'going'
  // The sweep was earlier than the last bytes.
  if (state === 'going') await (await room.store()).removeAll(folderOf(id))
  if (state !== 'arriving' && state !== 'ready') return
  const now = timestampOf(engine.clock())
  await changeUpload(room, { id, when: inStates('arriving', 'ready') }, () => ({
    [names.dueAt]: now,
    [names.heldBy]: null,
    [names.heldAddress]: null,
  }))
}
