/** PostgreSQL as a database kind of the engine: a server that any number of instances share. */
import type { DatabaseKind } from '../database-kind.ts'
import { addressOf, isSameServer, withSchema } from './connect/libpq-address.ts'
import { type PostgresSetup, parsePostgres, postgresForm, postgresVariables } from './connect/setup.ts'
import type { MetaTable } from './meta.ts'

/** The same database for work in this schema. */
function inSchema(setup: PostgresSetup, schema: string): PostgresSetup {
  const { url, reread } = setup
  return { ...setup, url: withSchema(url, schema), ...(reread && { reread: () => withSchema(reread(), schema) }) }
}

/** Runs work on the database's own settings table. */
async function onMeta<T>(setup: PostgresSetup, work: (meta: MetaTable) => Promise<T>): Promise<T> {
  const { onOwnConnection } = await import('./connect/connect.ts')
  const { metaOf } = await import('./meta.ts')
  return onOwnConnection(setup, ({ client }) => work(metaOf(client)))
}

export const postgresDatabase: DatabaseKind<PostgresSetup> = {
  name: 'postgres',
  form: postgresForm,
  example: 'postgres://bindery:secret@db.example:5432/bindery',
  advice: 'A password may stay out of the command line: PGPASSWORD, or ~/.pgpass.',
  variables: postgresVariables,
  isShared: true,
  secretAt: "in its table bindery_meta, as 'jwt secret'",
  parse: (address, { env }) => parsePostgres(address, env),
  describe: ({ url }) => addressOf(url),
  isSame: (a, b) => isSameServer(a.url, b.url),

  async open(setup, catalog, { report, totalsBytesMax, costly, losses, watch, making }) {
    const { openPostgres } = await import('./store.ts')
    const isThere = making === undefined
    return openPostgres({ ...setup, report, totalsBytesMax, costly, losses, watch, isThere }, catalog)
  },
  async plan(setup, catalog, options) {
    const { planPostgres } = await import('./store.ts')
    return planPostgres(setup, catalog, options)
  },
  async migrate(setup, catalog, options) {
    const { migratePostgres } = await import('./store.ts')
    return migratePostgres(setup, catalog, options)
  },
  async rehearse(setup, work) {
    const { withCopy } = await import('./migrate/rehearsal.ts')
    return withCopy(setup, (schema) => work(inSchema(setup, schema)))
  },
  async keepSecret(setup, drawn, name) {
    const { onOwnConnection } = await import('./connect/connect.ts')
    const { keep } = await import('./migrate/apply-migration.ts')
    return onOwnConnection(setup, ({ client }) => keep(client, name, drawn))
  },
  replaceSecret: (setup, text) => onMeta(setup, ({ set }) => set('jwt secret', text)),
  async inspect(findings, setup, options) {
    const { inspectPostgres } = await import('./inspect/inspect.ts')
    return inspectPostgres(findings, setup, options)
  },
  findSecret: (setup, name) => onMeta(setup, ({ get }) => get(name)),
  findNote: (setup, name) => onMeta(setup, ({ get }) => get(name)),
  keepNote: (setup, name, value) => onMeta(setup, ({ set }) => set(name, value)),
  async occupation(setup) {
    const model = await onMeta(setup, ({ get }) => get('model'))
    return model && `${addressOf(setup.url)} holds a database of Bindery already`
  },
  async copyFrom(setup, catalog, work) {
    const { fromPostgres } = await import('./copy-endpoint.ts')
    return fromPostgres(setup, catalog, work)
  },
  async copyInto(setup, copy, work) {
    const { intoPostgres } = await import('./copy-endpoint.ts')
    return intoPostgres(setup, copy, work)
  },
}
