/**
 * Concurrent transactions of the embedded store: one commit for all, without a member seeing
 * another one's failure. All cases run twice. First commits wait for their fsync, as with several
 * processes on one file; then the fsync runs beside the serving thread.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { ApiError } from '../../src/errors.ts'
import { always } from '../../src/resource/condition.ts'
import type { Change } from '../../src/storage/changes.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Storage, Transaction } from '../../src/storage/storage.ts'
import { stuckMs } from '../helpers/until.ts'
import { by, libraryCatalog, shelf, tester } from './library.ts'

let folder: string
let storage: Storage
/** The changes of each commit, in the order of their delivery. */
let commits: (readonly Change[])[]
/** Whether something wrote without a row in the log. */
let isWrittenPast = false

/** How long reads share a snapshot; 0 where other processes serve the same file. */
let heldMs: number

/** Runs SQL as another program would. */
function writePast(sql: string): void {
  isWrittenPast = true
  const other = new DatabaseSync(join(folder, 'test.db'))
  other.exec(sql)
  other.close()
}

/** The labels as another process sees them. */
function storedLabels(): string[] {
  const other = new DatabaseSync(join(folder, 'test.db'), { readOnly: true })
  const rows = other.prepare('SELECT label FROM shelves ORDER BY id').all() as { label: string }[]
  other.close()
  return rows.map(({ label }) => label)
}

const open = () => openSqlite(join(folder, 'test.db'), libraryCatalog, { heldMs })
const run = (work: (transaction: Transaction) => Promise<unknown>) => storage.transaction(tester, work)
const add = (label: string) => run((transaction) => transaction.insert(shelf, { label }))
const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'stored',
    (error) => (error as Error).message,
  )

/** The log has no gap, and matches the stored rows, in the order of the commits. */
async function checkLog(): Promise<void> {
  const { changes } = await storage.changes.read(null, 1000)
  assert.deepEqual(
    changes.map(({ sequence }) => sequence),
    changes.map((_, i) => i + 1),
  )
  assert.deepEqual(
    commits.flat().map(({ images, fields, ...stored }) => stored),
    changes,
  )
  const rows = await storage.list(shelf, { where: always, sort: by('id'), limit: 1000 })
  assert.deepEqual(
    changes.flatMap(({ records }) => records.map(({ id }) => id)),
    rows.map(({ id }) => id),
  )
}

for (const each of [0, 5])
  describe(each === 0 ? 'in one of several processes' : 'in the only process', () => {
    beforeEach(async () => {
      heldMs = each
      folder = temporaryFolder()
      storage = await open()
      commits = []
      storage.changes.follow({
        apply: (changes) => void commits.push(changes),
        reset: () => assert.ok(isWrittenPast, 'missed a change'),
      })
      isWrittenPast = false
    })
    afterEach(async () => {
      await storage.close()
      removeFolder(folder)
    })

    test('writes that arrive together share commits, and each is on disk when it is answered', async () => {
      const labels = Array.from({ length: 50 }, (_, i) => `shelf ${i}`)
      await Promise.all(labels.map((label) => add(label).then(() => assert.ok(storedLabels().includes(label)))))
      // One, unless the machine is slow
      assert.ok(commits.length < labels.length, `${commits.length} commits`)
      assert.deepEqual(storedLabels(), labels)
      await checkLog()
    })

    test('a lone write does not wait for others', { timeout: stuckMs }, async (t) => {
      await add('first')
      t.mock.timers.enable({ apis: ['setTimeout'] }) // it would wait for ever
      for (let i = 1; i <= 20; i += 1) await add(`then ${i}`)
      assert.equal(commits.length, 21)
    })

    const failures: Record<string, (transaction: Transaction) => Promise<unknown>> = {
      'a key that is taken': (transaction) => transaction.insert(shelf, { label: 'before' }),
      'an error before any write': async () => Promise.reject(new Error('refused')),
      'an error after a write': async (transaction) => {
        await transaction.insert(shelf, { label: 'half done' })
        throw new Error('refused')
      },
      'a key that is taken, after a write': async (transaction) => {
        await transaction.insert(shelf, { label: 'half done' })
        await transaction.insert(shelf, { label: 'before' })
      },
      'an error that ends the whole transaction': (transaction) => transaction.insert(shelf, { label: 'breaks' }),
    }
    for (const [name, work] of Object.entries(failures)) {
      test(`${name}: the neighbours are stored`, async () => {
        // As SQLite does when the disk is full or broken: it rolls back the whole transaction
        writePast(`CREATE TRIGGER breaks BEFORE INSERT ON shelves WHEN new.label = 'breaks'
      BEGIN SELECT RAISE(ROLLBACK, 'broken'); END`)
        const outcomes = await Promise.all(
          [add('before'), run(work), add('after'), run(work), add('last')].map(outcomeOf),
        )
        assert.deepEqual(
          outcomes.map((outcome) => outcome === 'stored'),
          [true, false, true, false, true],
          outcomes.join(),
        )
        assert.match(outcomes[1] as string, /^(refused|broken|label must be unique)$/)
        assert.deepEqual(storedLabels(), ['before', 'after', 'last'])
        await checkLog()
        await add('later')
        await checkLog()
      })
    }

    test('a failing commit fails all that it was for, and nothing of them is stored', async () => {
      writePast(`CREATE TABLE later (shelf INTEGER REFERENCES shelves(id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER breaks AFTER INSERT ON shelves WHEN new.label = 'breaks' BEGIN INSERT INTO later VALUES (-1); END`)
      const stored: string[] = []
      let isShared = false
      // On a slow machine the last one may have a commit of its own.
      for (let round = 0; round < 20 && !isShared; round += 1) {
        const labels = [...Array.from({ length: 10 }, (_, i) => `shelf ${round} ${i}`), 'breaks']
        const outcomes = await Promise.all(labels.map((label) => outcomeOf(add(label))))
        assert.equal(outcomes.at(-1), 'FOREIGN KEY constraint failed')
        isShared = outcomes.at(-2) === 'FOREIGN KEY constraint failed'
        // None, unless the machine is slow
        stored.push(...labels.filter((_, i) => outcomes[i] === 'stored'))
        assert.deepEqual(storedLabels(), stored)
      }
      assert.ok(isShared, 'others failed with it')
      await add('later')
      assert.deepEqual(storedLabels(), [...stored, 'later'])
      await checkLog()
    })

    for (const when of ['before', 'after'] as const) {
      test(`a member that waits for something slow ${when} writing does not delay earlier members`, async () => {
        let attempts = 0
        let superseded: unknown
        const release = Promise.withResolvers<void>()
        const early = add('early')
        const slow = run(async (transaction) => {
          attempts += 1
          const mine = attempts
          if (when === 'after') await transaction.insert(shelf, { label: 'slow' })
          await release.promise
          try {
            await transaction.insert(shelf, { label: 'slow too' })
          } catch (error) {
            if (mine === 1) superseded = error
            throw error
          }
        })
        await early
        assert.deepEqual(storedLabels(), ['early'])
        const late = add('late')
        await sleep(30)
        assert.deepEqual(storedLabels(), ['early'])
        release.resolve()
        await Promise.all([slow, late])
        assert.deepEqual(
          storedLabels(),
          when === 'after' ? ['early', 'slow', 'slow too', 'late'] : ['early', 'slow too', 'late'],
        )
        assert.ok(attempts <= 2)
        if (attempts === 2) assert.match((superseded as Error).message, /runs again/)
        await checkLog()
      })
    }

    test('what is only tried runs when no write waits, and before the storage closes', async () => {
      const order: string[] = []
      const told = (name: string, author = tester) => storage.transaction(author, async () => void order.push(name))
      const tried = { ...tester, dry: 'undone' } as const
      await Promise.all([told('first'), told('tried', tried), told('second'), told('third')])
      assert.deepEqual(order, ['first', 'second', 'third', 'tried'])
      const last = [told('tried last', tried), storage.close()]
      await Promise.all(last)
      assert.equal(order.at(-1), 'tried last')
      storage = await open()
    })

    test('when no transaction can begin, all that wait are told at once', async () => {
      const other = new DatabaseSync(join(folder, 'test.db'))
      other.exec('BEGIN IMMEDIATE')
      const asked = ['one', 'two', 'three'].map((label) => add(label).catch((error: unknown) => error))
      const told: unknown[] = []
      for (const one of asked) void one.then((error) => told.push(error))
      await asked[0] // it waits for five seconds; one that waited again would take as long
      for (let turn = 0; turn < 20; turn += 1) await nextTurn()
      assert.equal(told.length, 3)
      for (const error of told) assert.ok(error instanceof ApiError && error.code === 'unavailable')
      other.exec('ROLLBACK')
      other.close()
      await add('four')
      assert.deepEqual(storedLabels(), ['four'])
    })

    test('counters ride along, and what waits when the storage closes is stored', async () => {
      const counted = Promise.all(Array.from({ length: 5 }, () => storage.countUp('key', 1000, 1)))
      const stored = Array.from({ length: 5 }, (_, i) => add(`shelf ${i}`))
      assert.deepEqual(
        (await counted).map(({ count }) => count),
        [1, 2, 3, 4, 5],
      )
      await Promise.all(stored)
      // one, unless the machine is slow; counters tell no reader
      assert.ok(commits.length <= 4, `${commits.length} commits`)
      const last = [add('one more'), add('and one')]
      await storage.close()
      await Promise.all(last)
      assert.equal(storedLabels().length, 7)
      storage = await open()
    })
  })
