/**
 * Removes files that are due: uploads that no record took, and files that records released. First
 * the row says that the file goes, then its bytes go, then the row. A sweep that ends in the middle
 * is done again by the next one.
 */
import { timestampOf } from '../base/clock.ts'
import { all, type Condition, equal, isNull, not, type Scalar } from '../resource/condition.ts'
import { fileFields as names } from '../resource/made/file-table.ts'
import { serviceAuthor } from '../storage/changes.ts'
import { folderOf, sentOf } from '../stores/file-objects.ts'
import type { WaitingFiles } from './file-counts.ts'
import type { FileRoom } from './file-room.ts'
import { changeUpload } from './uploads/upload-rows.ts'

const atOnce = 100
/** A store that cannot be reached fails for each file. */
const failuresMax = 10

const notAfter = (field: string, value: string): Condition => ({ kind: 'compare', field, operator: 'lte', value })

/** A file to which a client may still be sending bytes waits: nothing may come after its row. */
function dueBy(now: string): Condition {
  return all(notAfter(names.dueAt, now), isNull(names.signedUntil))
}

/** Removes the bytes of clients that sent them once more, when their addresses have ended. */
async function closeAddresses({ engine, files, store }: FileRoom, isStopped: () => boolean): Promise<void> {
  const where = notAfter(names.signedUntil, timestampOf(engine.clock()))
  const sort = [{ field: names.id, descending: false }]
  while (!isStopped()) {
    const rows = await engine.storage.list(files, { where, sort, limit: atOnce, after: null })
    for (const row of rows) {
      if (isStopped()) return
      const id = String(row[names.id])
      await (await store()).remove(sentOf(id))
      await changeUpload({ engine, files }, { id, when: where }, () => ({ [names.signedUntil]: null }))
    }
    if (rows.length < atOnce) return
  }
}

/** The files that no record has: those whose time is to come, and those that a sweep takes. */
export async function filesWithoutRecord({ engine, files }: FileRoom): Promise<WaitingFiles> {
  const now = timestampOf(engine.clock())
  const due = await engine.storage.count(files, dueBy(now))
  const waiting = await engine.storage.count(files, { kind: 'compare', field: names.dueAt, operator: 'gt', value: now })
  return { waiting, due }
}

/** Marks the file as going; false where a record has taken it meanwhile. */
async function beginRemoval({ engine, files }: FileRoom, id: string, now: string): Promise<boolean> {
  return engine.records.transaction(serviceAuthor, async (tx) => {
    const found = await tx.lock(files, all(equal(names.id, id), dueBy(now)))
    if (!found || found.row[names.state] === 'attached') return false
    if (found.row[names.state] !== 'going') await tx.change(files, found.row, { [names.state]: 'going' })
    return true
  })
}

async function removeFile(room: FileRoom, id: string): Promise<void> {
  const store = await room.store()
  await store.removeAll(folderOf(id))
  await room.engine.records.transaction(serviceAuthor, (tx) => tx.removeWhere(room.files, equal(names.id, id)))
}

export type FileSweep = {
  isStopped(): boolean
  /** Whether a backup needs the bytes as they are. */
  areHeld(): Promise<boolean>
}

/** Why each of these stays, by its id. */
type Removals = { count: number; readonly failed: Map<string, unknown> }

/** A file that cannot be removed holds up no other. */
async function tryRemoval(room: FileRoom, id: string, removals: Removals): Promise<void> {
  try {
    await removeFile(room, id)
    removals.count += 1
  } catch (error) {
    removals.failed.set(id, error)
    if (removals.failed.size >= failuresMax) throw error
  }
}

function without({ failed }: Removals): Condition {
  return failed.size === 0 ? all() : not({ kind: 'in', field: names.id, values: [...failed.keys()] })
}

async function removeDue(room: FileRoom, { isStopped, areHeld }: FileSweep, removals: Removals): Promise<void> {
  const { engine, files } = room
  const now = timestampOf(engine.clock())
  const sort = [{ field: names.dueAt, descending: false }]
  while (!isStopped()) {
    const where = all(dueBy(now), without(removals))
    const rows = await engine.storage.list(files, { where, sort, limit: atOnce, after: null })
    const going: string[] = []
    for (const row of rows) {
      if (isStopped()) return
      const id = String(row[files.idField] as Scalar)
      if (await beginRemoval(room, id, now)) going.push(id)
    }
    if (going.length > 0 && (await areHeld())) return
    for (const id of going) {
      if (isStopped()) return
      await tryRemoval(room, id, removals)
    }
    if (rows.length < atOnce) return
  }
}

/**
 * Removes all files that are due. Returns how many. Throws what the store throws, for the first
 * file that stays.
 *
 * It asks for backups after the rows say that they go: a backup that begins later reads so, and
 * needs no bytes of them.
 */
export async function sweepFiles(room: FileRoom, sweep: FileSweep): Promise<number> {
  await closeAddresses(room, sweep.isStopped)
  const removals: Removals = { count: 0, failed: new Map() }
  await removeDue(room, sweep, removals)
  const [first] = removals.failed.values()
  if (removals.failed.size > 0) throw first
  return removals.count
}
