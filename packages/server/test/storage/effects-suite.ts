/**
 * The effect queue, the same on every database. A write adds effects; each is claimed once and runs
 * in order, and stays in the table when it is given up.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Change } from '../../src/storage/changes.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  type ClaimedEffect,
  type EffectPlace,
  effectsTable,
  type NewEffect,
  type StoredEffect,
} from '../../src/storage/stored-effects.ts'
import { type Database, libraryCatalog, type MakeDatabase, tester } from './library.ts'

const leaseMs = 1_000

/** Effects of one kind, each with a name: the key of `a1` is `a`. */
function effectOf(kind: string, name: string, { inOrder = true, dueMs = 0 } = {}): NewEffect {
  return {
    id: `${kind}-${name}`,
    kind,
    key: name[0] ?? null,
    inOrder,
    dueMs,
    leftMs: dueMs,
    payload: JSON.stringify({ name }),
    context: JSON.stringify({ userId: 'ann', depth: 1 }),
  }
}
const namesOf = (effects: readonly Pick<ClaimedEffect, 'id'>[]) => effects.map(({ id }) => id.split('-')[1] as string)

export function effectsSuite(database: string, make: MakeDatabase): void {
  describe(`${database}: effects`, () => {
    let place: Database
    let one: Storage
    let two: Storage
    before(async () => {
      place = await make()
      one = await place.open(libraryCatalog)
      two = await place.open(libraryCatalog)
    })
    after(async () => {
      await Promise.all([one.close(), two.close()])
      await place.remove()
    })

    const leave = (kind: string, names: readonly string[], options?: { inOrder?: boolean; dueMs?: number }) =>
      one.transaction(tester, (writing) => writing.leaveEffects(names.map((name) => effectOf(kind, name, options))))
    const claim = (storage: Storage, kind: string, { nowMs = 0, limit = 100, fromMs = 0, inOrder = true } = {}) => {
      const holder = storage === one ? 'one' : 'two'
      return storage.effects.claim({ kind, fromMs, withLost: true, nowMs, limit, holder, leaseMs, inOrder })
    }
    const placeOf = ({ number, id }: EffectPlace): EffectPlace => ({ number, id })
    const endOf = (effects: readonly ClaimedEffect[], name: string) =>
      placeOf(effects.find(({ id }) => id.endsWith(`-${name}`)) as ClaimedEffect)
    const nothing = { done: [], later: [], givenUp: [] }
    const statesOf = async (kind: string, nowMs = 0) =>
      Object.fromEntries(
        (await one.effects.list({ kind, limit: 100, nowMs })).map((each) => [namesOf([each])[0], each.state]),
      )

    test('they are there when their transaction is, and the change log tells all processes', async () => {
      const told: Change[][] = [[], []]
      for (const [i, storage] of [one, two].entries())
        storage.changes.follow({ apply: (changes) => void told[i]?.push(...changes), reset: () => undefined })
      const undone = one.transaction(tester, async (writing) => {
        await writing.leaveEffects([effectOf('told', 'a1')])
        throw new Error('undone')
      })
      await assert.rejects(undone, /undone/)
      assert.equal(await one.effects.next('told', 0), undefined)
      await leave('told', ['a1', 'a2'], { dueMs: 7 })
      await two.changes.catchUp()
      for (const changes of told)
        assert.deepEqual(
          changes.filter(({ resource }) => resource === effectsTable).map(({ detail }) => detail),
          [{ after: { told: 7 } }],
        )
      assert.equal(await two.effects.next('told', 0), 7)
      assert.deepEqual(await claim(two, 'told', { nowMs: 6 }), [], 'none before it is due')
      assert.deepEqual(await claim(two, 'told', { nowMs: 9, fromMs: 8 }), [], 'none from before the mark')
      const [claimed] = await claim(two, 'told', { nowMs: 7 })
      assert.deepEqual(
        { ...claimed, number: 0 },
        {
          number: 0,
          id: 'told-a1',
          kind: 'told',
          key: 'a',
          payload: '{"name":"a1"}',
          context: '{"userId":"ann","depth":1}',
          steps: null,
          leftMs: 7,
          tries: 1,
          wasLost: false,
        },
      )
    })

    test('one process claims each effect, and another one after its lease has ended', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `k${i}`)
      await leave('once', names, { inOrder: false })
      const looks = Array.from({ length: 8 }, (_, i) => claim(i % 2 ? one : two, 'once', { limit: 10, inOrder: false }))
      const claimed = (await Promise.all(looks)).flat()
      while (claimed.length < names.length) {
        const more = await claim(one, 'once', { inOrder: false })
        assert.ok(more.length > 0)
        claimed.push(...more)
      }
      assert.deepEqual(namesOf(claimed).toSorted(), names.toSorted())
      assert.deepEqual(await claim(two, 'once', { nowMs: leaseMs - 1, inOrder: false }), [])
      const lost = await claim(two, 'once', { nowMs: leaseMs, limit: 1, inOrder: false })
      assert.deepEqual(
        lost.map(({ tries, wasLost }) => [tries, wasLost]),
        [[2, true]],
      )
      const [{ number }] = lost as [ClaimedEffect]
      assert.deepEqual(await one.effects.settle('one', { ...nothing, done: lost }, 0), [])
      assert.equal((await statesOf('once', leaseMs))[namesOf(lost)[0] as string], 'running', 'it is of another now')
      await two.effects.beat('two', [number], leaseMs * 9)
      assert.equal((await statesOf('once', leaseMs * 8))[namesOf(lost)[0] as string], 'running')
      assert.equal((await statesOf('once', leaseMs * 9))[namesOf(lost)[0] as string], 'lost')
    })

    test('those of one key run one at a time and in order, those of others beside them', async () => {
      await leave('line', ['a1', 'a2', 'b1', 'a3'])
      const first = await claim(one, 'line')
      assert.deepEqual(namesOf(first), ['a1', 'b1'])
      assert.deepEqual(await statesOf('line'), { a1: 'running', a2: 'behind', b1: 'running', a3: 'behind' })
      await leave('line', ['a4'])
      assert.deepEqual(await claim(two, 'line'), [])
      const later = [{ ...endOf(first, 'a1'), dueMs: 50, error: 'not now' }]
      await one.effects.settle('one', { ...nothing, later, done: [endOf(first, 'b1')] }, 0)
      assert.deepEqual(await claim(two, 'line', { nowMs: 49 }), [], 'the first of a line comes before the others')
      const again = await claim(two, 'line', { nowMs: 50 })
      assert.deepEqual(namesOf(again), ['a1'])
      await two.effects.settle('two', { ...nothing, done: [endOf(again, 'a1')] }, 0)
      for (const name of ['a2', 'a3', 'a4']) {
        const [next, ...others] = (await claim(one, 'line', { nowMs: 50 })) as [ClaimedEffect]
        assert.deepEqual([namesOf([next]), others], [[name], []])
        await one.effects.settle('one', { ...nothing, done: [next] }, 0)
      }
      assert.deepEqual(await statesOf('line'), {})
    })

    test('one that is given up stays, holds up none of its line, and is tried again or removed by hand', async () => {
      await leave('up', ['a1', 'a2', 'c1'])
      const first = await claim(one, 'up')
      const failed = endOf(first, 'a1')
      await one.effects.settle('one', { ...nothing, givenUp: [{ ...failed, error: 'no such place' }] }, 30)
      assert.deepEqual(await statesOf('up'), { a1: 'given-up', a2: 'waiting', c1: 'running' }, 'a2 came forward')
      const [kept] = await one.effects.findAll('up-a1', 0)
      assert.deepEqual([kept?.error, kept?.dueMs, kept?.tries], ['no such place', 30, 1])
      assert.equal(await one.effects.count('up', 100), 2)
      assert.deepEqual(
        (await two.effects.depths(0)).filter(({ kind }) => kind === 'up').map(({ state, count }) => [state, count]),
        [
          ['given-up', 1],
          ['running', 1],
          ['waiting', 1],
        ],
      )
      assert.equal(await two.effects.remove([endOf(first, 'c1').number]), 0, 'one that runs is not removed')
      assert.equal(await two.effects.retry([failed.number], 40), 1)
      assert.deepEqual(Object.keys(await statesOf('up')), ['a2', 'c1', 'a1'], 'at the end of its line')
      const next = await claim(one, 'up', { nowMs: 40 })
      assert.deepEqual(namesOf(next), ['a2'])
      assert.equal(
        await two.effects.giveUp(
          [...next, ...first].map((each) => each.number),
          'by hand',
          41,
        ),
        0,
      )
      await one.effects.settle('one', { ...nothing, done: [endOf(next, 'a2')] }, 41)
      const [again] = await claim(two, 'up', { nowMs: 41 })
      assert.deepEqual([again?.id, again?.tries], ['up-a1', 1])
      await two.effects.settle('two', { ...nothing, givenUp: [{ ...placeOf(again as ClaimedEffect), error: 'x' }] }, 42)
      assert.equal(await one.effects.remove([again?.number as number]), 1)
      assert.deepEqual(Object.keys(await statesOf('up')), ['c1'])
    })

    test('finished steps stay with an effect until it is done, and only its holder adds to them', async () => {
      await leave('steps', ['a1'])
      const [first] = (await claim(one, 'steps')) as [ClaimedEffect]
      assert.equal(await one.effects.keepSteps('one', first, '[["charge",{"paid":7}]]'), true)
      const [lost] = (await claim(two, 'steps', { nowMs: leaseMs })) as [ClaimedEffect]
      assert.equal(lost.steps, '[["charge",{"paid":7}]]')
      assert.equal(await one.effects.keepSteps('one', first, '[]'), false, 'its lease has ended')
      const givenUp = [{ ...placeOf(lost), error: 'x' }]
      await two.effects.settle('two', { ...nothing, givenUp }, leaseMs)
      assert.equal(await two.effects.retry([lost.number], leaseMs), 1)
      const [again] = (await claim(one, 'steps', { nowMs: leaseMs })) as [ClaimedEffect]
      assert.deepEqual([again.steps, again.context], [lost.steps, first.context], 'a retry by hand has them too')
    })

    test('a table of an earlier version gets the columns that it lacks', async () => {
      await leave('early', ['a1'])
      await place.writePast(`ALTER TABLE ${effectsTable} DROP COLUMN context`)
      await place.writePast(`ALTER TABLE ${effectsTable} DROP COLUMN steps`)
      await place.writePast("UPDATE bindery_meta SET value = 'of earlier' WHERE name = 'objects'")
      const next = await place.open(libraryCatalog)
      const [early] = await next.effects.findAll('early-a1', 0)
      assert.deepEqual([early?.payload, early?.context, early?.steps], ['{"name":"a1"}', null, null])
      await next.close()
    })

    test('of those given up the newest stay', async () => {
      await leave('many', ['a1', 'b1', 'c1', 'd1'])
      const given = (await claim(one, 'many')).map((each) => ({ ...placeOf(each), error: 'x' }))
      await one.effects.settle('one', { ...nothing, givenUp: given }, 0)
      assert.equal(await one.effects.keepNewest('many', 3), 1)
      assert.deepEqual(Object.keys(await statesOf('many')), ['b1', 'c1', 'd1'])
    })

    test('those given up before a time go, and others of their lines stay', async () => {
      await leave('aged', ['a1', 'a2', 'b1', 'c1'])
      const [a1, b1] = (await claim(one, 'aged')) as [ClaimedEffect, ClaimedEffect]
      await one.effects.settle('one', { ...nothing, givenUp: [{ ...placeOf(a1), error: 'x' }] }, 100)
      await one.effects.settle('one', { ...nothing, givenUp: [{ ...placeOf(b1), error: 'x' }] }, 200)
      assert.equal(await one.effects.sweep(100), false)
      assert.deepEqual(Object.keys(await statesOf('aged')), ['a1', 'a2', 'b1', 'c1'])
      assert.equal(await one.effects.sweep(101), false)
      assert.deepEqual(await statesOf('aged'), { a2: 'waiting', b1: 'given-up', c1: 'running' })
    })

    test('they are taken back by kind and key, and one that runs finds itself gone', async () => {
      await leave('back', ['a1', 'a2', 'b1'])
      const [running] = (await claim(one, 'back')) as [ClaimedEffect]
      const has = () => one.transaction(tester, (writing) => writing.hasEffect(running))
      assert.equal(await has(), true)
      const gone = await two.transaction(tester, async (writing) => {
        const taken = await writing.takeBackEffects('back', 'a')
        await writing.leaveEffects([effectOf('back', 'a3')])
        return taken
      })
      assert.equal(gone, 2)
      assert.equal(await has(), false)
      assert.deepEqual(await one.effects.settle('one', { ...nothing, done: [running] }, 0), [])
      assert.deepEqual(await statesOf('back'), { b1: 'running', a3: 'waiting' })
      assert.deepEqual(namesOf(await claim(two, 'back')), ['a3'])
    })

    test('the end of one that was taken back is not that of another with its number', async () => {
      await leave('number', ['a1'])
      const [gone] = (await claim(one, 'number')) as [ClaimedEffect]
      await one.transaction(tester, (writing) => writing.takeBackEffects('number', 'a'))
      await leave('number', ['b1'])
      const [other] = (await claim(one, 'number')) as [ClaimedEffect]
      if (database === 'SQLite') assert.equal(other.number, gone.number)
      const outcomes = { done: [gone], later: [], givenUp: [] }
      assert.deepEqual(await one.effects.settle('one', outcomes, 0), [])
      assert.equal(await one.effects.keepSteps('one', gone, '[]'), false)
      assert.deepEqual(await statesOf('number'), { b1: 'running' })
      await one.effects.settle('one', { ...nothing, done: [other] }, 0)
      assert.deepEqual(await statesOf('number'), {})
    })

    test('those of some keys are due sooner, unless they run', async () => {
      await leave('soon', ['a1'])
      await claim(one, 'soon')
      await leave('soon', ['b1', 'c1', 'd1'], { dueMs: 500 })
      assert.equal(await one.effects.hasten('soon', ['a'], 5), false)
      assert.equal(await one.effects.hasten('soon', ['a', 'b', 'c', 'e'], 5), true)
      assert.deepEqual(namesOf(await claim(two, 'soon', { nowMs: 5 })), ['b1', 'c1'])
    })

    test('what holds a row holds up no other: claims pass over it, and its end is written later', async () => {
      if (database === 'SQLite') return // one transaction at a time
      await leave('held', ['a1', 'b1', 'b2'])
      const [a1, b1] = (await claim(one, 'held')) as [ClaimedEffect, ClaimedEffect]
      const taken = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      const other = two.transaction(tester, async (writing) => {
        await writing.takeBackEffects('held', 'b')
        taken.resolve()
        await finish.promise
      })
      await Promise.race([taken.promise, other])
      const done = [a1, b1]
      assert.deepEqual(await one.effects.settle('one', { ...nothing, done }, 0), [b1.id])
      finish.resolve()
      await other
      assert.deepEqual(await one.effects.settle('one', { ...nothing, done: [b1] }, 0), [])
      assert.deepEqual(await statesOf('held'), {})
    })

    test('one that is left while its line is taken back is not stuck behind what is gone', async () => {
      await leave('stuck', ['a1'])
      await claim(one, 'stuck')
      await leave('stuck', ['a2'])
      assert.deepEqual(await claim(two, 'stuck'), [])
      assert.deepEqual(await statesOf('stuck'), { a1: 'running', a2: 'behind' })
      const [a1] = await one.effects.findAll('stuck-a1', 0)
      await place.writePast(`DELETE FROM ${effectsTable} WHERE id = 'stuck-a2'`)
      await leave('stuck', ['a3'])
      await claim(two, 'stuck')
      assert.deepEqual(await one.effects.settle('one', { ...nothing, done: [a1 as StoredEffect] }, 0), [])
      assert.deepEqual(namesOf(await claim(two, 'stuck')), ['a3'])
    })
  })
}
