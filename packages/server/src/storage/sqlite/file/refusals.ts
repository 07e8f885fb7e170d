/**
 * Messages for files that do not belong together, or are incomplete: the fault, and the commands
 * for either remedy.
 */
import { statSync } from 'node:fs'
import { isWholeAlone, lastWriteAlone } from './page-check.ts'

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** The two remedies, without a full stop at the end. */
export function twoWays(path: string): string {
  const log = `${path}-wal`
  const last = lastWriteAlone(path)
  const ends = last === undefined ? '' : `, which ends with what was written ${last}`
  const whole = isWholeAlone(path) ? 'is whole by itself' : 'is not whole by itself: rather restore a backup'
  const until = statSync(log, { throwIfNoEntry: false })?.mtime.toISOString()
  return [
    `To take the file${ends} (it ${whole}), move the log aside: mv ${quoted(log)} ${quoted(`${log}.aside`)} && rm -f ${quoted(`${path}-shm`)}`,
    `To take the log${until === undefined ? '' : `, last written ${until}`}, put back the file that was beside it when the server ended: mv ${quoted(path)} ${quoted(`${path}.aside`)}, then copy that file to ${quoted(path)}`,
    'Then run this again',
  ].join('. ')
}

/** `why`: the end of a sentence. */
export function takeEither(path: string, why: string): string {
  return `it and the log beside it, ${path}-wal, do not belong together: ${why}. Neither was opened or changed. Keep a copy of both. ${twoWays(path)}; bindery doctor --deep says more`
}

export function logWithoutFile(path: string): string {
  const log = `${path}-wal`
  return `There is no database ${path}, and its log ${log} is there, with the last writes: a new one would delete it. See whether the disk is mounted and DATA_DIR and DATABASE_URL are right. Put the file back that belongs to the log; else move the log aside (mv ${quoted(log)} ${quoted(`${log}.aside`)}) and restore a backup: bindery restore --help`
}
