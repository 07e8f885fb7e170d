/**
 * Counted fields (`count`, `sum`, `latest`): every way of a write keeps them. Random writes end as
 * a real count does.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from '../../src/testing/index.ts'
import { countedNames, countsIn, loans, readers } from './counted-resources.ts'

let own: TestService
before(async () => {
  own = await startService([readers, loans])
})
after(() => own.stop())

type Made = { readonly id: string }
const send = async (method: string, path: string, body?: object) => {
  const answer = await own.ask(method, `/api/v1${path}`, body === undefined ? {} : { body })
  assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`)
  return answer
}
const reader = async (label = 'r'): Promise<string> => ((await send('POST', '/readers', { label })).body as Made).id
const loan = async (values: object): Promise<string> =>
  ((await send('POST', '/loans', { title: 'a', ...values })).body as Made).id
const shown = async (readerId: string) => (await send('GET', `/readers/${readerId}`)).body
const sums = async (readerId: string) => [(await shown(readerId)).weight, (await shown(readerId)).far]

async function assertExact(): Promise<void> {
  const { kept, real } = await countsIn(own.service.engine)
  assert.deepEqual(kept, real)
}

describe('counted fields', () => {
  it('follow creates, changes, moves and deletes, and begin at none', async () => {
    const [one, two] = [await reader(), await reader()]
    const { updatedAt: _, ...empty } = await shown(one)
    assert.deepEqual(empty, {
      ...{ id: one, label: 'r', loans: 0, openLoans: 0, fees: 0, days: 0, weight: '0.000', far: '0' },
      ...{ lastTaken: null, advised: 0 },
    })
    const first = await loan({ readerId: one, fee: 1.5, days: 3, takenAt: '2026-01-02T00:00:00Z' })
    const second = await loan({ readerId: one, fee: 2.25, returned: true, takenAt: '2026-01-01T00:00:00Z' })
    await loan({ adviserId: one })
    const both = await shown(one)
    assert.deepEqual(
      countedNames.map((name) => both[name]),
      [2, 1, 2.25, 3, '0.000', '0', '2026-01-02T00:00:00.000Z', 1],
    )
    await send('PATCH', `/loans/${first}`, { title: 'lost', returned: true })
    assert.deepEqual([(await shown(one)).fees, (await shown(one)).lastTaken], [3.75, '2026-01-01T00:00:00.000Z'])
    await send('PATCH', `/loans/${second}`, { readerId: two, days: 4 })
    assert.deepEqual([(await shown(one)).loans, (await shown(two)).days], [1, 4])
    await send('DELETE', `/loans/${second}`)
    assert.deepEqual([(await shown(two)).loans, (await shown(two)).lastTaken], [0, null])
    await send('POST', `/loans/${first}/twice`)
    await assertExact()
  })

  it('change neither version nor updatedAt, but the ETag and what is cached', async () => {
    const one = await reader('etag')
    const before = await send('GET', `/readers/${one}`)
    const etag = before.headers.get('etag') as string
    const path = '/readers?sort=-loans&limit=1'
    for (let i = 0; i < 3; i += 1) await send('GET', path)
    for (let i = 0; i < 4; i += 1) await loan({ readerId: one })
    const after = await own.ask('GET', `/api/v1/readers/${one}`, { headers: { 'if-none-match': etag } })
    assert.deepEqual([after.status, after.body.loans, after.body.updatedAt], [200, 4, before.body.updatedAt])
    assert.equal((await send('GET', path)).body.data[0].loans, 4)
    const headers = { 'if-match': etag }
    const patched = await own.ask('PATCH', `/api/v1/readers/${one}`, { body: { label: 'new' }, headers })
    assert.equal(patched.status, 200, patched.text)
    const found = await send('GET', '/readers?loans[gte]=4&openLoans=4')
    assert.deepEqual(
      found.body.data.map(({ label }: { label: string }) => label),
      ['new'],
    )
    const query = `{ reader(id: "${one}") { loans openLoans fees days lastTaken } }`
    const { body } = await own.ask('POST', '/graphql', { body: { query } })
    assert.deepEqual(
      body.data?.reader,
      { loans: 4, openLoans: 4, fees: 0, days: 0, lastTaken: null },
      JSON.stringify(body),
    )
  })

  it('are exact sums of decimals and of long numbers, and 409 beyond 64 bits', async () => {
    const [one, two] = [await reader('long'), await reader('long two')]
    const most = '9223372036854775807'
    const first = await loan({ readerId: one, far: most, weight: '999999999999999.999' })
    await loan({ readerId: one, weight: '999999999999999.999' })
    assert.deepEqual(await sums(one), ['1999999999999999.998', most])
    const beyond = (body: object) => own.ask('POST', '/api/v1/loans', { body: { title: 'a', readerId: one, ...body } })
    for (const [name, values] of [
      ['far', { far: '1' }],
      ['far', { far: most, weight: '1' }],
    ] as const) {
      const refused = await beyond(values)
      assert.deepEqual(
        [refused.status, refused.body.error],
        [409, `${name} of the reader would be too large to be exact`],
      )
    }
    assert.deepEqual(await sums(one), ['1999999999999999.998', most])
    const operations = Array.from({ length: 9 }, () => ({
      method: 'POST',
      path: '/loans',
      body: { title: 'a', readerId: two, weight: '999999999999999.999' },
    }))
    await send('POST', '/batch', { operations })
    const many = await own.ask('POST', '/api/v1/batch', { body: { operations: operations.slice(0, 1) } })
    assert.deepEqual([many.status, await sums(two)], [409, ['8999999999999999.991', '0']])
    // From one end of 64 bits to the other in one write.
    await send('PATCH', `/loans/${first}`, { far: '-9223372036854775808' })
    assert.deepEqual(await sums(one), ['1999999999999999.998', '-9223372036854775808'])
    const [found] = (await send('GET', '/readers?far[lt]=-9223372036854775807&weight[gte]=1999999999999999.9979')).body
      .data
    assert.equal(found.id, one)
    const sorted = (await send('GET', '/readers?sort=-weight,far&limit=2')).body.data as Made[]
    assert.deepEqual([sorted[0]?.id, sorted[1]?.id], [two, one])
    const query = `{ readers(sort: "-weight", filter: { far: { lt: "-1" } }) { data { weight far } } }`
    const { body } = await own.ask('POST', '/graphql', { body: { query } })
    assert.deepEqual(body.data?.readers.data, [{ weight: '1999999999999999.998', far: '-9223372036854775808' }])
    const { text } = await own.ask('GET', '/api/v1/readers/export?far[lt]=-1', {
      headers: { accept: 'application/x-ndjson' },
    })
    assert.match(text, /"weight":"1999999999999999\.998","far":"-9223372036854775808"/)
    const { Reader } = (await own.ask('GET', '/openapi.json')).body.components.schemas
    assert.deepEqual(
      [Reader.properties.weight.pattern, Reader.properties.far.format],
      ['^-?\\d{1,16}(\\.\\d{1,3})?$', 'int64'],
    )
    await send('DELETE', `/readers/${one}`)
    await send('POST', `/readers/${one}/restore`)
    assert.deepEqual(await sums(one), ['1999999999999999.998', '-9223372036854775808'])
    await assertExact()
  })

  it('no caller sets them', async () => {
    const one = await reader()
    const sent = await own.ask('PATCH', `/api/v1/readers/${one}`, { body: { loans: 3 } })
    assert.deepEqual([sent.status, sent.body.error], [400, 'loans is read-only'])
    const made = await own.ask('POST', '/api/v1/readers', { body: { label: 'x', loans: 3 } })
    assert.deepEqual([made.status, made.body.error], [400, 'loans is read-only'])
    await send('PATCH', `/readers/${one}`, { loans: 0, label: 'y' })
  })

  it('follow batches, imports, writes by a filter and cascades, and undone writes leave none', async () => {
    const [one, two] = [await reader(), await reader()]
    const operation = (readerId: string, title = 'b') => ({
      method: 'POST',
      path: '/loans',
      body: { readerId, title, adviserId: two },
    })
    await send('POST', '/batch', { operations: [operation(one), operation(two), operation(one)] })
    const undone = await own.ask('POST', '/api/v1/batch', { body: { operations: [operation(one), operation('no')] } })
    assert.equal(undone.status, 400)
    await assertExact()
    assert.deepEqual([(await shown(one)).loans, (await shown(two)).advised], [2, 3])
    const lines = Array.from({ length: 700 }, (_, at) =>
      JSON.stringify({
        title: `i${at % 7}`,
        readerId: at % 50 === 49 ? 'no' : at % 2 ? one : two,
        days: at % 5,
        weight: '0.125',
      }),
    )
    const file = { raw: lines.join('\n'), type: 'application/x-ndjson' }
    const imported = await own.ask('POST', '/api/v1/loans/import', file)
    assert.equal(imported.body.created, 686, imported.text)
    await assertExact()
    await send('PATCH', '/loans?title=i3&limit=1000', { returned: true, readerId: one })
    await send('DELETE', '/loans?title=i4&limit=1000')
    await assertExact()
    await send('DELETE', `/readers/${two}`)
    await assertExact()
    assert.equal((await own.ask('GET', `/api/v1/readers/${two}`)).status, 404)
  })

  it('count no trashed record, and all that refer to one that comes back', async () => {
    const [one, two] = [await reader('trash'), await reader('other')]
    const lost = await loan({ readerId: one, title: 'lost', fee: 3, returned: true, days: 2 })
    const advised = await loan({ readerId: two, adviserId: one, takenAt: '2026-02-01T00:00:00Z' })
    await send('DELETE', `/loans/${lost}`)
    assert.deepEqual([(await shown(one)).loans, (await shown(one)).fees], [0, 0])
    await send('POST', `/loans/${lost}/restore`)
    assert.deepEqual([(await shown(one)).loans, (await shown(one)).fees], [1, 3])
    await send('DELETE', `/readers/${one}`)
    await send('PATCH', `/loans/${advised}`, { title: 'still' })
    const more = await loan({ readerId: two })
    const back = await send('POST', `/readers/${one}/restore`)
    const read = await send('GET', `/readers/${one}`)
    assert.deepEqual([back.body, back.headers.get('etag')], [read.body, read.headers.get('etag')])
    assert.deepEqual([(await shown(one)).loans, (await shown(one)).advised, (await shown(one)).fees], [1, 1, 3])
    await send('DELETE', `/loans/${more}`)
    await assertExact()
  })

  it('end as a real count does after random writes at once', async () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const people = await Promise.all(Array.from({ length: 5 }, () => reader('random')))
    const made: string[] = []
    const person = () => (random(6) === 0 ? null : people[random(people.length)])
    const values = () => ({
      title: random(5) === 0 ? 'lost' : 'kept',
      readerId: person() ?? people[0],
      adviserId: person(),
      returned: random(2) === 0,
      fee: random(3) === 0 ? null : random(1000) / 100,
      days: random(4) === 0 ? null : random(30),
      weight: random(4) === 0 ? null : `${random(99)}.${random(9)}`,
      far: random(4) === 0 ? null : `${random(9) - 4}00000000000000000`,
      takenAt: random(4) === 0 ? null : new Date(Date.UTC(2026, 0, 1 + random(300))).toISOString(),
    })
    async function act(): Promise<void> {
      const at = made.length === 0 ? -1 : random(made.length)
      const way = at < 0 ? 0 : random(8)
      const body = values()
      if (way < 3) {
        const { status, body: answer } = await own.ask('POST', '/api/v1/loans', { body })
        if (status === 201) made.push(answer.id)
      } else if (way < 6) await own.ask('PATCH', `/api/v1/loans/${made[at]}`, { body })
      else if (way === 6) await own.ask('DELETE', `/api/v1/loans/${made.splice(at, 1)[0]}`)
      else {
        const operations = [
          { method: 'POST', path: '/loans', body },
          { method: 'PATCH', path: `/loans/${made[at]}`, body: random(2) ? values() : { readerId: 'no' } },
        ]
        await own.ask('POST', '/api/v1/batch', { body: { operations } })
      }
    }
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(Array.from({ length: 25 }, act))
      if (round === 3) await own.ask('DELETE', `/api/v1/readers/${people.pop()}`)
      await assertExact()
    }
  })
})
