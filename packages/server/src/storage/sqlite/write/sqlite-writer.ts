/**
 * Assembles the write path of SQLite: the queue, the group commit, the fsync, and the checkpoints.
 */
import type { StorageMetrics } from '../../../observe/storage-metrics.ts'
import type { SqliteConnection } from '../connection.ts'
import type { FileIdentityCheck } from '../file/file-identity.ts'
import { makeLogStamps } from '../file/log-stamp.ts'
import type { ServedFile } from '../file/served-file.ts'
import type { CorruptionMonitor } from '../inspect/corruption.ts'
import type { Snapshot } from '../read/snapshot.ts'
import type { SqliteChangeLog } from './change-log.ts'
import { makeCheckpoints } from './checkpoints.ts'
import { makeCommitGroup } from './commit-group.ts'
import { makeFsyncMonitor } from './fsync.ts'
import { makeLogSync } from './log-sync.ts'
import { makeWriteQueue, type WriteQueue } from './write-queue.ts'

type SqliteWriterDeps = {
  readonly file: ServedFile
  readonly writer: SqliteConnection
  readonly snapshot: Snapshot
  readonly log: () => SqliteChangeLog
  readonly corruption: CorruptionMonitor
  readonly identityCheck: FileIdentityCheck
  /**
   * Whether other processes serve the same file. They could read commits that are not on the disk
   * yet, so each commit waits for its fsync.
   */
  readonly isShared: boolean
  /** False where a log follower makes the checkpoints. */
  readonly checkpoints: boolean
  readonly watch: StorageMetrics | undefined
}

export type SqliteWriter = {
  readonly queue: WriteQueue
  /** Resolves when all commits are on the disk and have their responses. Never rejects. */
  settled(): Promise<unknown>
  /** Call it when the queue is empty. */
  close(): Promise<void>
}

export function makeSqliteWriter({
  file,
  checkpoints,
  corruption,
  identityCheck,
  watch,
  isShared,
  ...parts
}: SqliteWriterDeps): SqliteWriter {
  const { writer } = parts
  const fsync = makeFsyncMonitor(corruption.noteSync)
  const pointing = checkpoints ? makeCheckpoints({ file, writer, fsync }) : undefined
  const sync = isShared ? undefined : makeLogSync({ path: file.path, writer, checkpoints, fsync })
  const synced = async () => sync?.synced()
  const { noteBound, wrote } = corruption
  const around = {
    checkpoints: pointing,
    stamps: makeLogStamps(writer.database),
    present: identityCheck.check,
    check: fsync.check,
    synced,
    noteBound,
    wrote,
  }
  const group = makeCommitGroup({ ...parts, ...around })
  return {
    queue: makeWriteQueue(group, watch),
    settled: group.settled,
    async close() {
      await pointing?.close()
      sync?.close()
    },
  }
}
