/** Imports that meet faults: other lines are stored, and the caller learns where it ended. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it, type TestContext } from 'node:test'
import { startService, type TestService } from '../../src/testing/index.ts'
import { makeBindery } from '../cli/bindery.ts'
import { faultyBooks } from './faulty-books.ts'

const main = new URL('./faulty-line.ts', import.meta.url).pathname
const ids: string[] = []
let service: TestService

before(async () => {
  service = await startService([faultyBooks])
  for (const title of ['one', 'two']) {
    const made = await service.ask('POST', '/api/v1/books', { body: { title } })
    ids.push(made.body.id)
  }
})
after(() => service.stop())

const ndjson = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const fresh = (count: number) => Array.from({ length: count }, (_, i) => ({ title: `new ${i}` }))

function send(lines: readonly object[]) {
  return service.ask('POST', '/api/v1/books/import', { raw: ndjson(lines), type: 'application/x-ndjson' })
}

const total = async () => (await service.ask('GET', '/api/v1/books?limit=1')).body.meta.total as number

describe('an import', () => {
  for (const fault of ['throws', 'throws no error'])
    it(`rejects the line whose hook ${fault}, and logs the cause with the line`, async () => {
      const had = await total()
      const lines = [...fresh(700), { id: ids[0], title: fault }, ...fresh(20), { title: fault }]
      const { status, body } = await send(lines)
      const error = 'Internal server error'
      assert.deepEqual(
        [status, body],
        [
          200,
          {
            created: 720,
            updated: 0,
            rejected: 2,
            errors: [
              { line: 701, error },
              { line: 722, error },
            ],
          },
        ],
      )
      assert.equal(await total(), had + 720)
      const log = service.logged.join('\n')
      assert.match(log, /A fault rejected line 701 of an import/)
      assert.match(log, /boom/)
    })

  it('that ends early says what is done, and from which line to go on', async () => {
    const had = await total()
    const { status, body } = await send([...fresh(2_100), { title: 5 }, { id: ids[1], title: 'away' }, ...fresh(3)])
    assert.equal(status, 503)
    const done = '2000 created, 0 updated, 0 rejected; go on with line 2001'
    assert.deepEqual(body, { error: `The database cannot be reached, try again (${done})` })
    assert.equal(await total(), had + 2_000)
  })

  it('ends where every line meets a fault', async () => {
    const had = await total()
    const { status, body } = await send(Array.from({ length: 130 }, () => ({ title: 'throws' })))
    const error = 'Internal server error (0 created, 0 updated, 100 rejected; go on with line 101)'
    assert.deepEqual([status, body], [500, { error }])
    assert.match(service.logged.slice(-6).join('\n'), /Internal server error.*boom/s)
    assert.equal(await total(), had)
  })

  it('on the command line tells the operator the fault and its line, and the line to go on with', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, main)
    const file = bindery.path('books.ndjson')
    writeFileSync(file, ndjson([...fresh(5), { title: 'throws' }, ...fresh(2)]))
    const bad = await bindery.run(['import', 'books', file])
    assert.match(bad.stdout, /^books: 7 created, 0 updated, 1 rejected/)
    assert.match(bad.stderr, /^line 6: \S+: book: hooks\.beforeCreate threw boom \(unexpected; --debug shows where\)\n/)
    assert.equal(bad.code, 1)
    writeFileSync(file, ndjson([...fresh(2_100), { title: 'away' }, ...fresh(2)]))
    const away = await bindery.run(['import', 'books', file])
    assert.match(away.stdout, /^books: 2000 created, 0 updated, 0 rejected/)
    assert.match(away.stderr, /go on with --from-line 2001\n.*The database cannot be reached, try again\n$/)
    assert.equal(away.code, 1)
  })
})
