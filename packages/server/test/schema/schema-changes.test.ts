/**
 * Schema changes with data in place, on both databases. A possible change keeps every record with
 * its version. An impossible one is refused with the records that prevent it, and changes nothing.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runSql } from 'bindery-server/test'
import { StartError } from '../../src/errors.ts'
import { id, integer, money, reference, text, textList } from '../../src/index.ts'
import { migrateStorage, parseDatabase, planStorage, rehearseMigration } from '../../src/storage/open.ts'
import { idOf, searching, tester } from '../storage/library.ts'
import { catalogOf, type SchemaChange, storedOf, thing } from './changes.ts'
import { fill, kinds, makePlace, open, type Place, recordAfter, recordBefore, recordsOf } from './places.ts'
import { refusedChanges } from './refused-changes.ts'
import { schemaChanges } from './type-changes.ts'

const count = 12

async function assertDone(place: Place, change: SchemaChange): Promise<void> {
  const { name = 'thing' } = change
  const catalog = catalogOf(change.after)
  const storage = await open(place, catalog)
  const found = await Array.fromAsync(recordsOf(storage, catalog, name))
  assert.deepEqual(
    found,
    Array.from({ length: count }, (_, i) => recordAfter(change, i + 1)),
  )
  const resource = catalog.get(name)
  if (resource.list.search.length > 0) assert.equal(await storage.count(resource, searching('thing', '7')), 1)
  await storage.transaction(tester, async (transaction) => {
    const { version: _, ...last } = recordAfter(change, count + 1)
    await transaction.insert(resource, last)
    const one = await transaction.lock(resource, { kind: 'compare', field: 'id', operator: 'eq', value: idOf(1) })
    if (one) await transaction.update(resource, one.row, { size: one.row.size })
    assert.equal(one?.row.version, 1)
  })
  await storage.close()
}

for (const kind of kinds) {
  describe(`schema changes on ${kind}`, () => {
    for (const change of schemaChanges) {
      test(`${change.what}: done, and nothing is lost`, async (t) => {
        const place = await makePlace(kind)
        t.after(place.remove)
        await fill(place, change, catalogOf(change.before), count)
        const catalog = catalogOf(change.after)
        const losses = { folder: place.folder, stamp: 'now' }
        const options = { losses, allowed: change.allowed ?? [] }
        const planned = await planStorage(place.database, catalog, options)
        const taken = await migrateStorage(place.database, catalog, options)
        assert.deepEqual(taken, planned.steps)
        assert.deepEqual(await migrateStorage(place.database, catalog), [], 'nothing is left to do')
        await assertDone(place, change)
        const lost = readdirSync(place.folder).filter((name) => name.startsWith('lost-'))
        assert.equal(lost.length, change.allowed ? 1 : 0)
        if (lost[0])
          assert.deepEqual(
            readFileSync(join(place.folder, lost[0]), 'utf8')
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line)),
            Array.from({ length: count / 2 }, (_, i) => ({ id: idOf(2 * i + 2), note: `Note ${2 * i + 2}` })),
          )
      })
    }

    test('a match that is new: records that break it are counted and told once, and stay', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const change = { stored: (n: number) => ({ ...storedOf(n), note: n % 4 === 0 ? null : n === 7 ? 'b' : 'a' }) }
      const fields = { id: id(), name: text({ required: true }), note: text(), size: integer() }
      await fill(place, change, catalogOf([thing({ ...fields, nextId: reference('thing') })]), count)
      await place.forget("UPDATE things SET next_id = (SELECT id FROM things WHERE note = 'b')")
      const catalog = catalogOf([thing({ ...fields, nextId: reference('thing', { match: 'note' }) })])
      const { notes } = await planStorage(place.database, catalog)
      assert.equal(notes.length, 1)
      assert.match(
        notes[0] as string,
        /field "nextId": things.next_id names from now on only records of things with the same note\. Others are named by: 8 records \(/,
      )
      const told: string[] = []
      await migrateStorage(place.database, catalog, { report: (line: string) => void told.push(line) })
      assert.deepEqual(told, notes)
      assert.deepEqual((await planStorage(place.database, catalog)).notes, [], 'remembered')
    })

    test('limits that are narrower: counted and told once, and every record stays as it is', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const tags = (maxLength: number) => textList({ maxLength })
      const change = {
        stored: (n: number) => ({ ...storedOf(n), cost: n * 100, tags: ['x'.repeat(n)], mail: n === 5 ? '5' : null }),
      }
      const plain = { name: text({ required: true }), note: text() }
      const wide = { id: id(), ...plain, size: integer(), cost: money({ max: 50 }), tags: tags(20), mail: text() }
      await fill(place, change, catalogOf([thing(wide)]), count)
      const narrow = {
        id: id(),
        name: text({ required: true, maxLength: 7 }),
        note: text({ maxLength: 100 }),
        size: integer({ min: 3 }),
        cost: money({ max: 9.5 }),
        tags: tags(11),
        email: text({ renamedFrom: 'mail', format: 'email' }),
      }
      const catalog = catalogOf([thing(narrow)])
      const planned = await planStorage(place.database, catalog)
      const beyond = planned.notes.map((note) =>
        /things\.(\w+) (has .*?)\. Beyond them: (\d+) records? \((.*)\); they stay/.exec(note)?.slice(1),
      )
      assert.deepEqual(beyond, [
        ['name', 'has maxLength 7 from now on, and had no limits of its own', '3', [10, 11, 12].map(idOf).join(', ')],
        ['size', 'has min 3 from now on, and had no limits of its own', '2', [1, 2].map(idOf).join(', ')],
        ['cost', 'has max 9.5 from now on, and had max 50', '3', [10, 11, 12].map(idOf).join(', ')],
        ['tags', 'has maxLength 11 from now on, and had maxLength 20', '1', idOf(12)],
        ['email', 'has format email from now on, and had no limits of its own', '1', idOf(5)],
      ])
      const told: string[] = []
      const report = (line: string) => void told.push(line)
      await migrateStorage(place.database, catalog, { report })
      assert.deepEqual(told, planned.notes)
      assert.deepEqual((await planStorage(place.database, catalog)).notes, [], 'remembered')
      assert.deepEqual(
        (
          await planStorage(
            place.database,
            catalogOf([thing({ ...narrow, size: integer({ min: 1 }), cost: money({ max: 90 }) })]),
          )
        ).notes,
        [],
        'wider',
      )
      const storage = await open(place, catalog)
      const found = (await Array.fromAsync(recordsOf(storage, catalog, 'thing'))) as Record<string, unknown>[]
      assert.deepEqual(
        found.map(({ cost, email }) => [cost, email]),
        Array.from({ length: count }, (_, i) => [(i + 1) * 100, i === 4 ? '5' : null]),
      )
      await storage.close()
    })

    test('a database of an earlier version means what is declared at its first start, and remembers it', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const catalog = catalogOf([thing()])
      await fill(place, {}, catalog, count)
      await place.forget("DELETE FROM bindery_meta WHERE name = 'meanings'")
      assert.deepEqual(await migrateStorage(place.database, catalog), [])
      const priced = catalogOf([
        thing({ id: id(), name: text({ required: true }), note: text(), size: money({ default: 0 }) }),
      ])
      await assert.rejects(migrateStorage(place.database, priced), /things\.size changes from integer to money/)
    })

    for (const change of refusedChanges) {
      test(`${change.what}: refused, and nothing has changed`, async (t) => {
        const place = await makePlace(kind)
        t.after(place.remove)
        const first = catalogOf(change.before)
        await fill(place, change, first, count)
        const catalog = catalogOf(change.after)
        const isRefusal = (error: unknown) => {
          assert.ok(error instanceof StartError, String(error))
          assert.match(error.message, change.message)
          return true
        }
        await assert.rejects(open(place, catalog), isRefusal)
        await assert.rejects(migrateStorage(place.database, catalog, { dryRun: true }), isRefusal)
        await assert.rejects(rehearseMigration(place.database, catalog), isRefusal)
        assert.deepEqual(await migrateStorage(place.database, first), [])
        const storage = await open(place, first)
        assert.deepEqual(
          await Array.fromAsync(recordsOf(storage, first, 'thing')),
          Array.from({ length: count }, (_, i) => ({ ...recordBefore(change, i + 1), version: 1 })),
        )
        await storage.close()
      })
    }
  })
}

test('a rehearsal reads a schema of any name', { skip: !kinds.includes('postgres') }, async (t) => {
  const place = await makePlace('postgres')
  t.after(place.remove)
  const change = schemaChanges.find(({ what }) => what === 'a reference has another name')
  assert.ok(change)
  for (const name of ['a+b', 'shop.v2(old)', 'Größe $& "x"', "it's"]) {
    const quoted = `"${name.replaceAll('"', '""')}"`
    await runSql(place.env.DATABASE_URL as string, `CREATE SCHEMA ${quoted}`)
    const url = new URL(place.env.DATABASE_URL as string)
    const path = quoted.replace(/[\\ ]/g, (character) => `\\${character}`)
    url.search = `options=${encodeURIComponent(`-c search_path=${path}`)}`
    const inside = { ...place, database: parseDatabase({ ...place.env, DATABASE_URL: url.href }, place.folder) }
    await fill(inside, change, catalogOf(change.before), count)
    const { steps } = await rehearseMigration(inside.database, catalogOf(change.after))
    assert.ok(steps.length > 0, name)
    await assert.doesNotReject(assertDone(inside, change), name)
  }
})
