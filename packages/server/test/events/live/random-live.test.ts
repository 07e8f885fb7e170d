/**
 * Random rules, live readers and writes. Readers are cut off at random and connect again, on
 * PostgreSQL also to the other of two instances. At last each has exactly the list that it may see.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  onPostgres,
  sharedCluster,
  type TestService,
} from 'bindery-server/test'
import { shortOr } from '../../helpers/long.ts'
import { until } from '../../helpers/until.ts'
import { numbersFrom, type RandomWorld, startRandomWorld } from '../random-world.ts'
import type { ReaderOptions } from '../reader.ts'
import { type LiveClient, makeLiveClient } from './live-client.ts'

const worlds = Number(process.env.LIVE_WORLDS ?? shortOr(1, 10))
const firstSeed = Number(process.env.LIVE_SEED ?? 500)
const readersOfWorld = 12
const writesOfWorld = 120

type RandomReader = { readonly client: LiveClient; readonly asked: ReaderOptions }

function readerOf(world: RandomWorld): RandomReader {
  const asked = world.asked()
  const { token, key, headers = {} } = asked.as
  const credential: Record<string, string> =
    key === undefined ? { authorization: `Bearer ${token}` } : { 'x-api-key': String(key) }
  const filter = asked.filter ? `${asked.filter}&` : ''
  const client = makeLiveClient({
    url: world.service.url,
    path: `/${asked.resource}?${filter}_live`,
    headers: { ...credential, ...(headers as Record<string, string>) },
  })
  return { client, asked }
}

async function listOf({ ask, as, resource, filter = '', names }: ReaderOptions): Promise<string | undefined> {
  const rows = new Map<string, unknown>()
  for (let page = 1; ; page += 1) {
    const { status, body, text } = await ask('GET', `/api/v1/${resource}?limit=100&page=${page}&${filter}`, as)
    // The caller may have left the tenant that it names; then its stream has ended.
    if (status === 404) return undefined
    assert.equal(status, 200, text)
    for (const row of body.data) {
      const shown = names.filter((name) => name in row).map((name) => [name, row[name]])
      rows.set(row.id, Object.fromEntries(shown))
    }
    if (body.data.length < 100) return JSON.stringify([...rows].sort())
  }
}

const tableOf = ({ table }: LiveClient) => JSON.stringify([...table].sort())

async function checkReader({ client, asked }: RandomReader, words: string): Promise<void> {
  const list = await listOf(asked)
  if (list === undefined) return
  const failed = () => client.events.filter(({ event }) => event === 'failed')
  await until(
    () => failed().length > 0 || tableOf(client) === list,
    () => `${words} ${asked.filter}: ${tableOf(client)} is not ${list}, ${JSON.stringify(client.events.slice(-3))}`,
  )
  assert.deepEqual(failed(), [], words)
}

async function runWorld(seed: number, env: Record<string, string>): Promise<{ events: number; lost: number }> {
  const world = await startRandomWorld(seed, env)
  const others: TestService[] = env.DATABASE_URL ? [await world.again()] : []
  const draw = numbersFrom(seed + 7)
  const urls = [world.service, ...others].map(({ url }) => url)
  const anyUrl = () => urls[draw(urls.length)] as string
  const readers: RandomReader[] = []
  try {
    for (let tries = 0; readers.length < readersOfWorld && tries < 100; tries += 1) {
      const reader = readerOf(world)
      if (
        await reader.client.connect(anyUrl()).then(
          () => true,
          () => false,
        )
      )
        readers.push(reader)
    }
    for (let done = 0; done < writesOfWorld; ) {
      const atOnce = 1 + draw(4)
      const cut = readers.filter(() => draw(8) === 0)
      const moving = cut.map(async ({ client }) => {
        await client.cut()
        await client.connect(anyUrl()).catch(() => undefined)
      })
      await Promise.all([...Array.from({ length: atOnce }, () => world.write()), ...moving])
      done += atOnce
    }
    for (const reader of readers) await reader.client.cut()
    for (const reader of readers) await reader.client.connect(anyUrl()).catch(() => undefined)
    for (const [i, reader] of readers.entries()) await checkReader(reader, `seed ${seed}, reader ${i}`)
    const sum = (of: (client: LiveClient) => number) => readers.reduce((all, { client }) => all + of(client), 0)
    return { events: sum((one) => one.events.length), lost: sum((one) => one.losses().length) }
  } finally {
    for (const { client } of readers) await client.cut()
    for (const one of others) await one.stop()
    await world.service.stop()
  }
}

describe('Live readers, by random rules, readers and writes', () => {
  for (let i = 0; i < worlds; i += 1)
    it(`have the list that they may see, seed ${firstSeed + i}`, async () => {
      const name = `live_${randomBytes(6).toString('hex')}`
      const url = onPostgres ? await makePostgresDatabase(sharedCluster(), name) : undefined
      try {
        const { events, lost } = await runWorld(firstSeed + i, url === undefined ? {} : { DATABASE_URL: url })
        assert.ok(events > 50, `${events} events`)
        if (process.env.LIVE_WORLDS) console.log(`seed ${firstSeed + i}: ${events} events, ${lost} times lost`)
      } finally {
        if (url !== undefined) await dropPostgresDatabase(sharedCluster(), name)
      }
    })
})
