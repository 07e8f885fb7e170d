/**
 * The values that the change log keeps for a resource with `changes`, of each record and statement.
 * It keeps none of a hidden field, of a secret or of a field that is not declared.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { bigint, defineResource, id, integer, integerId, json, list, password, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { Change } from '../../src/storage/changes.ts'
import type { Storage, Transaction } from '../../src/storage/storage.ts'
import { type Database, deleteWhere, type MakeDatabase, tester, updateWhere } from './library.ts'
import { readUntil } from './settled.ts'

const common = { access: {}, list: { style: 'page' } } as const
/** `hides`: the note is hidden, as after a later deploy. */
const ledgerOf = (hides: boolean) =>
  defineResource({
    ...common,
    name: 'entry',
    plural: 'entries',
    path: '/entries',
    changes: true,
    fields: {
      id: integerId(),
      title: text(),
      amount: bigint(),
      tags: list(text()),
      extra: json(),
      note: text({ hidden: hides }),
      inner: text({ hidden: true }),
      code: password(),
    },
  })
const partly = defineResource({
  ...common,
  name: 'sheet',
  path: '/sheets',
  changes: { fields: ['title'] },
  fields: { id: id(), title: text(), weight: integer() },
})
const silent = defineResource({ ...common, name: 'mute', path: '/mutes', fields: { id: id(), title: text() } })
const catalogOf = (hides: boolean) => makeCatalog([ledgerOf(hides), partly, silent])
const catalog = catalogOf(false)
const [entry, sheet, mute] = [catalog.get('entry'), catalog.get('sheet'), catalog.get('mute')]

const marker = 'NEVER-IN-THE-LOG'
const values = (title: string) => ({
  title,
  amount: 9007199254740993n,
  tags: ['a', 'b'],
  extra: { deep: [1] },
  note: 'n',
})
const row = (title: string) => ({ ...values(title), inner: marker, code: marker })
const kept = (n: number, title: string) => ({ id: n, ...values(title) })
const sheetOf = (n: number, title: string) => ({ id: `01926e0f-0000-7000-8000-00000000000${n}`, title, weight: n })

export function loggedValuesSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: values in the change log`, () => {
    let database: Database
    let one: Storage
    let two: Storage
    beforeEach(async () => {
      database = await make()
      one = await database.open(catalog)
      two = await database.open(catalog)
    })
    afterEach(async () => {
      await Promise.all([one.close(), two.close()])
      await database.remove()
    })

    /** The values of the changes that the work makes, the same in this process and another one. */
    async function told(work: (transaction: Transaction) => Promise<unknown>): Promise<Change['values'][]> {
      const own: Change[] = []
      let isOn = true
      one.changes.follow({ apply: (some) => void (isOn && own.push(...some)), reset: () => undefined })
      await one.transaction(tester, work)
      isOn = false
      const last = own.at(-1)?.sequence ?? 0
      const { changes } = await readUntil(two.changes, null, (all) => all.some(({ sequence }) => sequence === last))
      const first = own[0]?.sequence ?? 0
      const stored = changes.filter(({ sequence }) => sequence >= first)
      assert.deepEqual(stored.map(({ values }) => values), own.map(({ values }) => values)) // biome-ignore format: one line
      assert.doesNotMatch(
        JSON.stringify(changes, (_, value) => (typeof value === 'bigint' ? 0 : value)),
        /NEVER/,
      )
      return stored.map(({ values }) => values)
    }

    test('of one record: an insert, an update and a delete', async () => {
      const changed = { title: 'b', amount: null, inner: `${marker}2` }
      const all = await told(async (transaction) => {
        const made = await transaction.insert(entry, row('a'))
        const next = await transaction.update(entry, made, changed)
        await transaction.adjust(entry, [next], { add: {}, set: { note: 'm' } })
        await deleteWhere(transaction, entry, equal('id', 1))
      })
      const [a, b] = [kept(1, 'a'), { ...kept(1, 'b'), amount: null }]
      const c = { ...b, note: 'm' }
      assert.deepEqual(all, [[{ after: a }], [{ before: a, after: b }], [{ before: b, after: c }], [{ before: c }]])
    })

    test('of many records in one statement, in the order of the records', async () => {
      const titles = ['c', 'a', 'b']
      const all = await told(async (transaction) => {
        await transaction.insertAll(entry, titles.map(row))
        await updateWhere(transaction, { resource: entry, where: always, changes: { title: 'z' } })
        await deleteWhere(transaction, entry, always)
      })
      const byId = (list: Change['values'] = []) =>
        list.toSorted((x, y) => Number((x.after ?? x.before)?.id) - Number((y.after ?? y.before)?.id))
      const [made, changed, gone] = all.map(byId)
      assert.deepEqual(made, titles.map((title, i) => ({ after: kept(i + 1, title) }))) // biome-ignore format: one line
      assert.deepEqual(changed, titles.map((title, i) => ({ before: kept(i + 1, title), after: kept(i + 1, 'z') }))) // biome-ignore format: one line
      assert.deepEqual(gone, titles.map((_, i) => ({ before: kept(i + 1, 'z') }))) // biome-ignore format: one line
    })

    test('of declared fields alone, by the ids of the records', async () => {
      const all = await told(async (transaction) => {
        await transaction.insertAll(sheet, [sheetOf(3, 'c'), sheetOf(1, 'a')])
        await transaction.insert(mute, { id: sheetOf(1, '').id, title: 'silent' })
        await updateWhere(transaction, { resource: sheet, where: always, changes: { weight: 9 } })
      })
      const { changes } = await two.changes.read(null, 100)
      const titles = { [sheetOf(3, '').id]: { title: 'c' }, [sheetOf(1, '').id]: { title: 'a' } }
      for (const { resource, records, values: some } of changes)
        if (resource === 'sheet')
          assert.deepEqual(some?.map(({ after }) => after), records.map(({ id: of }) => titles[String(of)])) // biome-ignore format: one line
      assert.equal(all[1], undefined, 'no values of a resource without `changes`')
    })

    test('are gone where the transaction is undone, and without a field that is hidden since', async () => {
      await assert.rejects(
        one.transaction(tester, async (transaction) => {
          await transaction.insertAll(entry, [row('undone')])
          throw new Error('no')
        }),
      )
      await told((transaction) => transaction.insert(entry, row('stays')))
      const later = await database.open(catalogOf(true))
      const { changes } = await later.changes.read(null, 100)
      await later.close()
      const all = changes.flatMap((change) => change.values ?? [])
      assert.deepEqual(all.map(({ after }) => after?.title), ['stays']) // biome-ignore format: one line
      assert.equal('note' in (all[0]?.after ?? {}), false)
    })
  })
}
