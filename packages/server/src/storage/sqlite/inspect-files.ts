/**
 * The files of a database, looked at from outside: whether they are there, whole, of one database, and who may open them. Nothing is opened
 * for writing, and all handles are closed before SQLite opens any: closing one later would take its locks away.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { octal } from '../../owner-only.ts'
import { secretNames } from '../database-kind.ts'
import type { Findings } from '../finding.ts'
import { secretFileIn } from './secret-file.ts'
import type { SqliteSetup } from './setup.ts'

const restore = 'restore a backup into an empty place: bindery restore --help'

/** Offsets of the file format's header (sqlite.org/fileformat2, section 1.3). */
const magic = 'SQLite format 3\0'
const walMagic = [0x377f0682, 0x377f0683]

function readHead(file: string, bytes: number): Buffer {
  const handle = openSync(file, 'r')
  try {
    const head = Buffer.alloc(bytes)
    return head.subarray(0, readSync(handle, head, 0, bytes, 0))
  } finally {
    closeSync(handle)
  }
}

function pageBytesOf(head: Buffer): number {
  const bytes = head.readUInt16BE(16)
  return bytes === 1 ? 65_536 : bytes
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(fd)
  } catch {
    return '' // it was closed meanwhile
  }
}

/** All that a process has open, by `/proc/12/fd/19`; nothing for one that has ended, or is another user's. */
function opened(pid: string): ReadonlyMap<string, string> {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`)
    return new Map(fds.map((fd) => [fd, linkOf(fd)]))
  } catch {
    return new Map()
  }
}

/** What those processes have open that have a file of this path, also one that is no longer there. Linux alone tells. */
function openedWith(path: string): ReadonlyMap<string, string>[] {
  if (!existsSync('/proc/self/fd')) return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids
    .map(opened)
    .filter((fds) => [...fds.values()].some((link) => link === path || link === `${path} (deleted)`))
}

/** Where a running process has a file of this path open which is no longer there: `/proc/12/fd/19`. */
function holderOf(path: string): string | undefined {
  for (const fds of openedWith(path)) for (const [fd, link] of fds) if (link === `${path} (deleted)`) return fd
  return undefined
}

/** Of what another process has open: devices and pipes are left alone, for reading them would take what is theirs. */
function isDatabase(fd: string): boolean {
  try {
    return statSync(fd).isFile() && readHead(fd, magic.length).toString('latin1') === magic
  } catch {
    return false
  }
}

/**
 * The file that a running process has for this one, which it opened under this name: somebody has moved it away since. Its log still has the
 * old name, so a process that has this log and not this file is one.
 */
function movedTo(path: string): string | undefined {
  for (const fds of openedWith(`${path}-wal`)) {
    if ([...fds.values()].some((link) => link === path || link === `${path} (deleted)`)) continue
    for (const [fd, link] of fds) if (link.startsWith('/') && existsSync(link) && isDatabase(fd)) return link
  }
  return undefined
}

/** How to save what is in files that only a running process still has; nothing where there is none. */
function rescueOf(path: string): string {
  const log = `${path}-wal`
  const [heldFile, heldLog] = [holderOf(path), holderOf(log)]
  if (!heldFile && !heldLog) return ''
  // Whichever of the two is in its place goes along: the newest writes are in the log alone
  const both = [
    [heldFile ?? path, 'rescued.db'],
    [heldLog ?? log, 'rescued.db-wal'],
  ].flatMap(([from = '', to]) => (existsSync(from) ? [`cp ${from} ${to}`] : []))
  return `${both.join(' && ')}, and look at the copy with DATABASE_URL=sqlite:rescued.db bindery doctor --deep.`
}

/** Whether the examination can go on inside. */
function inspectMain({ add }: Findings, path: string): boolean {
  const bad = (what: string, todo: string) => add({ level: 'bad', check: 'file', where: path, what, todo })
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) {
    const rescue = rescueOf(path)
    const isNew = !existsSync(`${path}-wal`) && !existsSync(dirname(path))
    bad(
      isNew ? 'there is no database: this place is new' : 'there is no database',
      `If this place is new, the first start makes it.${rescue && ` A running process still has it open: before you stop that, ${rescue}`} If there was one, see whether DATA_DIR and DATABASE_URL are right, else ${restore}`,
    )
    return false
  }
  if (!stats.isFile()) {
    bad('it is no file', 'Correct DATABASE_URL or DATA_DIR')
    return false
  }
  const deleted = holderOf(path)
  if (deleted)
    bad(
      `a running process has another file open that was deleted from here (${deleted}): what it wrote is not in this file`,
      `Before you stop that process, ${rescueOf(path)} Then bring together what is in both`,
    )
  const moved = movedTo(path)
  if (moved)
    bad(
      `a running process has another file open, which was moved from here to ${moved}: what it wrote is there, and not in this one`,
      `Stop that process. If ${moved} is the right one, move this file aside and that one here, and start it; bindery doctor --deep tells of each how it is (DATABASE_URL=sqlite:${moved})`,
    )
  const head = readHead(path, 100)
  if (head.length < 100 || head.toString('latin1', 0, 16) !== magic) {
    const what = stats.size === 0 ? 'the file is empty' : 'it is no SQLite database: its beginning is another'
    bad(what, `Move it aside and ${restore}`)
    return false
  }
  const expected = head.readUInt32BE(28) * pageBytesOf(head)
  // Where the two counters differ, an old version of SQLite wrote last and left the size alone.
  const isSizeValid = head.readUInt32BE(24) === head.readUInt32BE(92)
  if (isSizeValid && stats.size < expected) {
    const what = `it is cut off: ${stats.size} bytes, and its head says ${expected}`
    bad(what, `Stop the server and ${restore}`)
  } else add({ level: 'ok', check: 'file', where: path, what: `${stats.size} bytes` })
  return true
}

/** Whether the examination can go on inside: not while a server has writes that no file here has. */
function inspectLog({ add }: Findings, path: string): boolean {
  const log = `${path}-wal`
  const stats = statSync(log, { throwIfNoEntry: false })
  if (!stats && existsSync(`${path}-shm`)) {
    const rescue = rescueOf(path)
    add({
      level: 'bad',
      check: 'write-ahead log',
      where: log,
      what: 'it is not there, and its index -shm is: somebody deleted it, with what was written since the last checkpoint',
      todo: rescue
        ? `The server still has it open: before you stop it, ${rescue} Then stop the server and start it`
        : `Stop the server, then start it. What is missing is in no file: ${restore} where it matters`,
    })
    return rescue === ''
  }
  if (!stats || stats.size === 0) return true
  const head = readHead(log, 32)
  const isLog = head.length === 32 && walMagic.includes(head.readUInt32BE(0))
  if (!isLog || head.readUInt32BE(8) !== pageBytesOf(readHead(path, 100)))
    add({
      level: 'bad',
      check: 'write-ahead log',
      where: log,
      what: 'it does not belong to this database: its head is another',
      todo: `Stop the server, move ${log} and ${path}-shm aside, and run bindery doctor --deep again`,
    })
  return true
}

/** The code of the system's error; undefined where the file can be written. */
function whyUnwritable(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

function inspectModes({ add }: Findings, { path, dataDir }: SqliteSetup): void {
  if (process.platform === 'win32') return
  const own = dirname(path) === dataDir ? [dataDir] : []
  const secrets = secretNames.map((name) => secretFileIn(dataDir, name))
  const files = [...own, path, `${path}-wal`, `${path}-shm`, ...secrets]
  let isFine = true
  for (const file of files) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) continue
    const folder = statSync(dirname(path), { throwIfNoEntry: false })
    const why = whyUnwritable(file)
    if (why === 'EROFS') {
      add({
        level: 'bad',
        check: 'permissions',
        where: file,
        what: 'its file system is read-only: every write is refused',
        todo: `See in the system's log why (dmesg): a disk with errors is mounted so, and then take a backup first. Else: mount -o remount,rw "$(findmnt -no TARGET -T ${dirname(path)})"`,
      })
      return
    }
    if (why !== undefined || (stats.mode & 0o200) === 0) {
      isFine = false
      const what = `mode ${octal(stats.mode)}, owner ${stats.uid}: this user (${process.getuid?.()}) cannot write it`
      add({
        level: 'bad',
        check: 'permissions',
        where: file,
        what,
        todo: `chown ${process.getuid?.()} ${file}; chmod u+rwX ${file}`,
      })
    } else if ((stats.mode & 0o077) !== 0 && (stats.mode & 0o1000) === 0) {
      isFine = false
      const what = `mode ${octal(stats.mode)}: others may ${stats.isDirectory() ? 'look into it' : 'open it'}, and every hash and address is there`
      add({ level: 'warn', check: 'permissions', where: file, what, todo: `chmod go= ${file} (a start does it too)` })
    } else if (folder && stats.uid !== folder.uid) {
      isFine = false
      const what = `owner ${stats.uid}, and the folder belongs to ${folder.uid}: a command ran as another user`
      add({ level: 'warn', check: 'permissions', where: file, what, todo: `chown ${folder.uid}:${folder.gid} ${file}` })
    }
  }
  if (isFine)
    add({ level: 'ok', check: 'permissions', where: dirname(path), what: 'only their owner may open the files' })
}

/** Returns whether the database can be opened at all. */
export async function inspectFiles(findings: Findings, setup: SqliteSetup): Promise<boolean> {
  let canOpen = false
  await findings.part('file', setup.path, () => {
    canOpen = inspectMain(findings, setup.path)
  })
  if (canOpen)
    await findings.part('write-ahead log', `${setup.path}-wal`, () => {
      canOpen = inspectLog(findings, setup.path)
    })
  await findings.part('permissions', setup.path, () => inspectModes(findings, setup))
  return canOpen
}
