/**
 * Kinds of damage to a SQLite database and the files beside it. Each says how to cause it, the
 * expected findings of `bindery doctor`, and the behaviour of a start.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { writeMetadata } from '../../src/storage/sqlite/write/file-metadata.ts'

const hourMs = 3_600_000
const overdue = '{"at":"2026-01-01T00:00:00.000Z","place":"/backups","name":"one","bytes":9}'

export type Place = { readonly dir: string; readonly file: string }
export type Damage = {
  readonly name: string
  readonly make: (place: Place) => unknown
  /** The finding and its way out. */
  readonly says: RegExp
  /** Output that would be wrong here. */
  readonly never?: RegExp
  readonly deep?: boolean
  readonly nowMs?: () => number
  readonly env?: (place: Place) => Readonly<Record<string, string>>
  /**
   * The behaviour of a start: it refuses with one line, /readyz reports not ready, or it serves
   * because the damage affects nothing that it needs.
   */
  readonly start: RegExp | 'not ready' | 'serves'
  readonly later?: true
}

/** As another program would. */
export function edit(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
  database.close()
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, bytes, 0, bytes.length, at)
  closeSync(handle)
}

/** The pages of a table without its root. */
function leavesOf(file: string, table: string): { readonly bytes: number; readonly pages: readonly number[] } {
  const database = new DatabaseSync(file)
  const { page_size: bytes } = database.prepare('PRAGMA page_size').get() as { page_size: number }
  const rows = database.prepare('SELECT pageno AS page FROM dbstat WHERE name = ? ORDER BY page').all(table) as {
    page: number
  }[]
  const { rootpage } = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table) as {
    rootpage: number
  }
  database.close()
  return { bytes, pages: rows.map(({ page }) => page).filter((page) => page !== rootpage) }
}

/** The WAL of another database, as if an operator had restored one file and not the others. */
function foreignLog({ dir, file }: Place): void {
  const other = join(dir, 'other.db')
  const database = new DatabaseSync(other)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)')
  copyFileSync(`${other}-wal`, `${file}-wal`)
  database.close()
}

/** A file system of its own around the place. Undefined where this user may not make one. */
function mount({ dir }: Place, options: string): (() => void) | undefined {
  const copy = `${dir}-copy`
  cpSync(dir, copy, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', dir], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  cpSync(copy, dir, { recursive: true })
  return () => execFileSync('umount', ['-l', dir])
}

const meta = (name: string, value: string) => `INSERT OR REPLACE INTO bindery_meta VALUES ('${name}', '${value}')`

export const damages: readonly Damage[] = [
  {
    name: 'a page of nonsense',
    make({ file }) {
      writeMetadata({ path: file }, 'last backup', overdue)
      const { bytes, pages } = leavesOf(file, 'volumes')
      overwrite(file, (pages[1] as number) * bytes - bytes, Buffer.alloc(bytes, 0xa5))
    },
    says: /bad integrity .*bindery\.db \| .*problem.* \| Stop the server and restore a backup/,
    never: /backup \| this database/,
    start: 'not ready',
  },
  {
    name: 'a page of nonsense in an index, found by reading all',
    make({ file }) {
      const { bytes, pages } = leavesOf(file, 'volumes_title_id_idx')
      overwrite(file, (pages[1] as number) * bytes - bytes, Buffer.alloc(bytes))
    },
    deep: true,
    says: /bad integrity \(deep\) .*restore a backup/,
    start: 'not ready',
  },
  {
    name: 'a file that was cut off',
    make: ({ file }) => truncateSync(file, 40_960),
    says: /bad file .*cut off: 40960 bytes.*restore a backup/,
    never: /none was ever made/,
    start: /bindery doctor --deep/,
  },
  {
    name: 'no file',
    make: ({ file }) => rmSync(file),
    says: /bad file .*there is no database.*restore a backup/,
    start: /there was one: .*jwt-secret.*bindery start --new-database/,
  },
  {
    name: 'an empty file',
    make: ({ file }) => truncateSync(file),
    says: /bad file .*is empty.*Move it aside/,
    start: /there was one: .*jwt-secret.*bindery start --new-database/,
  },
  {
    name: 'another file in its place',
    make: ({ file }) => writeFileSync(file, 'Dear diary, '.repeat(500)),
    says: /bad file .*no SQLite database.*restore a backup/,
    start: /not a database; bindery doctor/,
  },
  {
    name: 'a log that was deleted',
    make({ file }) {
      writeFileSync(`${file}-shm`, Buffer.alloc(32_768), { mode: 0o600 })
    },
    says: /bad write-ahead log .*-wal \| it is not there.*Stop the server, then start it/,
    never: /another database's/,
    start: 'serves',
  },
  {
    name: 'a log that is none',
    make: ({ file }) => writeFileSync(`${file}-wal`, Buffer.alloc(8_192, 7), { mode: 0o600 }),
    says: /bad write-ahead log .*does not belong.*it is no log.*mv .*-wal/,
    start: /do not belong together: it is no log.*mv .*-wal/,
  },
  {
    name: 'the log of another database',
    make: foreignLog,
    says: /bad write-ahead log .*-wal \| it does not belong.*it is whole by itself.*mv .*-wal/,
    start: /do not belong together: .*another database.*mv .*-wal/,
  },
  {
    name: 'files that others may open',
    make({ dir, file }) {
      for (const one of [dir, file]) chmodSync(one, 0o755)
    },
    says: /warn permissions \| .*bindery\.db \| mode 0755: others may open it.*chmod go=/,
    start: 'serves',
  },
  {
    name: 'a file that cannot be written',
    make: ({ file }) => chmodSync(file, 0o400),
    says: /bad permissions .*mode 0400.*chown .*chmod u\+rwX/,
    start: 'serves',
  },
  {
    name: 'a full disk',
    make(place) {
      const unmount = mount(place, 'size=2m,mode=0700')
      if (unmount) writeFileSync(join(place.dir, 'filler'), Buffer.alloc(700_000))
      return unmount
    },
    says: /bad disk .*[kM]B of [\d.]+ MB are free.*Make room/,
    start: 'serves',
  },
  {
    name: 'a file system that is read-only',
    make(place) {
      const unmount = mount(place, 'size=8m,mode=0700')
      if (unmount) execFileSync('mount', ['-o', 'remount,ro', place.dir])
      return unmount
    },
    says: /bad permissions .*file system is read-only.*mount -o remount,rw/,
    start: /Cannot open the database.*bindery doctor --deep/,
  },
  {
    name: 'a clock that was set back a day',
    make: () => undefined,
    nowMs: () => Date.now() - 24 * hourMs,
    says: /bad clock .*24 hours before the last write.*timedatectl/,
    start: 'serves',
  },
  {
    name: 'a column that somebody dropped',
    make: ({ file }) => edit(file, 'ALTER TABLE volumes DROP COLUMN lent'),
    says: /bad schema \| volumes \| a column is not there.*lent.*Restore a backup.*--allow-loss volume\.lent/,
    start: /no longer there[\s\S]*column volumes\.lent[\s\S]*bindery restore --help.*--allow-loss volume\.lent/,
  },
  {
    name: 'a table that somebody dropped',
    make: ({ file }) => edit(file, 'DROP TABLE volumes'),
    says: /bad schema \| volumes \| the table is not there.*Restore a backup.*--allow-loss volume/,
    start: /no longer there[\s\S]*table volumes[\s\S]*bindery restore --help.*--allow-loss volume/,
  },
  {
    name: 'an index that somebody dropped',
    make: ({ file }) => edit(file, 'DROP INDEX volumes_title_id_idx'),
    says: /bad indexes \| volumes\.volumes_title_id_idx \| is not there.*sqlite3 .*CREATE INDEX "volumes_title_id_idx"/,
    start: 'serves',
  },
  {
    name: 'a number that is kept wrong',
    make: ({ file }) => edit(file, "UPDATE sqlite_sequence SET seq = 5 WHERE name = 'volumes'"),
    says: /bad kept numbers \| volumes \| .*kept as 5, and there is 400.*UPDATE sqlite_sequence SET seq = 400/,
    start: 'serves',
  },
  {
    name: 'a counter at its end',
    make: ({ file }) => edit(file, "UPDATE sqlite_sequence SET seq = 9007199254740991 WHERE name = 'volumes'"),
    says: /bad kept numbers \| volumes \| .*no id is left \| .*UPDATE sqlite_sequence SET seq = 400/,
    start: 'serves',
  },
  {
    name: 'a schema of a later version',
    make: () => undefined,
    later: true,
    says: /bad schema \| volumes\.colour \| .*newer version.*Start the version that made it/,
    start: /colour/,
  },
  {
    name: 'a schema of an earlier version',
    make: ({ file }) => edit(file, meta('model', '{"tables":[]}')),
    says: /bad schema .*does not remember.*restore a backup/,
    start: /tables that it does not remember.*racks/,
  },
  {
    name: 'notes about itself that are damaged',
    make: ({ file }) => edit(file, meta('model', '{"tables":[{')),
    says: /bad schema .*damaged; bindery doctor --deep/,
    start: /bindery_meta\) is damaged/,
  },
  {
    name: 'a secret that is gone',
    make: ({ dir }) => rmSync(join(dir, 'jwt-secret')),
    says: /warn secret .*gone.*Put the file back/,
    start: 'serves',
  },
  {
    name: 'a secret that others guess',
    make: ({ dir }) => writeFileSync(join(dir, 'jwt-secret'), `${'a'.repeat(48)}\n`),
    says: /bad secret .*guess.*secrets rotate/,
    start: 'serves',
  },
  {
    name: 'a row of the change log that is gone',
    make: ({ file }) =>
      edit(file, 'DELETE FROM bindery_changes WHERE sequence = (SELECT max(sequence) - 1 FROM bindery_changes)'),
    says: /bad change log .*1 row is missing.*Restart every server/,
    start: 'serves',
  },
  {
    name: 'the newest row of the change log that is gone',
    make: ({ file }) =>
      edit(file, 'DELETE FROM bindery_changes WHERE sequence = (SELECT max(sequence) FROM bindery_changes)'),
    says: /bad change log .*something else deleted its newest rows.*let nothing else write to it/,
    start: 'serves',
  },
  {
    name: 'the newest rows of the change log that are gone',
    make: ({ file }) => edit(file, 'DELETE FROM bindery_changes WHERE sequence > 3'),
    says: /bad change log .*something else deleted its newest rows/,
    start: 'serves',
  },
  {
    name: 'a change log that somebody emptied',
    make: ({ file }) => edit(file, 'DELETE FROM bindery_changes'),
    says: /bad change log .*something else deleted its newest rows/,
    start: 'serves',
  },
  {
    name: 'a row that something else wrote after the log',
    make: ({ file }) => edit(file, "UPDATE racks SET version = 5 WHERE name = 'moved'"),
    says: /bad change log .*rack .*the log ends with version 2, and the row has version 5.*Something wrote past Bindery/,
    start: 'serves',
  },
  {
    name: 'a row that is not what the log says',
    make: ({ file }) => edit(file, "UPDATE racks SET version = 1 WHERE name = 'moved'"),
    says: /bad change log .*rack .*the log has version 2, the row version 1.*Restart/,
    start: 'serves',
  },
  {
    name: 'a reference that leads nowhere',
    make: ({ file }) => edit(file, "DELETE FROM racks WHERE name = 'first'"),
    says: /bad references \| volumes\.rack_id \| 200 rows refer.*DELETE FROM "volumes"/,
    start: 'serves',
  },
  {
    name: 'a copy that was interrupted',
    make: ({ file }) => edit(file, meta('copy', '{"from":"sqlite:/old.db","begunAt":"2026-01-01T00:00:00.000Z"}')),
    says: /bad unfinished copy .*sqlite:\/old\.db.*run the same copy again/,
    start: /going on or was interrupted/,
  },
  {
    name: 'a variable that is nearly ours',
    make: () => undefined,
    env: () => ({ RATELIMIT: '5/1m' }),
    says: /warn configuration \| RATELIMIT \| .*did you mean RATE_LIMIT/,
    start: 'serves',
  },
  {
    name: 'a backup that is overdue',
    make: ({ file }) => writeMetadata({ path: file }, 'last backup', overdue),
    env: () => ({ BACKUP_SCHEDULE: 'daily', BACKUP_DIR: '/backups' }),
    says: /warn backup \| \/backups\/one \| the last good one is \d+ days old.*BACKUP_SCHEDULE is daily/,
    start: 'serves',
  },
  {
    name: 'a folder for backups that cannot be made',
    make: ({ dir }) => writeFileSync(join(dir, 'backups'), 'a file'),
    env: ({ dir }) => ({ BACKUP_SCHEDULE: 'daily', BACKUP_DIR: join(dir, 'backups') }),
    says: /bad backup .*backups cannot go there.*Correct BACKUP_DIR/,
    start: 'serves',
  },
  {
    name: 'a dead PostgreSQL',
    make: () => undefined,
    env: () => ({ DATABASE_URL: 'postgres://bindery:hidden@127.0.0.1:9/bindery' }),
    says: /bad connection \| postgres:\/\/127\.0\.0\.1:9\/bindery \| cannot be reached.*pg_isready/,
    start: 'serves',
  },
]
