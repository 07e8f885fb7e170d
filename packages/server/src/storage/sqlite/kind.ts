/** SQLite as a database kind of the engine: one file, served by the processes of one machine. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { placeFile } from '../../base/disk/durable-file.ts'
import type { DatabaseKind } from '../database-kind.ts'
import { withSql } from '../migrate/migrate-options.ts'
import { planSchema } from '../migrate/plan-schema.ts'
import { tightenModes } from './file/file-modes.ts'
import { identityOf } from './file/served-file.ts'
import { isSameFile, parseSqlite, prepareFolder, type SqliteSetup } from './file/setup.ts'

export const sqliteDatabase: DatabaseKind<SqliteSetup> = {
  name: 'sqlite',
  form: 'sqlite:PATH',
  example: 'sqlite:data/bindery.db',
  otherwise: 'sqlite:$DATA_DIR/bindery.db',
  variables: [],
  isShared: false,
  secretAt: 'in jwt-secret of its DATA_DIR',
  parse(address, { env, dataDir }) {
    const setup = parseSqlite(address, dataDir)
    return setup && env.WAL_COPY ? { ...setup, copied: true } : setup
  },
  describe: ({ path }) => `sqlite:${path}`,
  isSame: (a, b) => isSameFile(a.path, b.path),

  async open(setup, catalog, options) {
    const { openSqlite } = await import('./store.ts')
    const { mayMake } = await import('./file/database-traces.ts')
    const { making, traces: others, report = () => undefined } = options
    if (making !== undefined) prepareFolder(setup)
    const make = mayMake(setup, { making, others, report })
    tightenModes(setup, report)
    return openSqlite(setup.path, catalog, { ...options, make, checkpoints: !setup.copied })
  },
  async plan(setup, catalog, options) {
    if (!existsSync(setup.path)) {
      const { statementsOf } = await import('./migrate/ddl.ts')
      const plan = planSchema(undefined, catalog, { beside: false, allowed: new Set() })
      return { ...withSql(plan, undefined, statementsOf), notes: [], broken: [] }
    }
    const { planSqlite } = await import('./store.ts')
    return planSqlite(setup.path, catalog, options)
  },
  async migrate(setup, catalog, options) {
    const { migrateSqlite } = await import('./store.ts')
    prepareFolder(setup)
    return migrateSqlite(setup.path, catalog, { ...options, checkpoints: !setup.copied })
  },
  joined: (setup) => ({ ...setup, joined: identityOf(setup.path) }),
  async rehearse({ path, dataDir }, work) {
    const { withCopy } = await import('./file/rehearsal.ts')
    return withCopy(path, (copy) => work({ path: copy, dataDir }))
  },
  async keepSecret({ dataDir }, drawn, name) {
    const { keepInFile, secretFileIn } = await import('./file/secret-file.ts')
    return keepInFile(secretFileIn(dataDir, name), drawn)
  },
  async replaceSecret({ dataDir }, text) {
    const { replaceInFile, secretFileIn } = await import('./file/secret-file.ts')
    replaceInFile(secretFileIn(dataDir, 'jwt secret'), text)
  },
  async inspect(findings, setup, options) {
    const { inspectSqlite } = await import('./inspect/inspect.ts')
    return inspectSqlite(findings, setup, options)
  },
  async findSecret({ dataDir }, name) {
    const { findInFile, secretFileIn } = await import('./file/secret-file.ts')
    return findInFile(secretFileIn(dataDir, name))
  },
  async findNote(setup, name) {
    if (!existsSync(setup.path)) return undefined
    const { findMetadata } = await import('./write/file-metadata.ts')
    return findMetadata(setup, name)
  },
  async keepNote(setup, name, value) {
    const { writeMetadata } = await import('./write/file-metadata.ts')
    await writeMetadata(setup, name, value)
  },
  async isDamaged({ path }) {
    if (!existsSync(path)) return false
    const { logMatchOf } = await import('./file/log-match.ts')
    const { isDamaged } = await import('./file/page-check.ts')
    // If the file and the log do not belong together, the operator has to choose one
    return typeof logMatchOf(path) === 'string' && isDamaged(path)
  },
  async rescue({ path, dataDir }, catalog, options) {
    const { rescueFile } = await import('./rescue/rescue-file.ts')
    return { path: await rescueFile(path, catalog, options), dataDir }
  },
  async occupation({ path }) {
    const there = [path, `${path}-wal`].find((file) => existsSync(file))
    return there && `There is a file ${there} already`
  },
  ownBackup: {
    content: 'database.db',
    async capture(setup, capturing) {
      const { captureFile } = await import('./file/page-copy.ts')
      return captureFile(setup, capturing)
    },
    async check(file, tables) {
      const { checkCopy } = await import('./file/page-copy.ts')
      return checkCopy(file, tables)
    },
    async count(file) {
      const { countCopy } = await import('./file/page-copy.ts')
      return countCopy(file)
    },
    async *keptFiles(file) {
      const { keptFilesIn } = await import('./file/page-copy.ts')
      yield* keptFilesIn(file)
    },
    workFolder(setup) {
      prepareFolder(setup)
      return dirname(setup.path)
    },
    async putBack({ path }, file) {
      const { forgetEpoch } = await import('./write/file-metadata.ts')
      forgetEpoch(file)
      placeFile(file, path)
    },
    opened: (file) => ({ path: file, dataDir: dirname(file) }),
  },
  ownLog: {
    async follow(setup, keeper, warn) {
      const { followLog } = await import('./log/wal-follower.ts')
      return followLog(setup, keeper, { warn })
    },
    async copied({ path }) {
      const { readCopied } = await import('./log/wal-follower.ts')
      return readCopied(path)
    },
    async apply(file, segments) {
      const { applyFrames } = await import('./log/apply-frames.ts')
      return applyFrames(file, segments)
    },
  },
  async copyFrom({ path }, catalog, work) {
    const { fromSqlite } = await import('./copy-endpoint.ts')
    return fromSqlite(path, catalog, work)
  },
  async copyInto(setup, copy, work) {
    const { intoSqlite } = await import('./copy-endpoint.ts')
    prepareFolder(setup)
    return intoSqlite(setup.path, copy, work)
  },
}
