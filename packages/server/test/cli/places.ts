/**
 * Source and target databases for tests of copies: records of every type that the library can
 * store, and slow writes.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { TOTP } from 'otpauth'
import { readConfig } from '../../src/config.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import { openStorage } from '../../src/storage/open.ts'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  password,
  resources,
  runSql,
  sharedCluster,
  type TestService,
} from '../helpers/application.ts'
import { until } from '../helpers/until.ts'
import type { Bindery, Ran } from './bindery.ts'

export type Kind = 'sqlite' | 'postgres'
/** An empty database: its address, and a way to run SQL on it directly. */
export type Place = { readonly url: string; query(sql: string): Promise<Record<string, unknown>[]> }

export async function makePlace(t: TestContext, bindery: Bindery, kind: Kind): Promise<Place> {
  const name = `copy_${randomBytes(6).toString('hex')}`
  if (kind === 'postgres') {
    const url = await makePostgresDatabase(sharedCluster(), name)
    t.after(() => dropPostgresDatabase(sharedCluster(), name))
    return { url, query: (sql) => runSql(url, sql) }
  }
  const path = bindery.path(`${name}.db`)
  return {
    url: `sqlite:${path}`,
    async query(sql) {
      const database = new DatabaseSync(path)
      try {
        return database.prepare(sql).all() as Record<string, unknown>[]
      } finally {
        database.close()
      }
    },
  }
}

export const catalog = makeCatalog(resources)

export const on = (url: string) => ({ env: { DATABASE_URL: url } })
/** All records of all resources and all work that waits, as the engine reads them. */
export async function stored(url: string, of = catalog): Promise<Record<string, unknown>> {
  const storage = await openStorage(readConfig({ DATABASE_URL: url }).database, of, { heldMs: 0, making: 'empty' })
  try {
    const all = [...of.resources.values()].map(async (resource) => {
      const sort = [{ field: resource.idField, descending: false }]
      return [resource.name, await storage.list(resource, { where: always, sort, limit: 1000 })]
    })
    const effects = await storage.effects.list({ limit: 1000, nowMs: 0 })
    return { ...Object.fromEntries(await Promise.all(all)), effects }
  } finally {
    await storage.close()
  }
}

/** Creates records of every kind, and a last shelf that it deletes again. */
export async function fill({
  ask,
  admin,
  person,
  key,
}: TestService): Promise<{ refreshToken: string; lastShelf: number }> {
  const { token } = await admin()
  const ann = await person('EDITOR')
  await key(ann)
  const post = async (path: string, body: unknown, as = ann.token) => {
    const reply = await ask('POST', path, { body, token: as })
    assert.ok(reply.status < 300, `${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }
  const { id } = await post('/api/v1/editions', { title: 'Straße "Ω" 🧵', price: 12.34, subject: 'A' }, token)
  for (let i = 0; i < 130; i += 1) await post('/api/v1/editions', { title: `Part ${i}`, price: i }, token)
  await post(`/api/v1/editions/${id}/opinions`, { stars: 4, body: 'line\nbreak' })
  await post('/api/v1/articles', { title: 'One', tags: ['a', 'b"c'], published: true })
  await post('/api/v1/letters', { recipientId: ann.id, text: 'Hi' }, token)
  await post(`/api/v1/members/${ann.id}/basket/lines`, { editionId: id, count: 2 })
  await post(`/api/v1/members/${ann.id}/basket/borrow`, {})
  await post(`/api/v1/members/${ann.id}/basket/lines`, { editionId: id, count: 1 })
  await ask('PATCH', `/api/v1/editions/${id}`, { body: { price: 9 }, token })
  const bea = await person()
  const enrolment = { type: 'totp', currentPassword: password }
  const { ticket, secret } = await post('/api/v1/proofs', enrolment, bea.token)
  const code = new TOTP({ secret }).generate()
  await post('/api/v1/proofs/finish', { ticket, code }, bea.token)
  const made = [await post('/shelves', { label: 'A', room: 'B' }), await post('/shelves', { label: 'C', room: 'D' })]
  const lastShelf = made.at(-1).id as number
  assert.equal((await ask('DELETE', `/shelves/${lastShelf}`, { token })).status, 204)
  return { refreshToken: ann.refreshToken, lastShelf }
}

/** A database as after `migrate`, in which inserting an edition is slow. */
export async function makeSlow(
  t: TestContext,
  bindery: Bindery,
  kind: Kind,
): Promise<Place & { mend(): Promise<unknown> }> {
  const place = await makePlace(t, bindery, kind)
  assert.equal((await bindery.run(['migrate'], on(place.url))).code, 0)
  if (kind === 'sqlite') {
    const wait =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT count(*) FROM n'
    await place.query(`CREATE TRIGGER slow AFTER INSERT ON editions BEGIN SELECT (${wait}); END`)
    return { ...place, mend: () => place.query('DROP TRIGGER slow') }
  }
  const body = 'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END'
  await place.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`)
  await place.query('CREATE TRIGGER slow BEFORE INSERT ON editions FOR EACH ROW EXECUTE FUNCTION slow()')
  return { ...place, mend: () => place.query('DROP TRIGGER slow ON editions') }
}

export async function makeSource(bindery: Bindery, count = 400): Promise<string> {
  const lines = Array.from({ length: count }, (_, i) => `{"title":"Part ${i}","price":1}\n`).join('')
  const { code, stderr } = await bindery.run(['import', 'editions'], { input: lines })
  assert.equal(code, 0, stderr)
  return `sqlite:${bindery.path('bindery.db')}`
}

/**
 * Starts a command that copies everything into a slow place, and resolves when it is in the middle
 * of the editions.
 */
export async function startCopying(
  bindery: Bindery,
  args: readonly string[],
  to: Place,
): Promise<{ child: ChildProcess; ended: Promise<Ran> }> {
  const child = await bindery.start(args, on(to.url))
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  const outputs = Promise.all([child.stdout, child.stderr].map((one) => text(one as NodeJS.ReadableStream)))
  const ended = outputs.then(async ([stdout = '', stderr = '']) => ({ code: await code, stdout, stderr }))
  const hasBegun = async () => (await to.query("SELECT 1 FROM bindery_meta WHERE name = 'copy'")).length > 0
  await until(hasBegun, 'the copy begins')
  await sleep(100)
  assert.equal(child.exitCode, null, 'the copy has ended too early for this test')
  return { child, ended }
}

export async function assertUnfinished(bindery: Bindery, from: string, { url, query }: Place): Promise<void> {
  assert.deepEqual(await query('SELECT 1 FROM editions'), [])
  for (const args of [['serve'], ['migrate', '--dry-run'], ['user', 'list']]) {
    const { code, stdout, stderr } = await bindery.run(args, { env: { DATABASE_URL: url, PORT: '0' } })
    assert.deepEqual([code, stdout], [1, ''])
    assert.ok(stderr.startsWith(`error: This database is the target of a copy from ${from} (begun 20`), stderr)
    assert.equal(stderr.trim().split('\n').length, 1)
  }
}
