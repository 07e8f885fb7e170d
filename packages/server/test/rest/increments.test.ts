/**
 * Increments: an update adds to the stored number inside its transaction. None is lost among many
 * at once, the field's limits and the rules hold, and no version is needed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, bigint, defineResource, equals, id, integer, money, role, text, where } from '../../src/index.ts'
import { databaseOf } from '../../src/testing/index.ts'
import { resources, type TestService } from '../helpers/application.ts'

const heaps = defineResource({
  name: 'heap',
  path: '/heaps',
  fields: { id: id(), kind: text(), stock: integer({ default: 0, min: 0, increment: true }) },
  list: { style: 'page', filters: { kind: equals('kind') }, bulk: true },
  access: { list: anyone, create: anyone, get: anyone, update: anyone },
})
const lots = defineResource({
  name: 'lot',
  path: '/lots',
  fields: {
    id: id(),
    label: text({ required: true }),
    kind: text(),
    stock: integer({ default: 0, min: 0, max: 500, increment: true }),
    plain: integer({ default: 0 }),
    worth: money({ increment: true, min: 0 }),
    seen: bigint({ default: 0n, increment: true }),
    covert: integer({ default: 5, max: 9, increment: true, read: where({ kind: 'open' }), write: anyone }),
    guarded: integer({ default: 1, increment: true, write: role('ADMIN') }),
    doubled: integer({ default: 0 }),
  },
  onWrite: { doubled: ({ stock }) => stock * 2 },
  checks: { few: { require: { stock: { ne: 13 } }, message: 'stock is never 13' } },
  concurrency: 'required',
  access: { get: anyone, create: anyone, replace: anyone, update: anyone },
  graphql: { query: { lot: 'get' }, mutation: { updateLot: 'update' } },
})

let own: TestService
let others: TestService[]
before(async () => {
  own = await startOf([...resources, lots, heaps])
  const shared = await databaseOf(own.folder)
  // A file of SQLite has one server.
  others = 'DATABASE_URL' in shared ? [await startOf([...resources, lots, heaps], { env: shared })] : []
})
after(async () => {
  for (const other of others) await other.stop()
  await own.stop()
})

async function lot(values: object = {}): Promise<string> {
  const { body } = await own.ask('POST', '/api/v1/lots', { body: { label: 'a', ...values } })
  return `/api/v1/lots/${body.id}`
}
const patch = (path: string, body: object, headers = {}) => own.ask('PATCH', path, { body, headers })

describe('an increment', () => {
  it('is never lost among two hundred at once', async () => {
    const path = await lot()
    const services = [own, ...others]
    const added = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const by = at % 4 === 0 ? -1 : 2
        const sent = { stock: { increment: by }, seen: { increment: '1' } }
        const { status } = await (services[at % services.length] as TestService).ask('PATCH', path, { body: sent })
        assert.ok([200, 400, 409].includes(status), `${status}`) // below 0, or the forbidden 13
        return status === 200 ? by : 0
      }),
    )
    const { body } = await own.ask('GET', path)
    const stored = added.filter((by) => by !== 0)
    assert.ok(stored.length > 100)
    assert.equal(body.seen, String(stored.length))
    assert.equal(
      body.stock,
      stored.reduce<number>((sum, by) => sum + by, 0),
    )
    assert.equal(body.doubled, body.stock * 2)
  })

  it('meets the limits, the checks and the types of its field', async () => {
    const path = await lot({ stock: 3, worth: 1.1 })
    const table: readonly (readonly [body: object, status: number, shown: unknown])[] = [
      [{ stock: { increment: -3 } }, 200, 0],
      [{ stock: { increment: -1 } }, 409, 'stock must be from 0 to 500'],
      [{ stock: { increment: 13 } }, 400, 'stock is never 13'],
      [{ stock: { increment: 501 } }, 409, 'stock must be from 0 to 500'],
      [{ stock: { increment: 0.5 } }, 400, 'stock.increment must be an integer'],
      [{ stock: { increment: '1' } }, 400, 'stock.increment must be an integer'],
      [{ stock: { increment: null } }, 400, 'stock.increment must be an integer'],
      [{ stock: {} }, 400, 'stock must be a value, or an object with the member increment alone'],
      [{ stock: { increment: 1, by: 2 } }, 400, 'stock must be a value, or an object with the member increment alone'],
      [{ stock: { decrement: 1 } }, 400, 'stock must be a value, or an object with the member increment alone'],
      [{ stock: [1] }, 400, 'stock must be an integer'],
      [{ plain: { increment: 1 } }, 400, 'plain takes no increment; send the value'],
      [{ plain: {} }, 400, 'plain must be an integer'],
      [{ label: { increment: 1 } }, 400, 'label must be a string'],
      [{ guarded: { increment: 1 } }, 403, undefined],
      [{ guarded: { increment: 0 } }, 403, undefined],
      [{ covert: { increment: 1 } }, 403, undefined],
      [{ covert: { increment: 100 } }, 403, undefined],
      [{ seen: { increment: 1.5 } }, 400, undefined],
      [{ seen: { increment: '9223372036854775807' } }, 200, 0],
      [{ seen: { increment: '1' } }, 409, 'seen must be from -9223372036854775808 to 9223372036854775807'],
      [{ worth: { increment: 0.2 }, stock: { increment: 4 } }, 200, 4],
      [{ worth: { increment: -1.31 } }, 409, 'worth must be at least 0'],
      [{ worth: { increment: 0.001 } }, 400, 'worth.increment must have at most two decimals'],
    ]
    for (const [body, status, shown] of table) {
      const answer = await patch(path, body)
      assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`)
      if (shown !== undefined) assert.equal(status === 200 ? answer.body.stock : answer.body.error, shown)
    }
    assert.deepEqual((await own.ask('GET', path)).body.worth, 1.3)
    const empty = await patch(await lot(), { worth: { increment: 1 } })
    assert.deepEqual([empty.status, empty.body.error], [409, 'worth has no value yet; send one'])
  })

  it('needs no version where the body has nothing else, and heeds one that is sent', async () => {
    const path = await lot()
    assert.equal((await patch(path, { stock: { increment: 1 } })).status, 200)
    assert.equal((await patch(path, { stock: { increment: 1 }, label: 'b' })).status, 428)
    assert.equal((await patch(path, { stock: 5 })).status, 428)
    assert.equal((await patch(path, {})).status, 428)
    assert.equal((await patch(path, { stock: { increment: 1 } }, { 'if-match': '"1"' })).status, 412)
    const { headers } = await own.ask('GET', path)
    const named = { 'if-match': headers.get('etag') as string }
    const both = await patch(path, { stock: { increment: 1 }, label: 'b' }, named)
    assert.deepEqual([both.status, both.body.stock, both.body.label], [200, 2, 'b'])
    const put = await own.ask('PUT', path, {
      body: { label: 'c', stock: { increment: 1 } },
      headers: { 'if-match': '*' },
    })
    assert.deepEqual([put.status, put.body.error], [400, 'stock takes an increment in an update alone; send the value'])
    const post = await own.ask('POST', '/api/v1/lots', { body: { label: 'c', stock: { increment: 1 } } })
    assert.deepEqual(
      [post.status, post.body.error],
      [400, 'stock takes an increment in an update alone; send the value'],
    )
  })

  it('adds for many, in a batch, and over GraphQL', async () => {
    const make = async (stock: number) =>
      (await own.ask('POST', '/api/v1/heaps', { body: { kind: 'many', stock } })).headers.get('location') as string
    const paths = [await make(1), await make(2)]
    const stocks = async () =>
      (await Promise.all(paths.map((path) => own.ask('GET', path)))).map(({ body }) => body.stock)
    const many = await patch('/api/v1/heaps?limit=10&kind=many', { stock: { increment: 10 } })
    assert.deepEqual([many.status, await stocks()], [200, [11, 12]], many.text)
    const beyond = await patch('/api/v1/heaps?limit=10&kind=many', { stock: { increment: -12 } })
    assert.deepEqual([beyond.status, await stocks()], [409, [11, 12]], beyond.text)
    const operations = paths.map((path) => ({
      method: 'PATCH',
      path: path.slice(7),
      body: { stock: { increment: 2 } },
    }))
    const batch = await own.ask('POST', '/api/v1/batch', { body: { operations: [...operations, ...operations] } })
    assert.deepEqual([batch.status, await stocks()], [200, [15, 16]], batch.text)
    const first = await lot({ stock: 15 })
    const update = async (input: string) => {
      const query = `mutation { updateLot(id: "${first.split('/').at(-1)}", input: { ${input} }) { stock worth seen } }`
      const { body } = await own.ask('POST', '/graphql', { body: { query } })
      return body.errors?.[0].message ?? body.data.updateLot
    }
    assert.deepEqual(await update('worthIncrement: 1'), 'worth has no value yet; send one')
    assert.deepEqual(await update('stockIncrement: -5, seenIncrement: "7"'), { stock: 10, worth: null, seen: '7' })
    assert.deepEqual(
      await update('stockIncrement: -5, stock: 1'),
      'stock is sent beside stockIncrement: send one of them',
    )
    assert.match(await update('stockIncrement: -5, label: "x"'), /^Name the version that you read/)
  })
})
