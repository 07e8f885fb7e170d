/** What a write goes through: the queue, a group that commits together, the disk, and what brings the log into the file. */
import type { StorageWatch } from '../../../observe/statement-watch.ts'
import type { Connection } from '../connection.ts'
import type { ServedFile } from '../file/file-identity.ts'
import type { Presence } from '../file/presence.ts'
import { makeLogStamps } from '../file/stamp.ts'
import type { Damage } from '../inspect/damage.ts'
import type { Snapshot } from '../read/snapshot.ts'
import type { ChangeLog } from './change-log.ts'
import { makeCheckpoints } from './checkpoints.ts'
import { makeCommitGroup } from './commit-group.ts'
import { makeLogSync } from './log-sync.ts'
import { makeQueue, type Queue } from './queue.ts'
import { makeSyncs } from './syncs.ts'

type Parts = {
  readonly file: ServedFile
  readonly writer: Connection
  readonly snapshot: Snapshot
  readonly log: () => ChangeLog
  readonly damage: Damage
  readonly presence: Presence
  /** Whether other processes serve the same file. They would read what is not on the disk yet, so each commit waits for it. */
  readonly isShared: boolean
  /** False where a follower of the log makes the checkpoints. */
  readonly checkpoints: boolean
  readonly watch: StorageWatch | undefined
}

export type Writing = {
  readonly queue: Queue
  /** When everything that was committed is on the disk and answered. Never rejects. */
  settled(): Promise<unknown>
  /** Call it when the queue is empty. */
  close(): Promise<void>
}

export function makeWriting({ file, checkpoints, damage, presence, watch, ...parts }: Parts): Writing {
  const { writer, isShared } = parts
  const syncs = makeSyncs(damage.noteSync)
  const pointing = checkpoints ? makeCheckpoints({ file, writer, syncs }) : undefined
  const sync = isShared ? undefined : makeLogSync({ path: file.path, writer, checkpoints, syncs })
  const synced = async () => sync?.synced()
  const { noteBound, wrote } = damage
  const around = {
    checkpoints: pointing,
    stamps: makeLogStamps(writer.database),
    present: presence.check,
    check: syncs.check,
    synced,
    noteBound,
    wrote,
  }
  const group = makeCommitGroup({ ...parts, ...around })
  return {
    queue: makeQueue(group, watch),
    settled: group.settled,
    async close() {
      await pointing?.close()
      sync?.close()
    },
  }
}
