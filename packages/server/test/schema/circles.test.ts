/**
 * Resources that newly refer to each other in a circle: PostgreSQL has each foreign key once
 * afterwards, wherever the migration was interrupted.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { defineResource, id, integerId, reference, text } from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import { planSchema } from '../../src/storage/migrate/plan-schema.ts'
import { afterStep } from '../../src/storage/migrate/steps.ts'
import { modelOf, type SchemaModel } from '../../src/storage/model/model.ts'
import { readStoredModel, storeModel } from '../../src/storage/model/stored-model.ts'
import { migrateStorage } from '../../src/storage/open.ts'
import { statementsOf } from '../../src/storage/postgres/migrate/ddl.ts'
import { idOf } from '../storage/library.ts'
import { catalogOf, thing } from './changes.ts'
import { fill, makePlace } from './places.ts'

const plain = { id: id(), name: text({ required: true }), size: text(), note: text() }
const club = (fields: object, name = 'club', was?: string) =>
  defineResource({
    name,
    ...(was && { renamedFrom: was }),
    fields: { id: integerId(), ...fields },
    access: {},
  }) as unknown as DeclaredResource
const chief = { chiefId: reference('thing') }

type Circle = {
  readonly what: string
  readonly before: readonly DeclaredResource[]
  readonly after: readonly DeclaredResource[]
}
/** Whichever comes first in the list: the tables are made in an order that follows from it. */
const eitherWay = ({ what, before, after }: Circle): Circle[] => [
  { what, before, after },
  { what: `${what}, the other way round`, before, after: after.toReversed() },
]
const circles: readonly Circle[] = [
  ...eitherWay({
    what: 'both are new',
    before: [],
    after: [club(chief), thing({ ...plain, clubId: reference('club') })],
  }),
  ...eitherWay({
    what: 'one is new',
    before: [thing(plain)],
    after: [club(chief), thing({ ...plain, clubId: reference('club') })],
  }),
  ...eitherWay({
    what: 'one has another name',
    before: [club({}, 'team'), thing(plain)],
    after: [club(chief, 'club', 'team'), thing({ ...plain, clubId: reference('club') })],
  }),
  ...eitherWay({
    what: 'one is new, and a field of the other becomes the reference',
    before: [thing({ ...plain, clubId: text() })],
    after: [club(chief), thing({ ...plain, clubId: reference('club', { convert: () => null }) })],
  }),
]

const planned = (before: SchemaModel, after: readonly DeclaredResource[]) =>
  planSchema(before, catalogOf(after), { beside: false, allowed: new Set() }).steps

/** The references that a migration makes when the first of two runs ends after so many steps. */
function madeInTwo(before: SchemaModel, after: readonly DeclaredResource[], steps: number): string[] {
  let state = before
  const statements: string[] = []
  for (const stop of [steps, Infinity]) {
    for (const step of planned(state, after).slice(0, stop)) {
      statements.push(...statementsOf(step, state))
      state = afterStep(state, step)
    }
    const { model, meanings } = storeModel(state)
    state = readStoredModel(model, meanings)
  }
  return [...statements.join(';').matchAll(/REFERENCES "(\w+)"/g)].map(([, table]) => table as string).sort()
}

async function referencesIn(url: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT c.relname || ' ' || pg_get_constraintdef(k.oid) AS text FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
       WHERE k.contype = 'f' ORDER BY 1`,
    )
    return rows.map(({ text: line }) => line as string)
  } finally {
    await client.end()
  }
}

describe('circles of resources on postgres', () => {
  for (const { what, before, after } of circles) {
    test(`${what}: every reference is there`, async (t) => {
      const place = await makePlace('postgres')
      t.after(place.remove)
      const stored = () => ({ id: idOf(1), name: 'One', size: null, note: null })
      if (before.some(({ name }) => name === 'thing'))
        await fill(place, { stored: (n) => ({ ...stored(), id: idOf(n) }) }, catalogOf(before), 2)
      else if (before.length > 0) await migrateStorage(place.database, catalogOf(before))
      await migrateStorage(place.database, catalogOf(after))
      assert.deepEqual(await referencesIn(place.env.DATABASE_URL as string), [
        'clubs FOREIGN KEY (chief_id) REFERENCES things(id) ON DELETE SET NULL',
        'things FOREIGN KEY (club_id) REFERENCES clubs(id) ON DELETE SET NULL',
      ])
      assert.deepEqual(await migrateStorage(place.database, catalogOf(after)), [])
    })

    test(`${what}: and once, after an interruption anywhere`, () => {
      const stored = modelOf(catalogOf(before))
      for (let steps = 0; steps <= planned(stored, after).length; steps += 1)
        assert.deepEqual(madeInTwo(stored, after, steps), ['clubs', 'things'], `after ${steps} steps`)
    })
  }
})
