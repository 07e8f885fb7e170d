/**
 * A long import does not block others: costly lines yield the event loop, and the transaction ends
 * when another write waits for it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import type { ImportLine, ImportOperation } from '../../src/operation/operation.ts'
import { importLines } from '../../src/perform/imports/import-lines.ts'
import type { Permitted } from '../../src/policy/policy.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { Principal } from '../../src/resource/principal.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { onPostgres, startService, type TestService } from '../helpers/application.ts'

const machineOfAdmin: Principal = { kind: 'user', userId: 'somebody', role: 'ADMIN', via: 'key', scopes: null }

describe('an import', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  /** The outcomes of `count` lines, in their order. */
  async function importAll(count: number, parse: (line: number) => unknown) {
    const { engine } = service.service
    async function* lines(): AsyncGenerator<ImportLine> {
      for (let line = 1; line <= count; line += 1) yield { line, text: '', parse: () => parse(line) }
    }
    const resource = engine.catalog.get('edition')
    const admission = engine.policy.admit(machineOfAdmin, { resource, operation: 'import', nested: false })
    const operation = { kind: 'import', resource, under: undefined, select: null, lines: lines() } as const
    const permitted = engine.policy.permit(admission, operation) as Permitted<ImportOperation>
    const done = []
    for await (const one of importLines(engine, permitted)) done.push(one)
    assert.deepEqual(
      done.map(({ line }) => line),
      Array.from({ length: count }, (_, i) => i + 1),
    )
    return done
  }

  /** How many records each commit has added while this ran. */
  async function commitsDuring(work: () => Promise<unknown>): Promise<number[]> {
    const sizes: number[] = []
    let isOver = false
    service.service.engine.storage.changes.follow({
      apply(changes) {
        const own = changes.filter(({ resource }) => resource === 'edition')
        if (!isOver && own.length > 0) sizes.push(own.reduce((sum, { records }) => sum + records.length, 0))
      },
      reset: () => undefined,
    })
    await work()
    isOver = true
    return sizes
  }

  it('of costly lines gives the others a turn after each', async () => {
    const readIn: number[] = []
    let turn = 0
    const count = () => {
      turn += 1
      if (readIn.length < 6) setImmediate(count).unref()
    }
    count()
    const done = await importAll(6, () => {
      readIn.push(turn)
      const untilMs = performance.now() + 15
      while (performance.now() < untilMs);
      throw new ApiError('bad-request', 'a costly line')
    })
    assert.deepEqual(
      done.map((one) => one.done),
      Array(6).fill('rejected'),
    )
    assert.equal(new Set(readIn).size, 6, `in the turns ${readIn}`)
  })

  it('stores many lines in one transaction while nobody waits for its end', { skip: onPostgres }, async () => {
    const sizes = await commitsDuring(() => importAll(2_300, (line) => ({ title: `Alone ${line}`, price: 1 })))
    assert.deepEqual(sizes, [2_000, 300])
  })

  it('ends its transaction when somebody waits for that', { skip: onPostgres }, async () => {
    const { engine } = service.service
    let readWhenDone = 0
    let read = 0
    let waiting: Promise<void> | undefined
    const sizes = await commitsDuring(() =>
      importAll(2_000, (line) => {
        read = line
        if (line === 600)
          waiting = engine.records
            .transaction(serviceAuthor, async (tx) => tx.count(engine.catalog.get('edition'), always))
            .then(() => {
              readWhenDone = read
            })
        return { title: `Beside ${line}`, price: 1 }
      }),
    )
    await waiting
    assert.equal(sizes[0], 1_000)
    assert.ok(readWhenDone < 2_000, `it waited until line ${readWhenDone}`)
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      2_000,
    )
  })

  it('rejects the lines that the database refuses, and no others, however many lines it stores together', async () => {
    const bad = new Set([3, 251, 777, 1_900])
    const isbnOf = (line: number) => `isbn ${bad.has(line) ? 2 : line}`
    const done = await importAll(2_100, (line) => ({ title: `Conflict ${line}`, price: 1, isbn: isbnOf(line) }))
    const rejected = done.filter((one) => one.done === 'rejected').map(({ line }) => line)
    assert.deepEqual(rejected, [...bad])
    const { catalog, storage } = service.service.engine
    const stored = await storage.count(catalog.get('edition'), equal('isbn', 'isbn 2100'))
    assert.equal(stored, 1)
  })
})
