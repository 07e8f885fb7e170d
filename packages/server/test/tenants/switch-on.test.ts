/**
 * Switches a tenant on for stored records, on both databases. The start names rows without a tenant
 * and changes nothing. Later it names references to records of other tenants,
 * and makes keys and indexes again, with the tenant in front.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StartError } from '../../src/errors.ts'
import { defineResource, id, reference, text } from '../../src/index.ts'
import { storedChecks } from '../../src/record/declared/stored-checks.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { modelOf } from '../../src/storage/model/model.ts'
import { migrateStorage, planStorage } from '../../src/storage/open.ts'
import { clubs, memberships, people, teamMembers, teams, tenancy } from '../clubhouse/clubhouse.ts'
import { kinds, makePlace, open } from '../schema/places.ts'
import { tester } from '../storage/library.ts'

const bound = defineResource({
  name: 'thing',
  path: '/things',
  tenant: 'clubId',
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    teamId: reference('team'),
    code: text({ unique: true }),
  },
  list: { style: 'page', sortable: ['code'] },
  access: {},
})
/** Without the tenant the reference may be null. */
const loose = defineResource({
  name: 'thing',
  path: '/things',
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'clear' }),
    teamId: reference('team'),
    code: text({ unique: true }),
  },
  list: { style: 'page', sortable: ['code'] },
  access: {},
})
const partFields = { id: id(), thingId: reference('thing', { onDelete: 'clear' }), teamId: reference('team') }
const partOf = { name: 'part', path: '/parts', fields: partFields, list: { style: 'page' }, access: {} } as const
const others = [{ ...clubs, children: {} }, memberships, teams, teamMembers, tenancy, ...people]
const before = makeCatalog([...others, loose, defineResource(partOf)])
const after = makeCatalog([...others, bound, defineResource({ ...partOf, tenant: 'thingId' })])
const settings = { currency: 'USD', signUp: 'open' } as const
const checks = storedChecks({ catalog: after, settings, now: '2026-01-31T12:00:00.000Z' })
const uuid = (n: number) => `01926e0f-0000-7000-8000-${String(n).padStart(12, '0')}`

describe('indexes of a tenant', () => {
  it('begin with the tenant, but for references', () => {
    const [table] = modelOf(after).tables.filter(({ name }) => name === 'things')
    assert.deepEqual(table?.indexes.map(({ columns }) => columns.join()).sort(), [
      'club_id,code,id',
      'club_id,code_folded',
      'club_id,id',
      'team_id,id',
    ])
  })
})

for (const kind of kinds)
  it(`a tenant is switched on, on ${kind}`, async (t) => {
    const place = await makePlace(kind)
    t.after(place.remove)
    const first = await open(place, before)
    const [club, things] = [before.get('club'), before.get('thing')]
    await first.transaction(tester, async (tx) => {
      await tx.insertAll(
        club,
        [1, 2].map((n) => ({ id: uuid(n), name: `Club ${n}` })),
      )
      await tx.insertAll(
        before.get('team'),
        [1, 2].map((n) => ({ id: uuid(20 + n), clubId: uuid(n), name: `Team ${n}` })),
      )
      await tx.insertAll(things, [
        { id: uuid(11), clubId: uuid(1), teamId: uuid(21), code: 'a' },
        { id: uuid(12), clubId: null, teamId: uuid(21), code: 'b' },
      ])
      await tx.insertAll(before.get('part'), [
        { id: uuid(31), thingId: uuid(11), teamId: uuid(21) },
        { id: uuid(32), thingId: uuid(11), teamId: uuid(22) },
        { id: uuid(33), thingId: uuid(12), teamId: null },
      ])
    })
    await first.close()
    const refused = await open(place, after).then(
      () => undefined,
      (error: unknown) => error,
    )
    assert.ok(refused instanceof StartError, String(refused))
    assert.match(refused.message, new RegExp(uuid(12)))
    const again = await open(place, before)
    await again.transaction(tester, async (tx) => {
      const found = await tx.lock(things, { kind: 'compare', field: 'id', operator: 'eq', value: uuid(12) })
      assert.ok(found)
      await tx.update(things, found.row, { clubId: uuid(2) })
    })
    await again.close()
    const { steps, notes } = await planStorage(place.database, after, { checks })
    assert.ok(steps.length > 0)
    // The thing 12 is now one of club 2, with a team of club 1.
    const crossing = notes.filter((note) => note.includes('of the same club'))
    assert.deepEqual(
      crossing.map((note) => /: (\w+): field "(\w+)" .* 1 record breaks it \((.*?)\)/.exec(note)?.slice(1)),
      [
        ['thing', 'teamId', uuid(12)],
        ['part', 'teamId', uuid(32)],
      ],
      notes.join('\n'),
    )
    const told: string[] = []
    await migrateStorage(place.database, after, { checks, report: (line) => void told.push(line) })
    assert.deepEqual(
      told.filter((line) => line.includes('of the same club')),
      crossing,
    )
    assert.deepEqual((await planStorage(place.database, after, { checks })).notes, [], 'told once')
    const storage = await open(place, after)
    const row = (n: number, clubId: string) => ({ id: uuid(n), clubId, code: 'A' })
    const resource = after.get('thing')
    await storage.transaction(tester, (tx) => tx.insert(resource, row(13, uuid(2))))
    await assert.rejects(
      storage.transaction(tester, (tx) => tx.insert(resource, row(14, uuid(1)))),
      { code: 'conflict', message: 'code must be unique' },
    )
    await storage.close()
  })
