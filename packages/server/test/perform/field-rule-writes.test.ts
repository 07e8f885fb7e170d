/**
 * Writes of fields whose rules depend on the record. A replace keeps what the caller may not read,
 * no refusal tells a value, and the record decides what a caller may set.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AskOptions, startService, type TestPerson, type TestService } from 'bindery-server/test'
import { equal } from '../../src/resource/condition.ts'
import { declarations } from './carded-people.ts'

let service: TestService
let ann: TestPerson
let ben: TestPerson
let admin: TestPerson
let teamId: unknown

before(async () => {
  service = await startService(declarations, { env: { RATE_LIMIT: '' } })
  ;[ann, ben, admin] = [await service.person(), await service.person(), await service.admin()]
  teamId = (await service.make('team', { name: 'Red', leadId: ann.id })).id
})
after(() => service.stop())

let made = 0
/** A card of Ann's, and its path. */
async function card(values: object = {}): Promise<{ readonly id: string; readonly path: string }> {
  made += 1
  const own = { ownerId: ann.id, name: 'Card', email: 'ann@x.y', code: `code ${made}`, phone: '1', isOpen: false }
  const { id } = await service.make('card', { salary: null, teamId: null, homeId: null, ...own, ...values })
  return { id: id as string, path: `/api/v1/cards/${id}` }
}
async function stored(id: string): Promise<Readonly<Record<string, unknown>>> {
  const { catalog, storage } = service.service.engine
  return (await storage.find(catalog.get('card'), equal('id', id)))?.row ?? {}
}
const ask = (method: string, path: string, who: AskOptions | undefined, body?: unknown) =>
  service.ask(method, path, { ...who, body })

describe('a replace', () => {
  test('keeps the fields that the caller may not read, and clears those that it leaves out otherwise', async () => {
    const { id, path } = await card({ salary: 5, tags: ['a'] })
    const whole = { name: 'New', ownerId: ann.id }
    const byBen = await ask('PUT', path, ben, whole)
    assert.equal(byBen.status, 200)
    assert.ok(!('email' in byBen.body) && !('phone' in byBen.body) && !('salary' in byBen.body))
    const kept = await stored(id)
    assert.deepEqual([kept.name, kept.email, kept.phone, kept.salary, kept.tags], ['New', 'ann@x.y', '1', 5, ['a']])
    const missing = await ask('PUT', path, ann, whole)
    assert.deepEqual([missing.status, missing.body.error], [400, 'phone is required'])
    assert.equal((await ask('PUT', path, ann, { ...whole, phone: '2' })).status, 200)
    const cleared = await stored(id)
    assert.deepEqual(
      [cleared.email, cleared.phone, cleared.salary, cleared.tags],
      [null, '2', 5, ['a']],
      'Ann sees neither the salary nor the tags of a closed card',
    )
  })

  test('what a get shows can be sent back', async () => {
    const { id, path } = await card({ salary: 5 })
    const before = await stored(id)
    for (const person of [ann, ben, admin]) {
      const { body } = await ask('GET', path, person)
      const { id: _, homeName, line, label, ...sent } = body
      const reply = await ask('PUT', path, person, sent)
      assert.deepEqual([reply.status, { ...(await stored(id)), version: 0 }], [200, { ...before, version: 0 }])
    }
  })
})

describe('an update', () => {
  test('of a field that the caller may not read there is refused, whatever value it sends', async () => {
    const { id, path } = await card()
    for (const email of ['ann@x.y', 'other@x.y', null]) {
      const reply = await ask('PATCH', path, ben, { email })
      assert.deepEqual([reply.status, reply.body.error], [403, 'Insufficient permissions'])
    }
    assert.equal((await ask('PATCH', path, ann, { email: 'new@x.y' })).status, 200)
    assert.equal((await stored(id)).email, 'new@x.y')
    const open = await card({ isOpen: true })
    assert.equal((await ask('PATCH', open.path, ben, { phone: '7' })).status, 200)
  })

  test('of a field with a rule for writes is decided by the stored record', async () => {
    const { id, path } = await card({ teamId, salary: 5 })
    assert.equal((await ask('PATCH', path, ben, { salary: 5 })).status, 403, 'Ben sees no salary')
    assert.equal((await ask('PATCH', path, ann, { salary: 6 })).status, 200, 'Ann leads the team')
    assert.equal((await ask('PATCH', path, ben, { rank: 1 })).status, 200, 'every caller sees the rank: no change')
    assert.equal((await ask('PATCH', path, ben, { rank: 2 })).status, 403)
    // The card is Ann's when she ranks it, and Ben's afterwards.
    const given = await ask('PATCH', path, ann, { rank: 3, ownerId: ben.id })
    assert.deepEqual([given.status, given.body.rank, 'email' in given.body], [200, 3, false])
    assert.equal((await ask('PATCH', path, ann, { rank: 4 })).status, 403)
    assert.equal((await stored(id)).rank, 3)
  })

  test('shows by the changed record, and a retry gets the same', async () => {
    const { path } = await card()
    const headers = { 'idempotency-key': 'one-key-for-this-change' }
    const opened = await service.ask('PATCH', path, { ...ben, headers, body: { isOpen: true } })
    assert.deepEqual([opened.status, opened.body.phone, 'email' in opened.body], [200, '1', false])
    const again = await service.ask('PATCH', path, { ...ben, headers, body: { isOpen: true } })
    assert.equal(again.text, opened.text)
    const closed = await ask('PATCH', path, ben, { isOpen: false })
    assert.ok(!('phone' in closed.body))
  })
})

describe('a create', () => {
  test('may set what its caller will not read', async () => {
    const values = { name: 'New', phone: '5', email: 'new@x.y', ownerId: ann.id }
    for (const person of [undefined, ben]) {
      const reply = await ask('POST', '/api/v1/cards', person, values)
      assert.equal(reply.status, 201, reply.text)
      assert.ok(!('email' in reply.body) && !('phone' in reply.body))
      assert.equal((await stored(reply.body.id)).email, 'new@x.y')
    }
    const own = await ask('POST', '/api/v1/cards', ann, values)
    assert.deepEqual([own.body.email, own.body.line], ['new@x.y', 'New <new@x.y>'])
  })

  test('is judged by the new record where a field has a rule for writes', async () => {
    const values = { name: 'New', phone: '5', teamId, salary: 3 }
    const byBen = await ask('POST', '/api/v1/cards', ben, values)
    assert.deepEqual([byBen.status, byBen.body.error], [403, 'Insufficient permissions'])
    const byLead = await ask('POST', '/api/v1/cards', ann, values)
    assert.deepEqual([byLead.status, byLead.body.salary], [201, 3])
    const { body } = await ask('GET', '/api/v1/cards?filter={"salary":{"eq":3}}', admin)
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [byLead.body.id],
      'nothing of the refused one was stored',
    )
  })

  test('that meets a unique value tells no more than that it is taken', async () => {
    const { id } = await card({ code: 'taken' })
    const reply = await ask('POST', '/api/v1/cards', ben, { name: 'B', phone: '1', code: 'taken' })
    assert.deepEqual([reply.status, reply.body.error], [409, 'code must be unique'])
    const upsert = await ask('PUT', '/api/v1/cards?on=code', ben, { name: 'B', phone: '1', code: 'taken' })
    assert.deepEqual([upsert.status, upsert.body.error], [409, 'code must be unique'])
    const own = await ask('PUT', '/api/v1/cards?on=code', ann, {
      ownerId: ann.id,
      name: 'A',
      phone: '1',
      code: 'taken',
    })
    assert.deepEqual([own.status, own.body.id], [200, id])
  })
})

describe('many records', () => {
  test('a bulk write finds by what the caller sees', async () => {
    const [mine, other] = [await card({ email: 'bulk@x.y' }), await card({ email: 'bulk@x.y', ownerId: ben.id })]
    const byMail = '/api/v1/cards?limit=10&email=bulk@x.y'
    assert.deepEqual((await ask('PATCH', byMail, ann, { name: 'Found' })).body, { success: true, updated: 1 })
    assert.deepEqual([(await stored(mine.id)).name, (await stored(other.id)).name], ['Found', 'Card'])
    const filter = encodeURIComponent(JSON.stringify({ email: { eq: 'bulk@x.y' }, id: { in: [mine.id, other.id] } }))
    assert.equal((await ask('DELETE', `/api/v1/cards?limit=10&filter=${filter}`, admin)).body.deleted, 0)
    const both = encodeURIComponent(JSON.stringify({ id: { in: [mine.id, other.id] } }))
    const refused = await ask('PATCH', `/api/v1/cards?limit=10&filter=${both}`, ann, { email: 'x@x.y' })
    assert.equal(refused.status, 403)
    assert.equal((await stored(mine.id)).email, 'bulk@x.y', 'nothing was stored')
  })

  test('an import changes only what its caller may, and an export can be imported again', async () => {
    const [mine, other] = [await card({ teamId }), await card({ ownerId: ben.id })]
    const lines = (some: readonly object[]) => some.map((one) => JSON.stringify(one)).join('\n')
    const send = (who: TestPerson, some: readonly object[]) =>
      service.ask('POST', '/api/v1/cards/import', { ...who, raw: lines(some), type: 'application/x-ndjson' })
    const reply = await send(ann, [
      { id: mine.id, email: 'imported@x.y' },
      { id: other.id, email: 'ann@x.y' },
      { name: 'In', phone: '1', email: 'in@x.y' },
      { name: 'In', phone: '1', salary: 4 },
      { name: 'In', phone: '1', salary: 4, teamId },
    ])
    assert.deepEqual(
      [reply.body.updated, reply.body.created, reply.body.errors.map(({ line }: { line: number }) => line)],
      [1, 2, [2, 4]],
    )
    assert.deepEqual([(await stored(mine.id)).email, (await stored(other.id)).email], ['imported@x.y', 'ann@x.y'])
    const { text } = await ask('GET', '/api/v1/cards/export', ben)
    const before = await stored(mine.id)
    const again = await service.ask('POST', '/api/v1/cards/import', { ...ben, raw: text, type: 'application/x-ndjson' })
    assert.deepEqual([again.body.rejected, again.body.created], [0, 0], again.text)
    assert.deepEqual(await stored(mine.id), before)
  })
})

describe('a list', () => {
  test('is neither sorted nor grouped by such a field, unless the caller reads it on every record', async () => {
    const refused: readonly [string, RegExp][] = [
      ['?sort=phone', /^Cannot sort by phone; sortable: name$/],
      ['?sort=-salary', /^Cannot sort by salary/],
      ['?sort=email', /^Cannot sort by email/],
      ['/summary?group=phone', /^Cannot group by phone/],
      ['/summary?sum=salary', /^Cannot take the sum of salary; possible: rank$/],
      ['/summary?most=salary', /^Cannot take the most of salary/],
    ]
    for (const [query, error] of refused)
      for (const person of [undefined, ann]) {
        const reply = await ask('GET', `/api/v1/cards${query}`, person)
        assert.equal(reply.status, 400, query)
        assert.match(reply.body.error, error)
      }
    for (const query of ['?sort=phone', '?sort=-salary', '/summary?group=phone', '/summary?sum=salary'])
      assert.equal((await ask('GET', `/api/v1/cards${query}`, admin)).status, 200, query)
    assert.equal((await ask('GET', '/api/v1/cards?sort=email', admin)).status, 400, 'it is the owner who sees it')
  })

  test('does not know a field that the caller reads on no record', async () => {
    for (const query of ['?email=a', '?fields=email', '?mail=a', '?filter={"email":{"null":true}}', '?line=a'])
      assert.equal((await ask('GET', `/api/v1/cards${query}`, undefined)).status, 400, query)
  })

  test('a cursor walks a filter on such a field', async () => {
    for (let i = 0; i < 5; i += 1) await card({ name: 'Walked', isOpen: i % 2 === 0, phone: 'walk' })
    const path = '/api/v1/cards?limit=1&sort=name&phone=walk'
    let [cursor, count] = ['', 0]
    while (cursor !== null) {
      const { body } = await ask('GET', `${path}&cursor=${cursor}`, ben)
      count += body.data.length
      cursor = body.meta.nextCursor
    }
    assert.equal(count, 3)
  })
})

describe('an ETag', () => {
  test('of a page differs where one caller sees a field and another does not', async () => {
    await card()
    await card({ ownerId: ben.id })
    const etags = []
    for (const person of [undefined, ann, ben])
      etags.push((await ask('GET', '/api/v1/cards?limit=100', person)).headers.get('etag'))
    assert.equal(new Set(etags).size, 3)
  })

  test('tells apart what two callers see, and what one sees after another record has changed', async () => {
    const team = await service.make('team', { name: 'Blue', leadId: ben.id })
    const badge = await service.make('badge', { teamId: team.id, pin: '1234' })
    const path = `/api/v1/badges/${badge.id}`
    const etagOf = async (who: TestPerson | undefined) => (await ask('GET', path, who)).headers.get('etag') as string
    const tags = [await etagOf(undefined), await etagOf(ann), await etagOf(ben), await etagOf(admin)]
    assert.equal(new Set(tags).size, 2, 'only Ben sees the pin')
    assert.equal((await ask('GET', path, ben)).body.pin, '1234')
    const [, , seen = ''] = tags
    assert.equal((await service.ask('GET', path, { ...ben, headers: { 'if-none-match': seen } })).status, 304)
    await ask('PATCH', `/api/v1/teams/${team.id}`, admin, { leadId: ann.id })
    const after = await service.ask('GET', path, { ...ben, headers: { 'if-none-match': seen } })
    assert.deepEqual([after.status, 'pin' in after.body], [200, false])
    const written = await service.ask('PATCH', path, { ...ann, headers: { 'if-match': seen }, body: { pin: '5' } })
    assert.equal(written.status, 200, 'a precondition names a version, whoever has seen it')
  })
})
