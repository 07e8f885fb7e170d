/**
 * Which file stands at a path, whether this process has it open, and what is told where another one
 * or none is there.
 */
import { fstatSync, readdirSync, statSync } from 'node:fs'
import { StartError } from '../../../errors.ts'

/**
 * A file that this process serves, for those that open it too: its threads, and what works beside
 * them.
 */
export type ServedFile = {
  readonly path: string
  /** Its identity when it was opened: another file in its place is not theirs. */
  readonly joined?: string | undefined
}

/** Device and number of a file. Undefined where there is none, or where it cannot be seen. */
export function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  } catch {
    return undefined
  }
}

const awayCode = 'ERR_DATABASE_AWAY'

/** Crosses the border of threads by its code. */
export function awayError(path: string, found: string | undefined): StartError {
  const what = found === undefined ? 'is gone' : 'is another file than the one that is served'
  return Object.assign(new StartError(`The database ${path} ${what}`), { code: awayCode })
}

export function isAway(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === awayCode
}

/** Lists what a process has open: Linux, and other systems with POSIX's locks. */
const descriptorFolders = ['/proc/self/fd', '/dev/fd']

function openDescriptors(): readonly number[] {
  for (const folder of descriptorFolders)
    try {
      return readdirSync(folder).map(Number)
    } catch {
      // the next one may be there
    }
  return []
}

/**
 * Whether this process has the file open already. To open it beside SQLite and close it would end
 * the locks of SQLite on it, for all of the process (POSIX, fcntl).
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
