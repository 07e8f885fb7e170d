/**
 * Stored records that break a new check, on both databases. The plan and the start count them once,
 * and they stay.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defineResource, field, id, integer, reference, text, through, timestamp, where } from '../../src/index.ts'
import { storedChecks } from '../../src/record/declared/stored-checks.ts'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import { migrateStorage, planStorage } from '../../src/storage/open.ts'
import { tester } from '../storage/library.ts'
import { kinds, makePlace, open, type Place } from './places.ts'

const settings = { currency: 'USD', signUp: 'open' } as const
const uuid = (n: number) => `01926e0f-0000-7000-8000-${String(n).padStart(12, '0')}`
const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T12:00:00.000Z`

const teams = defineResource({
  name: 'team',
  path: '/teams',
  fields: { id: id(), size: integer() },
  list: { style: 'page' },
  access: {},
})
const fields = {
  id: id(),
  teamId: reference('team'),
  startsAt: timestamp(),
  endsAt: timestamp(),
  title: text(),
}
const events = (checks: object = {}, more: Record<string, ReturnType<typeof text>> = {}) =>
  defineResource({
    name: 'event',
    path: '/events',
    fields: { ...fields, ...more },
    list: { style: 'page' },
    access: {},
    // Each test has other checks, so their names are not known to the compiler.
    checks: checks as never,
  })
const catalogOf = (event = events()) => makeCatalog([teams, event])
const checksOf = (catalog: Catalog) => storedChecks({ catalog, settings, now: day(20) })

const endAfterStart = { require: { endsAt: { gt: field('startsAt') } }, at: 'endsAt', message: 'End before start' }
const titled = { require: (record: { title?: unknown }) => record.title !== 'x', message: 'No x' }
const teamWithPlayers = { require: through('teamId', where({ size: { gt: 0 } })), message: 'An empty team' }
const spoken = { require: { title: { contains: 'Y' } }, message: 'Say y' }
const declared = { endAfterStart, titled, teamWithPlayers, spoken }

/** Thirteen end before they start, one has the title, two an empty team, and one only nulls. */
async function fill(place: Place): Promise<void> {
  const catalog = catalogOf()
  const storage = await open(place, catalog)
  await storage.transaction(tester, async (tx) => {
    const sizes = [0, 3]
    await tx.insertAll(
      catalog.get('team'),
      sizes.map((size, i) => ({ id: uuid(i + 1), size })),
    )
    const event = (n: number) => ({
      id: uuid(100 + n),
      teamId: n === 30 ? null : uuid(n <= 2 ? 1 : 2),
      startsAt: n === 30 ? null : day(10),
      endsAt: n <= 13 ? day(9) : day(11),
      title: n === 5 ? 'x' : null,
    })
    await tx.insertAll(
      catalog.get('event'),
      Array.from({ length: 30 }, (_, i) => event(i + 1)),
    )
  })
  await storage.close()
}

const broken = [
  /: event: checks\.endAfterStart \("End before start"\) is new or has changed, and 13 records break it \(.*, …\); they stay/,
  /: event: checks\.titled \("No x"\) .* and 1 record breaks it \(01926e0f-0000-7000-8000-000000000105\)/,
  /: event: checks\.teamWithPlayers \("An empty team"\) .* and 2 records break it \(.*101, .*102\)/,
  /: event: checks\.spoken \("Say y"\) .* and 1 record breaks it \(.*105\)/,
]
function assertTold(notes: readonly string[], expected: readonly RegExp[] = broken): void {
  assert.equal(notes.length, expected.length, notes.join('\n'))
  for (const [i, note] of notes.entries()) assert.match(note, expected[i] as RegExp)
}

for (const kind of kinds)
  describe(`checks that are new, on ${kind}`, () => {
    it('are counted by the plan and the next migration, once', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await fill(place)
      const catalog = catalogOf(events(declared))
      const checks = checksOf(catalog)
      const planned = await planStorage(place.database, catalog, { checks })
      assertTold(planned.notes)
      assert.deepEqual(planned.steps, [], 'a check needs no step')
      const told: string[] = []
      await migrateStorage(place.database, catalog, { checks, report: (line) => void told.push(line) })
      assert.deepEqual(told, planned.notes)
      const again = await planStorage(place.database, catalog, { checks })
      assert.deepEqual(again.notes, [], 'remembered')

      const stricter = { ...declared, titled: { ...titled, require: () => false } }
      const changed = catalogOf(events(stricter))
      assertTold((await planStorage(place.database, changed, { checks: checksOf(changed) })).notes, [
        /checks\.titled \("No x"\) .* and 30 records break it/,
      ])
      // Code that throws refuses each write of the record, and must not refuse the start.
      const require = ({ title }: { title: string }) => title.length < 9
      const throwing = catalogOf(events({ ...declared, titled: { ...titled, require } }))
      assertTold((await planStorage(place.database, throwing, { checks: checksOf(throwing) })).notes, [
        /checks\.titled \("No x"\) .* and 29 records break it/,
      ])
      const all = await planStorage(place.database, catalog, { checks, recount: true })
      assert.deepEqual(
        all.broken.map(({ name, count, ids }) => [name, count, ids.length]),
        [
          ['endAfterStart', 13, 13],
          ['titled', 1, 1],
          ['teamWithPlayers', 2, 2],
          ['spoken', 1, 1],
        ],
      )
    })

    it('about fields that are not stored yet are counted by the migration', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await fill(place)
      const named = { require: { note: { ne: 'old' } }, message: 'No old notes' }
      const catalog = catalogOf(events({ named }, { note: text({ backfill: 'old' }) }))
      const checks = checksOf(catalog)
      const { notes } = await planStorage(place.database, catalog, { checks })
      assertTold(notes, [
        /checks\.named .* is new or has changed; the records that break it are counted with the steps/,
      ])
      const told: string[] = []
      await migrateStorage(place.database, catalog, { checks, report: (line) => void told.push(line) })
      assertTold(told, [/checks\.named .* and 30 records break it/])
    })

    it('and a tree over records that make a circle, or are too deep', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const nodes = (tree?: { depth: number }) =>
        defineResource({
          name: 'node',
          path: '/nodes',
          fields: { id: id(), aboveId: reference('node', { ...(tree && { tree }) }) },
          list: { style: 'page' },
          access: {},
        })
      const plain = makeCatalog([nodes()])
      const storage = await open(place, plain)
      // 1 ← 2 ← 3 ← 4, and a circle of 5 and 6 with 7 below it.
      const aboves: Record<number, number> = { 2: 1, 3: 2, 4: 3, 5: 6, 6: 5, 7: 6 }
      await storage.transaction(tester, async (tx) => {
        const node = plain.get('node')
        await tx.insertAll(
          node,
          Array.from({ length: 7 }, (_, i) => ({ id: uuid(i + 1), aboveId: null })),
        )
        for (const [n, above] of Object.entries(aboves))
          await tx.updateAll(node, [uuid(Number(n))], { aboveId: uuid(above) })
      })
      await storage.close()
      const stored = makeCatalog([nodes({ depth: 3 })])
      const planned = await planStorage(place.database, stored, { checks: [] })
      assertTold(planned.notes, [
        /: node: field "aboveId" makes a tree of at most 3 levels: that rule is new or has changed, and 4 records break it \(.*04, .*05, .*06, .*07\); they stay/,
      ])
      assert.deepEqual(planned.steps, [])
    })

    it('of an earlier version are counted once, and those of a new database never', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const catalog = catalogOf(events(declared))
      const checks = checksOf(catalog)
      const empty = await planStorage(place.database, catalog, { checks })
      assert.deepEqual(empty.notes, [])
      await fill(place)
      await place.forget("DELETE FROM bindery_meta WHERE name = 'checks'")
      assertTold((await planStorage(place.database, catalog, { checks })).notes)
    })
  })
