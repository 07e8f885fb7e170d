/**
 * Migrations that are killed at random moments: the data stay complete, and the next start
 * finishes. `npm test` does a few kinds on small tables. `npm run test:schema` does all kinds with
 * 100,000 records, each killed ten times. A migration that finished before its kill is repeated on
 * the original records and killed earlier.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { jsonText } from '../../src/base/json-text.ts'
import { migrateStorage, rehearseMigration } from '../../src/storage/open.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { catalogOf, type SchemaChange } from './changes.ts'
import { killedChanges } from './killed-changes.ts'
import { fill, fillMore, kinds, makePlace, open, type Place, recordAfter, recordsOf } from './places.ts'

const rows = Number(process.env.SCHEMA_ROWS ?? 2_000)
const kills = Number(process.env.SCHEMA_KILLS ?? 2)
const seed = Number(process.env.SCHEMA_SEED ?? 20261122)
/** The changes to kill, by an expression of their names: '' for all. */
const only = process.env.SCHEMA_ONLY ?? (process.env.SCHEMA_ROWS === undefined ? undefined : '')
const few = [
  'a new required field made from each row, searched and unique',
  'an integer becomes money, sorted by',
  'a reference becomes links, with a trash on both sides',
  'trash and history are switched off',
]
const program = fileURLToPath(new URL('./migrate-once.ts', import.meta.url))

/**
 * Returns how many milliseconds it took when it came to its end; `undefined` when it was killed.
 */
async function migrateAndKill({ env }: Place, at: number, afterMs: number): Promise<number | undefined> {
  const child = spawn(process.execPath, [program, String(at)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), ended])
  const begunMs = performance.now()
  await Promise.race([sleep(afterMs), ended])
  child.kill('SIGKILL')
  const [code] = (await ended) as [number | null]
  assert.ok(code === null || code === 0, said)
  return code === null ? undefined : performance.now() - begunMs
}

async function assertWhole(place: Place, change: SchemaChange): Promise<void> {
  const catalog = catalogOf(change.after)
  const storage = await open(place, catalog)
  let n = 0
  for await (const record of recordsOf(storage, catalog, change.name ?? 'thing')) {
    n += 1
    assert.deepEqual(record, recordAfter(change, n))
  }
  assert.equal(n, rows)
  await storage.close()
}

/** The number of records of every table, and a checksum of all their values. */
async function sumsOf(place: Place, change: SchemaChange): Promise<Readonly<Record<string, string>>> {
  const catalog = catalogOf(change.after)
  const storage = await open(place, catalog)
  const sums: Record<string, string> = {}
  for (const { name } of catalog.resources.values()) {
    const sum = createHash('sha256')
    let count = 0
    for await (const record of recordsOf(storage, catalog, name)) {
      count += 1
      sum.update(`${jsonText(record)}\n`)
    }
    sums[name] = `${count} ${sum.digest('hex')}`
  }
  await storage.close()
  return sums
}

for (const kind of kinds) {
  describe(`${kills} kills in a migration of ${rows} records on ${kind}`, () => {
    for (const [at, change] of killedChanges.entries()) {
      if (only === undefined ? !few.includes(change.what) : !new RegExp(only).test(change.what)) continue
      test(change.what, async (t) => {
        const random = makeRandom(seed + at)
        const place = await makePlace(kind)
        t.after(place.remove)
        await fillMore(place, change.ahead, { catalog: catalogOf(change.before), count: rows })
        await fill(place, change, catalogOf(change.before), rows)
        await fillMore(place, change.behind, { catalog: catalogOf(change.before), count: rows })
        const catalog = catalogOf(change.after)
        const options = { allowed: change.allowed ?? [], losses: { folder: place.folder, stamp: 'last' } }
        const { ms } = await rehearseMigration(place.database, catalog, options)
        await place.save()
        await migrateStorage(place.database, catalog, options)
        const whole = await sumsOf(place, change)
        await place.bringBack()
        let killed = 0
        let lastsMs = ms
        for (let tries = 0; killed < kills && tries < 4 * kills; tries += 1) {
          const tookMs = await migrateAndKill(place, at, random() * lastsMs)
          if (tookMs === undefined) killed += 1
          else {
            await assertWhole(place, change)
            await place.bringBack()
            lastsMs = Math.min(lastsMs, tookMs)
          }
        }
        await migrateStorage(place.database, catalog, options)
        await assertWhole(place, change)
        assert.deepEqual(await sumsOf(place, change), whole)
        t.diagnostic(`${killed} kills before its end, which comes after ${Math.round(lastsMs)} ms`)
      })
    }
  })
}
