/**
 * Searches of a tenant's resource, which begin with the tenant. Both databases find what a search
 * among all words finds, and what an evaluation in JavaScript finds, while records change. Indexes
 * of an earlier version are completed at start.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { defineResource, id, integer, reference, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { all, always, type Condition, equal } from '../../src/resource/condition.ts'
import { makeMatcher } from '../../src/storage/derived/match.ts'
import { planStorage } from '../../src/storage/open.ts'
import { postgresDialect } from '../../src/storage/postgres/dialect.ts'
import { makeStatements } from '../../src/storage/sql/statements.ts'
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import type { Row, Storage } from '../../src/storage/storage.ts'
import { clubs, memberships, people, teamMembers, teams, tenancy } from '../clubhouse/clubhouse.ts'
import { shortOr } from '../helpers/long.ts'
import { kinds, makePlace, open, type Place } from '../schema/places.ts'
import { by, searching, tester } from '../storage/library.ts'

const notes = defineResource({
  name: 'note',
  path: '/notes',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club'), title: text(), rank: integer() },
  list: { style: 'page', sortable: ['rank'], filterable: ['rank'], search: ['title'] },
  access: {},
})
const catalog = makeCatalog([{ ...clubs, children: {} }, memberships, teams, teamMembers, tenancy, ...people, notes])
const [club, note] = [catalog.get('club'), catalog.get('note')]
const uuid = (n: number) => `01926e0f-0000-7000-8000-${String(n).padStart(12, '0')}`
const clubIds = [uuid(1), uuid(2), uuid(3)]

/** Words that begin alike, whole words, parts of words, words of other letters, and other marks. */
const words = ['match', 'matches', 'ma', 'm', 'wi-fi', 'Straße', 'café', '100%', '–', 'a–b', 'über', 'x', 'yx', uuid(2)]
const titleOf = (n: number) =>
  [words[n % words.length], words[(n * 7 + 3) % words.length], n % 3 ? 'half' : 'full', `r${n}`].join(' ')
const noteOf = (n: number) => ({
  id: uuid(1000 + n),
  clubId: clubIds[n % 8 === 0 ? 1 : n % 3] as string,
  title: titleOf(n),
  rank: (n * 37) % 101,
})
/** More than SQLite plans by itself. */
const notesMax = { sqlite: 1_600, postgres: 300 }

async function makeNotes(t: TestContext, kind: (typeof kinds)[number]): Promise<{ place: Place; storage: Storage }> {
  const place = await makePlace(kind)
  t.after(place.remove)
  const storage = await open(place, catalog)
  await storage.transaction(tester, async (tx) => {
    const named = clubIds.map((one) => ({ id: one, name: `Club ${one}` }))
    await tx.insertAll(club, named)
    await tx.insertAll(
      note,
      Array.from({ length: notesMax[kind] }, (_, i) => noteOf(i)),
    )
  })
  return { place, storage }
}

/** The same records, in a form that does not begin with the tenant. */
const amongAll = (tenant: Condition): Condition => ({ kind: 'or', of: [tenant] })

const tenants: readonly (readonly [string, Condition])[] = [
  ['one', equal('clubId', uuid(1))],
  ['two', { kind: 'in', field: 'clubId', values: [uuid(2), uuid(3)] }],
  ['none', { kind: 'in', field: 'clubId', values: [] }],
  ['a strange one', equal('clubId', uuid(9))],
  ['one in capitals', equal('clubId', uuid(1).toUpperCase().replace('E', 'e'))],
  ['many', { kind: 'in', field: 'clubId', values: Array.from({ length: 30 }, (_, i) => uuid(i)) }],
]
const searched = [...words, 'mat', 'half', 'full', 'half match', 'r7', 'nothing', 'half wi-f', '01926e0f', '%'].map(
  (one) => searching(...one.split(' ')),
)
const rank: Condition = { kind: 'compare', field: 'rank', operator: 'gte', value: 50 }

/** Compares one of `step` searches. */
async function compareAll(storage: Storage, step: number): Promise<number> {
  const sort = by('rank', 'id')
  const rows = await storage.list(note, { where: always, sort, limit: 5_000 })
  const { compile } = makeMatcher()
  let found = 0
  for (const [at, [name, tenant]] of tenants.entries())
    for (const [i, search] of searched.entries()) {
      if ((i + at) % step !== 0) continue
      const parts = i % 3 === 0 ? [search, rank] : [search]
      const where = i % 2 === 0 ? all(tenant, ...parts) : all(...parts, tenant)
      const expected = rows.filter(compile(note, where)).map((row) => row.id)
      const about = `${name}: ${JSON.stringify(parts)}`
      const idsOf = (list: readonly Row[]) => list.map((row) => row.id)
      assert.deepEqual(idsOf(await storage.list(note, { where, sort, limit: 5_000 })), expected, about)
      const unscoped = all(amongAll(tenant), ...parts)
      assert.deepEqual(idsOf(await storage.list(note, { where: unscoped, sort, limit: 5_000 })), expected, about)
      const page = await storage.page(note, { where, sort, limit: 7, offset: 3 })
      assert.deepEqual([page.total, idsOf(page.rows)], [expected.length, expected.slice(3, 10)], about)
      const summary = { where, groups: [], sums: ['rank'], ends: [], limit: 10 }
      assert.equal((await storage.summarize(note, summary))[0]?.count, expected.length, about)
      found += expected.length
    }
  return found
}

for (const kind of kinds)
  describe(`a search in tenants, on ${kind}`, () => {
    it('finds what a search among all words finds, while records change', async (t) => {
      const { storage } = await makeNotes(t, kind)
      t.after(() => storage.close())
      assert.ok((await compareAll(storage, shortOr(2, 1))) > 100)
      await storage.transaction(tester, async (tx) => {
        const every = await tx.list(note, { where: always, sort: by('id'), limit: 250 })
        for (const [i, row] of every.entries()) if (i % 3 === 0) await tx.update(note, row, { title: titleOf(i + 5) })
        await tx.deleteAll(
          note,
          every.filter((_, i) => i % 3 === 1),
        )
      })
      await compareAll(storage, 5)
    })

    it('finds what another program wrote, also where it moved a record to another tenant', async (t) => {
      const { place, storage } = await makeNotes(t, kind)
      await storage.close()
      const mark = kind === 'sqlite' ? 'char(1)' : 'chr(1)'
      await place.forget(`UPDATE notes SET club_id = '${uuid(3)}' WHERE rank = 7`)
      await place.forget(`UPDATE notes SET search = ${mark} || 'm', title = 'm' WHERE rank = 8`)
      await place.forget('DELETE FROM notes WHERE rank = 9')
      const again = await open(place, catalog)
      t.after(() => again.close())
      await compareAll(again, 9)
    })

    it('gets its index in a database of an earlier version, in one step', async (t) => {
      const { place, storage } = await makeNotes(t, kind)
      await storage.close()
      await place.forget(
        kind === 'sqlite'
          ? ['insert', 'delete', 'update'].map((event) => `DROP TRIGGER notes_tenant_words_${event};`).join('') +
              'DROP TABLE notes_tenant_terms; DROP TABLE notes_tenant_words;'
          : "DROP INDEX notes_tenant_search_idx; DROP FUNCTION bindery_tenant_words; DELETE FROM bindery_meta WHERE name = 'objects'",
      )
      await place.forget(
        `UPDATE bindery_meta SET value = replace(value, ',"searchTenant":"club_id"', '') WHERE name = 'model'`,
      )
      const { steps } = await planStorage(place.database, catalog)
      assert.deepEqual(
        steps.map((step) => [step.kind, 'tenant' in step && step.tenant]),
        [['create-search', 'club_id']],
      )
      const again = await open(place, catalog)
      t.after(() => again.close())
      await compareAll(again, 9)
      assert.deepEqual((await planStorage(place.database, catalog)).steps, [])
    })
  })

describe('the statements of a search', () => {
  const where = all(equal('clubId', uuid(1)), searching('match'))
  const sort = by('rank', 'id')

  it('look the words up among those of the tenants', () => {
    const sqlite = makeStatements(catalog, sqliteDialect)
    const list = sqlite.list(note, { where, sort, limit: 5 })
    assert.match(list.sql, /in \(select rowid from "notes_tenant_words"/)
    assert.ok(list.parameters.some((one) => String(one).startsWith('01926e0fy0000y7000y8000y000000000001xmatch')))
    const count = sqlite.count(note, where).sql
    assert.match(count, /^select count\(\*\) as "count" from "notes_tenant_words" where/)
    assert.doesNotMatch(count, /club_id/, 'the index alone decides')
    assert.match(sqlite.list(note, { where: searching('match'), sort, limit: 5 }).sql, /from "notes_words"/)
    const postgres = makeStatements(catalog, postgresDialect)
    const found = postgres.list(note, { where, sort, limit: 5 })
    assert.match(found.sql, /bindery_tenant_words\("notes"\."search", "notes"\."club_id"::text\) @@/)
    assert.ok(found.parameters.includes(`'${uuid(1)}\u0001match':*`))
  })
})
