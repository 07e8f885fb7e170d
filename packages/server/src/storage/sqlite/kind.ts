/** SQLite, as the engine knows it: a file, served by the processes of one machine. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../errors.ts'
import type { DatabaseKind } from '../database-kind.ts'
import { stepsTo } from '../model/migration.ts'
import { modelOf } from '../model/model.ts'
import { isSameFile, makeFolder, parseSqlite, type SqliteSetup } from './setup.ts'

export const sqliteDatabase: DatabaseKind<SqliteSetup> = {
  form: 'sqlite:PATH',
  example: 'sqlite:data/bindery.db',
  otherwise: 'sqlite:$DATA_DIR/bindery.db',
  variables: [],
  isShared: false,
  secretAt: 'in jwt-secret of its DATA_DIR',
  parse: (address, { dataDir }) => parseSqlite(address, dataDir),
  describe: ({ path }) => `sqlite:${path}`,
  isSame: (a, b) => isSameFile(a.path, b.path),

  async open({ path }, catalog, options) {
    const { openSqlite } = await import('./store.ts')
    makeFolder(dirname(path))
    return openSqlite(path, catalog, options)
  },
  async migrate({ path }, catalog, { dryRun }) {
    if (dryRun && !existsSync(path)) return stepsTo(undefined, modelOf(catalog))
    const { migrateSqlite } = await import('./store.ts')
    makeFolder(dirname(path))
    return migrateSqlite(path, catalog, { dryRun })
  },
  async keepSecret({ dataDir }, drawn) {
    const { keepInFile } = await import('./secret-file.ts')
    return keepInFile(dataDir, drawn)
  },
  async copyFrom({ path }, catalog, work) {
    if (!existsSync(path)) throw new StartError(`There is no database ${path}`)
    const { fromSqlite } = await import('./copy-end.ts')
    return fromSqlite(path, catalog, work)
  },
  async copyInto({ path }, { catalog, mark }, work) {
    const { intoSqlite } = await import('./copy-end.ts')
    makeFolder(dirname(path))
    return intoSqlite({ path, mark }, catalog, work)
  },
}
