/**
 * Has what was written to a file brought to the disk, in a thread of the runtime. Once that has
 * failed, nothing is written any more.
 */
import { fdatasync } from 'node:fs'
import { promisify } from 'node:util'
import { cannotBeWritten } from '../inspect/corruption.ts'

export type OpenDescriptor = { readonly path: string; readonly descriptor: number }

export type FsyncMonitor = {
  /** Whether the disk has failed to confirm something. */
  hasFailed(): boolean
  /** Throws `unavailable` where it has. */
  check(): void
  /**
   * Resolves when the disk has what was written to the file. Throws `unavailable`: then it may be
   * there or not.
   */
  sync(file: OpenDescriptor): Promise<void>
  /** Call it where something else has found that out. Returns what callers are told. */
  failed(error: Error, path: string): Error
}

/**
 * After a failure the system may have given up what it could not write, and say of the next sync
 * that it succeeded (Rebello et al., "Can Applications Recover from fsync Failures?", 2020): a log
 * would have a gap behind which everything is lost, and a file would lack what its log no longer
 * has. The next start reads the log as it is, and brings it into the file before anybody is served.
 */
export function makeFsyncMonitor(note: (error: Error, path: string) => Error): FsyncMonitor {
  const bring = promisify(fdatasync)
  let isFailed = false
  const fsync: FsyncMonitor = {
    hasFailed: () => isFailed,
    check() {
      if (isFailed) throw cannotBeWritten()
    },
    async sync({ path, descriptor }) {
      try {
        await bring(descriptor)
      } catch (error) {
        throw fsync.failed(error as Error, path)
      }
    },
    failed(error, path) {
      isFailed = true
      return note(error, path)
    },
  }
  return fsync
}
