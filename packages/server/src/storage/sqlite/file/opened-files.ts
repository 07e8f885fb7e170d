/**
 * What running processes have open of a database whose files may be deleted or moved: what they
 * wrote is there alone. Linux alone tells.
 */
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { isMagic, readHead } from './database-head.ts'

/** The path of what is open, by `/proc/12/fd/19`. */
type OpenLinks = ReadonlyMap<string, string>

export type OpenedFiles = {
  /** Where a running process has the file open which is no longer there: `/proc/12/fd/19`. */
  deleted(): string | undefined
  /**
   * Where the file is that a running process opened under this name: somebody has moved it away
   * since.
   */
  moved(): string | undefined
  /**
   * How to save what is in files that only a running process still has; nothing where there is
   * none.
   */
  rescue(): string
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(fd)
  } catch {
    return '' // it was closed meanwhile
  }
}

/** All that a process has open; nothing for one that has ended, or is another user's. */
function linksOf(pid: string): OpenLinks {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`)
    return new Map(fds.map((fd) => [fd, linkOf(fd)]))
  } catch {
    return new Map()
  }
}

/** Of each process that has one of the files open, there or not, all that it has open. */
function linksWith(files: readonly string[]): readonly OpenLinks[] {
  if (!existsSync('/proc/self/fd')) return []
  const names = new Set(files.flatMap((file) => [file, `${file} (deleted)`]))
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(linksOf).filter((links) => [...links.values()].some((link) => names.has(link)))
}

/**
 * Of what another process has open: devices and pipes are left alone, for reading them would take
 * what is theirs.
 */
function isDatabase(fd: string): boolean {
  try {
    return statSync(fd).isFile() && isMagic(readHead(fd, 16))
  } catch {
    return false
  }
}

/** Looks through all processes once, for this database and its log. */
export function findOpened(path: string): OpenedFiles {
  const log = `${path}-wal`
  const processes = linksWith([path, log])

  function holderOf(file: string): string | undefined {
    for (const links of processes) for (const [fd, link] of links) if (link === `${file} (deleted)`) return fd
    return undefined
  }
  return {
    deleted: () => holderOf(path),
    /** Its log still has the old name, so a process that has this log and not this file is one. */
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
      // Whichever of the two is in its place goes along: the newest writes are in the log alone
      const both = [
        [heldFile ?? path, 'rescued.db'],
        [heldLog ?? log, 'rescued.db-wal'],
      ].flatMap(([from = '', to]) => (existsSync(from) ? [`cp ${from} ${to}`] : []))
      return `${both.join(' && ')}, and look at the copy with DATABASE_URL=sqlite:rescued.db bindery doctor --deep.`
    },
  }
}
