/**
 * Identifies the file at a path: whether this process has it open, and the error where another file
 * or none is there.
 */
import { fstatSync, readdirSync, statSync } from 'node:fs'
import { StartError } from '../../../errors.ts'

/** A file that this process serves, for its threads and its other work on the file. */
export type ServedFile = {
  readonly path: string
  /** The identity of the file when it was opened: they do not open another file in its place. */
  readonly joined?: string | undefined
}

/** Device and inode of a file. Undefined for a missing file, or one that cannot be read. */
export function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  } catch {
    return undefined
  }
}

const awayCode = 'ERR_DATABASE_AWAY'

/** Threads pass this error on by its code. */
export function awayError(path: string, found: string | undefined): StartError {
  const what = found === undefined ? 'is gone' : 'is another file than the one that is served'
  return Object.assign(new StartError(`The database ${path} ${what}`), { code: awayCode })
}

export function isAway(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === awayCode
}

/** Folders that list the open files of this process: on Linux, and on other POSIX systems. */
const descriptorFolders = ['/proc/self/fd', '/dev/fd']

function openDescriptors(): readonly number[] {
  for (const folder of descriptorFolders)
    try {
      return readdirSync(folder).map(Number)
    } catch {
      // the next one may exist
    }
  return []
}

/**
 * Whether this process has the file open already. Opening it outside of SQLite and closing it would
 * release SQLite's locks on it, for the whole process (POSIX, fcntl).
 */
export function isOpenHere(path: string): boolean {
  const identity = identityOf(path)
  return (
    identity !== undefined &&
    openDescriptors().some((descriptor) => {
      try {
        const { dev, ino } = fstatSync(descriptor)
        return `${dev} ${ino}` === identity
      } catch {
        return false // the one that listed them is closed
      }
    })
  )
}
