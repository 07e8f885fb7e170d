/**
 * Races over three instances: each has one winner, and an acknowledged write is neither lost nor
 * invisible to its caller.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestPerson, TestResponse, TestService } from '../helpers/application.ts'
import { cookieParts } from '../helpers/application.ts'
import { type Instances, startInstances } from './instances.ts'

const v1 = '/api/v1'
let instances: Instances
let first: TestService
let editor: TestPerson
before(async () => {
  instances = await startInstances(3)
  first = instances.all[0] as TestService
  editor = await first.person('EDITOR')
})
after(() => instances.stop())

function tally(replies: readonly TestResponse[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const isRefused = (reply: unknown) => (reply as Partial<TestResponse> | undefined)?.status === 503
/**
 * On a slow machine a request may wait too long and be refused. It has changed nothing, so the test
 * repeats it.
 */
async function times<T>(count: number, ask: (i: number) => Promise<T>): Promise<T[]> {
  const askUntilTaken = async (i: number) => {
    let reply = await ask(i)
    while (isRefused(reply)) reply = await ask(i)
    return reply
  }
  return Promise.all(Array.from({ length: count }, (_, i) => askUntilTaken(i)))
}

async function edition(body: object): Promise<TestResponse['body']> {
  const made = await first.ask('POST', `${v1}/editions`, {
    body: { title: 'Rare', price: 1, ...body },
    token: editor.token,
  })
  assert.equal(made.status, 201, made.text)
  return made.body
}

async function readyLoan(): Promise<{ id: string; borrower: TestPerson }> {
  const borrower = await first.person()
  const { id: editionId } = await edition({ copies: 5 })
  const basket = `${v1}/members/${borrower.id}/basket`
  await first.ask('POST', `${basket}/lines`, { body: { editionId, count: 1 }, token: borrower.token })
  const loan = await first.ask('POST', `${basket}/borrow`, { token: borrower.token })
  await first.ask('POST', `${v1}/loans/${loan.body.id}/prepare`, { token: editor.token })
  return { id: loan.body.id, borrower }
}

describe('of many at once, over three instances', () => {
  it('one gets the e-mail', async () => {
    const body = { email: 'wanted@example.com', password: 'correct horse' }
    assert.deepEqual(tally(await times(45, () => instances.next().ask('POST', `${v1}/members`, { body }))), {
      201: 1,
      409: 44,
    })
  })

  it('one gets the last copy', async () => {
    const { id: editionId } = await edition({ copies: 1 })
    const borrowers = await times(9, () => first.person())
    for (const { id, token } of borrowers)
      await first.ask('POST', `${v1}/members/${id}/basket/lines`, { body: { editionId, count: 1 }, token })
    const loans = await Promise.all(
      borrowers.map(({ id, token }) => instances.next().ask('POST', `${v1}/members/${id}/basket/borrow`, { token })),
    )
    assert.deepEqual(tally(loans), { 201: 1, 409: 8 })
    assert.equal((await instances.next().ask('GET', `${v1}/editions/${editionId}`)).body.copies, 0)
  })

  it('everything added to one basket is in it', async () => {
    const { id: editionId } = await edition({ copies: 1000 })
    const { id, token } = await first.person()
    const path = `${v1}/members/${id}/basket`
    const added = await times(45, () =>
      instances.next().ask('POST', `${path}/lines`, { body: { editionId, count: 1 }, token }),
    )
    assert.ok(
      added.every(({ status }) => status < 300),
      JSON.stringify(tally(added)),
    )
    const basket = (await instances.next().ask('GET', path, { token })).body
    assert.deepEqual([basket.count, basket.lines.length], [45, 1])
  })

  it('one refresh token has one successor', async () => {
    const person = await first.person()
    const cookie = `refreshToken=${person.refreshToken}`
    const replies = await times(30, () => instances.next().ask('POST', '/auth/refresh', { cookie }))
    assert.deepEqual(tally(replies), { 200: 30 })
    const successors = replies.map(({ headers }) => cookieParts(headers.get('set-cookie')).refreshToken)
    assert.equal(new Set(successors).size, 1)
  })

  it('a loan is cancelled or lent, never both', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, borrower } = await readyLoan()
      const replies = await times(9, (i) =>
        instances.next().ask('POST', `${v1}/loans/${id}/${i % 2 ? 'cancel' : 'lend'}`, {
          token: i % 2 ? borrower.token : editor.token,
        }),
      )
      assert.deepEqual(tally(replies), { 200: 1, 409: 8 })
      const winner = replies.findIndex(({ status }) => status === 200)
      const { status } = (await instances.next().ask('GET', `${v1}/loans/${id}`, { token: editor.token })).body
      assert.equal(status, winner % 2 ? 'CANCELLED' : 'LENT')
    }
  })

  it('two baskets that hold the same editions in another order do not block each other', async () => {
    const ids = [(await edition({ copies: 100 })).id, (await edition({ copies: 100 })).id]
    const loans = await times(12, async (i) => {
      const { id, token } = await first.person()
      for (const editionId of i % 2 ? ids : ids.toReversed())
        await first.ask('POST', `${v1}/members/${id}/basket/lines`, { body: { editionId, count: 1 }, token })
      return instances.next().ask('POST', `${v1}/members/${id}/basket/borrow`, { token })
    })
    assert.deepEqual(tally(loans), { 201: 12 })
  })
})

/**
 * Each record is a list that writers append to. A writer reads it, adds an entry and stores it only
 * if no other write came first (If-Match). Every acknowledged entry is in the final list, and a
 * session that wrote or read an entry never reads a list without it later.
 */
describe('a history of appends to each record', () => {
  it('holds every acknowledged entry once, and nobody goes back in time', async () => {
    const records = await times(4, async () => (await edition({ title: 'History', summary: '' })).id as string)
    const acknowledged = new Map<string, string[]>(records.map((id) => [id, []]))
    const entriesOf = (reply: TestResponse): string[] =>
      String(reply.body.summary ?? '')
        .split(' ')
        .filter(Boolean)

    async function session(name: number): Promise<void> {
      const seen = new Map<string, string[]>()
      for (let step = 0; step < 30; step += 1) {
        const id = records[(name + step) % records.length] as string
        const path = `${v1}/editions/${id}`
        const read = await instances.next().ask('GET', path)
        assert.equal(read.status, 200)
        const entries = entriesOf(read)
        const before = seen.get(id) ?? []
        assert.deepEqual(entries.slice(0, before.length), before, 'what a session has seen, it sees again')
        seen.set(id, entries)
        const entry = `${name}.${step}`
        const written = await instances.next().ask('PATCH', path, {
          body: { summary: [...entries, entry].join(' ') },
          headers: { 'if-match': read.headers.get('etag') as string },
          token: editor.token,
        })
        assert.ok([200, 412].includes(written.status), written.text)
        if (written.status !== 200) continue
        acknowledged.get(id)?.push(entry)
        seen.set(id, [...entries, entry])
      }
    }
    await times(9, session)
    for (const id of records) {
      const final = entriesOf(await instances.next().ask('GET', `${v1}/editions/${id}`))
      assert.deepEqual(final.toSorted(), acknowledged.get(id)?.toSorted())
    }
    assert.ok([...acknowledged.values()].flat().length > 30, 'some were stored')
  })
})
