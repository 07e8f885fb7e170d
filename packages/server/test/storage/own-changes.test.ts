/**
 * PostgreSQL's change log and this process's own changes. Another connection may read a
 * transaction's rows before its writer learns of the commit. In any such order each change arrives
 * once. The tests need no database.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeChangeFeed } from '../../src/storage/changes.ts'
import { startChangeLog } from '../../src/storage/postgres/write/change-log.ts'
import type { OwnedChange } from '../../src/storage/postgres/write/logged-write.ts'
import { changesKeptDefault } from '../../src/storage/sql/kept-bounds.ts'
import type { Executor } from '../../src/storage/sql/reader.ts'
import { libraryCatalog } from './library.ts'

const firstTransaction = 100

/** The rows of a log, as seen by transactions that are numbered in the order of their begin. */
function makeLog() {
  const began: { readonly change: OwnedChange; isCommitted: boolean }[] = []
  const lowestOpen = () => began.findIndex(({ isCommitted }) => !isCommitted)
  const bound = () => firstTransaction + (lowestOpen() === -1 ? began.length : lowestOpen())
  const rowsFrom = (from: number) =>
    began
      .filter(({ change, isCommitted }) => isCommitted && Number(change.transaction) >= from)
      .map(({ change: { transaction, sequence } }) => [
        ...[false, false, String(bound()), String(transaction), sequence],
        ...[0, 'shelf', 'insert', String(sequence), 1, null, null, 'console', null],
      ])
  const nothing = () => [[false, false, String(bound()), null, null]]
  const executor = {
    first: async () => [String(bound())],
    all: async ({ parameters }) => {
      const rows = rowsFrom(Number(parameters[0]))
      return rows.length > 0 ? rows : nothing()
    },
    run: async () => 0,
  } as Executor
  return {
    executor,
    begin(): OwnedChange {
      const transaction = BigInt(firstTransaction + began.length)
      const about = { resource: 'shelf', kind: 'insert', userId: null, credential: 'console', atMs: 0 } as const
      const change = { ...about, sequence: began.length, records: [{ id: began.length, version: 1 }], transaction }
      began.push({ change, isCommitted: false })
      return change
    },
    commit(change: OwnedChange): void {
      for (const one of began) if (one.change === change) one.isCommitted = true
    },
  }
}

async function follow() {
  const log = makeLog()
  const feed = makeChangeFeed()
  const told: number[] = []
  feed.follow({
    apply: (changes) => void told.push(...changes.map(({ sequence }) => sequence)),
    reset: () => undefined,
  })
  const report = (message: string) => assert.fail(message)
  const changes = await startChangeLog({
    executor: log.executor,
    saw: () => undefined,
    catalog: libraryCatalog,
    feed,
    report,
    transaction: (work) => work(log.executor),
    bounds: changesKeptDefault,
  })
  await changes.stop()
  return { log, changes, told }
}

test('a change that was read before its writer heard of the commit is told once', async () => {
  const { log, changes, told } = await follow()
  const change = log.begin()
  changes.writing(change)
  log.commit(change)
  await changes.catchUp()
  assert.deepEqual(told, [0])
  changes.committed([change])
  await changes.catchUp()
  assert.deepEqual(told, [0])
})

test('each change is delivered once, in any order of begins, commits, responses and reads', async () => {
  const step = fc.tuple(fc.constantFrom('begin', 'commit', 'hear', 'read'), fc.nat(3))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { log, changes, told } = await follow()
      const open: OwnedChange[] = []
      const unheard: OwnedChange[] = []
      const [takeOpen, takeUnheard] = [open, unheard].map(
        (list) => (at: number) => list.splice(at % (list.length || 1), 1),
      )
      const doings: Record<string, (at: number) => void | Promise<void>> = {
        begin() {
          open.push(log.begin())
          changes.writing(open.at(-1) as OwnedChange)
        },
        commit(at) {
          for (const change of takeOpen?.(at) ?? []) {
            log.commit(change)
            unheard.push(change)
          }
        },
        hear: (at) => changes.committed(takeUnheard?.(at) ?? []),
        read: () => changes.catchUp(),
      }
      for (const [name, at] of steps) await doings[name]?.(at)
      while (open.length > 0) await doings.commit?.(0)
      while (unheard.length > 0) await doings.hear?.(0)
      await changes.catchUp()
      const all = told.toSorted((a, b) => a - b)
      assert.deepEqual(all, [...all.keys()])
    }),
    { numRuns: 300 },
  )
})
