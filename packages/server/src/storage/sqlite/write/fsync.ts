/**
 * Syncs files to the disk in a thread of the runtime. After a failed fsync, all writes are refused.
 */
import { fdatasync } from 'node:fs'
import { promisify } from 'node:util'
import { cannotBeWritten } from '../inspect/corruption.ts'

export type OpenDescriptor = { readonly path: string; readonly descriptor: number }

export type FsyncMonitor = {
  /** Whether an fsync has failed. */
  hasFailed(): boolean
  /** Throws `unavailable` after a failed fsync. */
  check(): void
  /**
   * Resolves when the file's writes are on the disk. Throws `unavailable`: then they may be there
   * or not.
   */
  sync(file: OpenDescriptor): Promise<void>
  /** Call it after a failure elsewhere. Returns the error for callers. */
  failed(error: Error, path: string): Error
}

/**
 * After a failed fsync the system may drop the unwritten pages, and report success for the next
 * one. A log would then have a gap, and lose all commits behind it; a file would lack pages that
 * its log no longer has. The next start reads the log as it is, and copies it into the file before
 * it serves. See Rebello et al., "Can Applications Recover from fsync Failures?", 2020.
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
