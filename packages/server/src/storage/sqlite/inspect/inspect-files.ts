/**
 * Inspects the files of a database from outside: whether they exist, are complete, belong together,
 * and who may open them. It opens no file for writing. It closes all handles before SQLite opens
 * any: closing one later would release SQLite's locks.
 */
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { octal } from '../../../base/owner-only.ts'
import { printBytes } from '../../../base/print-bytes.ts'
import { secretNames } from '../../database-kind.ts'
import type { Findings } from '../../finding.ts'
import { isMagic, pageBytesOf, readHead } from '../file/database-head.ts'
import { isLogGone, logMatchOf } from '../file/log-match.ts'
import { findOpened, type OpenedFiles } from '../file/opened-files.ts'
import { findMismatch, isWholeAlone } from '../file/page-check.ts'
import { twoWays } from '../file/refusals.ts'
import { secretFileIn } from '../file/secret-file.ts'
import { isOpenHere } from '../file/served-file.ts'
import type { SqliteSetup } from '../file/setup.ts'

const restore = 'restore a backup into an empty place: bindery restore --help'

/** Whether the inspection can go on inside. */
function inspectMain({ about }: Findings, path: string, opened: OpenedFiles): boolean {
  const { bad, ok } = about('file', path)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) {
    const rescue = opened.rescue()
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
  const deleted = opened.deleted()
  if (deleted)
    bad(
      `a running process has another file open that was deleted from here (${deleted}): what it wrote is not in this file`,
      `Before you stop that process, ${opened.rescue()} Then bring together what is in both`,
    )
  const moved = opened.moved()
  if (moved)
    bad(
      `a running process has another file open, which was moved from here to ${moved}: what it wrote is there, and not in this one`,
      `Stop that process. If ${moved} is the right one, move this file aside and that one here, then start it. bindery doctor --deep examines either file (DATABASE_URL=sqlite:${moved})`,
    )
  const head = readHead(path, 100)
  if (head.length < 100 || !isMagic(head)) {
    const what = stats.size === 0 ? 'the file is empty' : 'it is no SQLite database: its beginning is another'
    bad(what, `Move it aside and ${restore}`)
    return false
  }
  const expected = head.readUInt32BE(28) * pageBytesOf(head)
  // Where the two counters differ, an old version of SQLite wrote last and left the size unchanged.
  const isSizeValid = head.readUInt32BE(24) === head.readUInt32BE(92)
  if (isSizeValid && stats.size < expected) {
    const what = `it is cut off: ${stats.size} bytes, and its head says ${expected}`
    bad(what, `Stop the server and ${restore}`)
  } else ok(printBytes(stats.size))
  return true
}

/** Why the file and its log are not one database, as the end of a sentence. */
function whyApart(path: string): string | undefined {
  if (isLogGone(path) || isOpenHere(path)) return undefined
  const found = logMatchOf(path)
  if (typeof found === 'object') return found.why
  const misfit = found === 'unknown' ? findMismatch(path) : undefined
  return misfit !== undefined && isWholeAlone(path) ? misfit : undefined
}

/** Whether the inspection can go on inside: not while a server has writes that no file here has. */
function inspectLog({ about }: Findings, path: string, opened: OpenedFiles): boolean {
  const log = `${path}-wal`
  const stats = statSync(log, { throwIfNoEntry: false })
  if (!stats && existsSync(`${path}-shm`)) {
    const rescue = opened.rescue()
    about('write-ahead log', log).bad(
      'it is not there, but its index -shm is: it was deleted, with all writes since the last checkpoint',
      rescue
        ? `The server still has it open: before you stop it, ${rescue} Then stop the server and start it`
        : `Stop the server, then start it. No file has the missing writes: ${restore} where they matter`,
    )
    return rescue === ''
  }
  const why = whyApart(path)
  if (why === undefined) return true
  about('write-ahead log', log).bad(
    `it does not belong to this file: ${why}`,
    `Stop the server, and keep a copy of both. ${twoWays(path)}`,
  )
  return false
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

/**
 * Tries to write: a file system that became read-only after an error still reports its files as
 * writable.
 */
function isReadOnly(folder: string): boolean {
  const probe = join(folder, `.bindery-doctor-${process.pid}`)
  try {
    writeFileSync(probe, '', { flag: 'wx', mode: 0o600 })
    rmSync(probe)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

function inspectModes({ about }: Findings, { path, dataDir }: SqliteSetup): void {
  if (process.platform === 'win32') return
  const own = dirname(path) === dataDir ? [dataDir] : []
  const secrets = secretNames.map((name) => secretFileIn(dataDir, name))
  const owner = statSync(dirname(path), { throwIfNoEntry: false })
  const files = [...own, path, `${path}-wal`, `${path}-shm`, ...secrets]
  let isFine = true
  const folder = dirname(path)
  if (isReadOnly(folder)) {
    about('permissions', folder).bad(
      'its file system is read-only: every write is refused',
      `See in the system's log why (dmesg). A disk with errors becomes read-only: take a backup to another disk and stop the server. Then unmount the disk, repair it (fsck) and mount it again. Else: mount -o remount,rw "$(findmnt -no TARGET -T ${folder})"`,
    )
    return
  }
  for (const file of files) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) continue
    const why = whyUnwritable(file)
    if (why !== undefined || (stats.mode & 0o200) === 0) {
      isFine = false
      const what = `mode ${octal(stats.mode)}, owner ${stats.uid}: this user (${process.getuid?.()}) cannot write it`
      about('permissions', file).bad(what, `chown ${process.getuid?.()} ${file}; chmod u+rwX ${file}`)
    } else if ((stats.mode & 0o077) !== 0 && (stats.mode & 0o1000) === 0) {
      isFine = false
      const what = `mode ${octal(stats.mode)}: others may ${stats.isDirectory() ? 'look into it' : 'open it'}, and every hash and address is there`
      about('permissions', file).warn(what, `chmod go= ${file} (a start does it too)`)
    } else if (owner && stats.uid !== owner.uid) {
      isFine = false
      const what = `owner ${stats.uid}, and the folder belongs to ${owner.uid}: a command ran as another user`
      about('permissions', file).warn(what, `chown ${owner.uid}:${owner.gid} ${file}`)
    }
  }
  if (isFine) about('permissions', dirname(path)).ok('only their owner may open the files')
}

/** Returns whether the database can be opened at all. */
export async function inspectFiles(findings: Findings, setup: SqliteSetup): Promise<boolean> {
  let canOpen = false
  const opened = findOpened(setup.path)
  await findings.part('file', setup.path, () => {
    canOpen = inspectMain(findings, setup.path, opened)
  })
  if (canOpen)
    await findings.part('write-ahead log', `${setup.path}-wal`, () => {
      canOpen = inspectLog(findings, setup.path, opened)
    })
  await findings.part('permissions', setup.path, () => inspectModes(findings, setup))
  return canOpen
}
