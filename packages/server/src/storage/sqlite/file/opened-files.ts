/**
 * Finds database files that running processes still have open although they were deleted or moved:
 * only those processes have the latest writes. Works on Linux only.
 */
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { isMagic, readHead } from './database-head.ts'

/** The paths of open files, by `/proc/12/fd/19`. */
type OpenLinks = ReadonlyMap<string, string>

export type OpenedFiles = {
  /** The descriptor of a running process that has the deleted file open: `/proc/12/fd/19`. */
  deleted(): string | undefined
  /**
   * The new path of a file that a running process opened under this name, and that was moved since.
   */
  moved(): string | undefined
  /** How to save files that only a running process still has; empty where there are none. */
  rescue(): string
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(fd)
  } catch {
    return '' // it was closed meanwhile
  }
}

/** All open files of a process; none for one that has ended, or belongs to another user. */
function linksOf(pid: string): OpenLinks {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`)
    return new Map(fds.map((fd) => [fd, linkOf(fd)]))
  } catch {
    return new Map()
  }
}

/** All open files of each process that has one of these files open, deleted ones included. */
function linksWith(files: readonly string[]): readonly OpenLinks[] {
  if (!existsSync('/proc/self/fd')) return []
  const names = new Set(files.flatMap((file) => [file, `${file} (deleted)`]))
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(linksOf).filter((links) => [...links.values()].some((link) => names.has(link)))
}

/** Checks only regular files of other processes: reading a pipe or device would take their data. */
function isDatabase(fd: string): boolean {
  try {
    return statSync(fd).isFile() && isMagic(readHead(fd, 16))
  } catch {
    return false
  }
}

/** Searches all processes once, for this database and its log. */
export function findOpened(path: string): OpenedFiles {
  const log = `${path}-wal`
  const processes = linksWith([path, log])

  function holderOf(file: string): string | undefined {
    for (const links of processes) for (const [fd, link] of links) if (link === `${file} (deleted)`) return fd
    return undefined
  }
  return {
    deleted: () => holderOf(path),
    /**
     * The log still has the old name: a process with this log, but another main file, has the moved
     * file.
     */
    moved() {
      for (const links of processes) {
        const names = new Set(links.values())
        if (!names.has(log) && !names.has(`${log} (deleted)`)) continue
        if (names.has(path) || names.has(`${path} (deleted)`)) continue
        for (const [fd, link] of links) if (link.startsWith('/') && existsSync(link) && isDatabase(fd)) return link
      }
      return undefined
    },
    rescue() {
      const [heldFile, heldLog] = [holderOf(path), holderOf(log)]
      if (!heldFile && !heldLog) return ''
      // Both files are needed: the newest writes are in the log alone
      const both = [
        [heldFile ?? path, 'rescued.db'],
        [heldLog ?? log, 'rescued.db-wal'],
      ].flatMap(([from = '', to]) => (existsSync(from) ? [`cp ${from} ${to}`] : []))
      return `${both.join(' && ')}, and look at the copy with DATABASE_URL=sqlite:rescued.db bindery doctor --deep.`
    },
  }
}
