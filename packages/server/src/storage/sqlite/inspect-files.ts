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
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
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

/** The process that has a file of this path open which is no longer there: `/proc/12/fd/19`. Linux alone tells. */
function holderOf(path: string): string | undefined {
  if (!existsSync('/proc/self/fd')) return undefined
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`))
        if (readlinkSync(`/proc/${pid}/fd/${fd}`) === `${path} (deleted)`) return `/proc/${pid}/fd/${fd}`
    } catch {
      // a process that has ended, or one of another user
    }
  }
  return undefined
}

function rescueOf(path: string): string {
  const [file, log] = [holderOf(path), holderOf(`${path}-wal`)]
  if (!file) return ''
  const both = log ? ` && cp ${log} rescued.db-wal` : ''
  return ` A running process still has it open: before you stop that, cp ${file} rescued.db${both}, and look at the copy with DATABASE_URL=sqlite:rescued.db bindery doctor --deep.`
}

/** Whether the examination can go on inside. */
function inspectMain({ add }: Findings, path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) {
    const isNew = !existsSync(`${path}-wal`) && !existsSync(dirname(path))
    add({
      level: 'bad',
      check: 'file',
      where: path,
      what: isNew ? 'there is no database: this place is new' : 'there is no database',
      todo: `If this place is new, the first start makes it.${rescueOf(path)} If there was one, see whether DATA_DIR and DATABASE_URL are right, else ${restore}`,
    })
    return false
  }
  if (!stats.isFile()) {
    add({ level: 'bad', check: 'file', where: path, what: 'it is no file', todo: 'Correct DATABASE_URL or DATA_DIR' })
    return false
  }
  const deleted = holderOf(path)
  if (deleted)
    add({
      level: 'bad',
      check: 'file',
      where: path,
      what: `a running process has another file open that was deleted from here (${deleted}): what it wrote is not in this file`,
      todo: `Stop that process.${rescueOf(path)}`,
    })
  const head = readHead(path, 100)
  if (head.length < 100 || head.toString('latin1', 0, 16) !== magic) {
    const what = stats.size === 0 ? 'the file is empty' : 'it is no SQLite database: its beginning is another'
    add({ level: 'bad', check: 'file', where: path, what, todo: `Move it aside and ${restore}` })
    return false
  }
  const expected = head.readUInt32BE(28) * pageBytesOf(head)
  // Where the two counters differ, an old version of SQLite wrote last and left the size alone.
  const isSizeValid = head.readUInt32BE(24) === head.readUInt32BE(92)
  if (isSizeValid && stats.size < expected) {
    const what = `it is cut off: ${stats.size} bytes, and its head says ${expected}`
    add({ level: 'bad', check: 'file', where: path, what, todo: `Stop the server and ${restore}` })
  } else add({ level: 'ok', check: 'file', where: path, what: `${stats.size} bytes` })
  return true
}

function inspectLog({ add }: Findings, path: string): void {
  const log = `${path}-wal`
  const stats = statSync(log, { throwIfNoEntry: false })
  if (!stats && existsSync(`${path}-shm`)) {
    add({
      level: 'bad',
      check: 'write-ahead log',
      where: log,
      what: 'it is not there, and its index -shm is: somebody deleted it, with what was written since the last checkpoint',
      todo: `Stop the server, then start it. What is missing is in no file:${rescueOf(log) || ` ${restore} where it matters`}`,
    })
    return
  }
  if (!stats || stats.size === 0) return
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
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
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
    if (!isWritable(file) || (stats.mode & 0o200) === 0) {
      isFine = false
      const what = `mode ${octal(stats)}, owner ${stats.uid}: this user (${process.getuid?.()}) cannot write it`
      add({
        level: 'bad',
        check: 'permissions',
        where: file,
        what,
        todo: `chown ${process.getuid?.()} ${file}; chmod u+rwX ${file}`,
      })
    } else if ((stats.mode & 0o077) !== 0 && (stats.mode & 0o1000) === 0) {
      isFine = false
      const what = `mode ${octal(stats)}: others may ${stats.isDirectory() ? 'look into it' : 'open it'}, and every hash and address is there`
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
  if (canOpen) await findings.part('write-ahead log', `${setup.path}-wal`, () => inspectLog(findings, setup.path))
  await findings.part('permissions', setup.path, () => inspectModes(findings, setup))
  return canOpen
}
