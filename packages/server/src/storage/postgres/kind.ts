/** PostgreSQL, as the engine knows it: a server that any number of instances share. */
import type { DatabaseKind } from '../database-kind.ts'
import { addressOf, isSameServer, type PostgresSetup, parsePostgres, postgresForm, postgresVariables } from './setup.ts'

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

  async open(setup, catalog, { report, totalsBytesMax, costly, losses, watch }) {
    const { openPostgres } = await import('./store.ts')
    return openPostgres({ ...setup, report, totalsBytesMax, costly, losses, watch }, catalog)
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
    const { withCopy } = await import('./rehearsal.ts')
    return withCopy(setup.url, (url) => work({ ...setup, url }))
  },
  async keepSecret({ url }, drawn, name) {
    const { onOwnConnection } = await import('./connect.ts')
    const { keep } = await import('./apply-migration.ts')
    return onOwnConnection(url, ({ client }) => keep(client, name, drawn))
  },
  async replaceSecret({ url }, text) {
    const { onOwnConnection } = await import('./connect.ts')
    const { metaOf } = await import('./meta.ts')
    await onOwnConnection(url, ({ client }) => metaOf(client).set('jwt secret', text))
  },
  async inspect(findings, setup, options) {
    const { inspectPostgres } = await import('./inspect.ts')
    return inspectPostgres(findings, setup, options)
  },
  async findSecret({ url }, name) {
    const { onOwnConnection } = await import('./connect.ts')
    const { metaOf } = await import('./meta.ts')
    return onOwnConnection(url, ({ client }) => metaOf(client).get(name))
  },
  async findNote({ url }, name) {
    const { onOwnConnection } = await import('./connect.ts')
    const { metaOf } = await import('./meta.ts')
    return onOwnConnection(url, ({ client }) => metaOf(client).get(name))
  },
  async keepNote({ url }, name, value) {
    const { onOwnConnection } = await import('./connect.ts')
    const { metaOf } = await import('./meta.ts')
    return onOwnConnection(url, ({ client }) => metaOf(client).set(name, value))
  },
  async occupation({ url }) {
    const { onOwnConnection } = await import('./connect.ts')
    const { metaOf } = await import('./meta.ts')
    const model = await onOwnConnection(url, ({ client }) => metaOf(client).get('model'))
    return model && `${addressOf(url)} holds a database of Bindery already`
  },
  async copyFrom({ url }, catalog, work) {
    const { fromPostgres } = await import('./copy-end.ts')
    return fromPostgres(url, catalog, work)
  },
  async copyInto({ url }, copy, work) {
    const { intoPostgres } = await import('./copy-end.ts')
    return intoPostgres(url, copy, work)
  },
}
