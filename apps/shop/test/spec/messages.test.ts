/**
 * Messages: between two users, visible to them and to an ADMIN, deleted by the sender alone. The
 * same at both mounts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ann: TestPerson
let bob: TestPerson
let carol: TestPerson

before(async () => {
  service = await startService()
  ;[admin, ann, bob, carol] = await Promise.all([
    service.admin(),
    service.person(),
    service.person(),
    service.person('EDITOR'),
  ])
})
after(() => service.stop())

const send = async (from: TestPerson, to: TestPerson, text: string) =>
  (await service.ask('POST', '/messages', { body: { recipientId: to.id, text }, token: from.token })).body

describe('sending', () => {
  for (const mount of ['', '/api/v1']) {
    it(`works under "${mount}", in the caller's name`, async () => {
      const reply = await service.ask('POST', `${mount}/messages`, {
        body: { recipientId: bob.id, text: 'Hello' },
        token: ann.token,
      })
      const { _id, createdAt, ...rest } = reply.body
      assert.ok(createdAt)
      assert.deepEqual([reply.status, rest], [201, { senderId: ann.id, recipientId: bob.id, text: 'Hello' }])
      assert.equal(reply.headers.get('location'), `${mount}/messages/${_id}`)
    })
  }

  const refusals: [string, (to: string) => object, number, string][] = [
    ['another sender', (to) => ({ recipientId: to, text: 'x', senderId: to }), 400, 'senderId is read-only'],
    ['nobody', () => ({ text: 'x' }), 400, 'recipientId is required'],
    [
      'somebody who does not exist',
      () => ({ recipientId: '01926e0f-0000-7000-8000-000000000000', text: 'x' }),
      400,
      'recipientId refers to no user that exists',
    ],
    [
      'what is no id',
      () => ({ recipientId: "' OR 1=1 --", text: 'x' }),
      400,
      'recipientId refers to no user that exists',
    ],
    ['no text', (to) => ({ recipientId: to }), 400, 'text is required'],
    ['a blank text', (to) => ({ recipientId: to, text: '  ' }), 400, 'text is required'],
    [
      '4,001 characters',
      (to) => ({ recipientId: to, text: 'x'.repeat(4001) }),
      400,
      'text must be at most 4000 characters',
    ],
  ]
  for (const [what, body, status, error] of refusals) {
    it(`refuses ${what}`, async () => {
      const reply = await service.ask('POST', '/messages', { body: body(bob.id), token: ann.token })
      assert.deepEqual([reply.status, reply.body], [status, { error }])
    })
  }

  it('takes 4,000 characters, whatever they weigh', async () => {
    const reply = await service.ask('POST', '/messages', {
      body: { recipientId: bob.id, text: '🦉'.repeat(4000) },
      token: ann.token,
    })
    assert.equal(reply.status, 201)
  })

  it('needs a user, as does everything here', async () => {
    for (const [method, path] of [
      ['GET', '/messages'],
      ['POST', '/messages'],
      ['GET', '/messages/x'],
      ['DELETE', '/messages/x'],
    ] as const) {
      const reply = await service.ask(method, path)
      assert.deepEqual([reply.status, reply.body], [401, { error: 'Token required' }])
    }
  })
})

describe('reading', () => {
  it('is for sender, recipient and ADMIN; for others there is no such message', async () => {
    const { _id } = await send(ann, bob, 'between us')
    for (const path of [`/messages/${_id}`, `/api/v1/messages/${_id}`]) {
      for (const person of [ann, bob, admin])
        assert.equal((await service.ask('GET', path, { token: person.token })).body.text, 'between us')
      const hidden = await service.ask('GET', path, { token: carol.token })
      assert.deepEqual([hidden.status, hidden.body], [404, { error: 'Message not found' }])
    }
    for (const query of [
      '',
      '?q=between',
      `?senderId=${ann.id}`,
      `?recipientId=${bob.id}`,
      '?text[contains]=us',
      `?cursor=${'f'.repeat(8)}-ffff-7fff-bfff-ffffffffffff`,
    ]) {
      const reply = await service.ask('GET', `/messages${query}`, { token: carol.token })
      assert.deepEqual([reply.status, reply.body?.data], [200, []], query)
      assert.ok(!reply.text.includes('between'))
    }
  })

  it('lists newest first what each of them sent or received', async () => {
    const mine = await send(carol, ann, 'to ann')
    const yours = await send(bob, carol, 'to carol')
    const list = async (person: TestPerson) =>
      (await service.ask('GET', '/messages?limit=100', { token: person.token })).body.data.map(
        (one: { _id: string }) => one._id,
      )
    assert.deepEqual(await list(carol), [yours._id, mine._id])
    assert.ok((await list(ann)).includes(mine._id) && !(await list(ann)).includes(yours._id))
    const all = await list(admin)
    assert.ok(all.includes(mine._id) && all.includes(yours._id))
  })

  it('walks on from a message that another deleted, and from one that the caller never saw', async () => {
    const { _id } = await send(ann, bob, 'passing')
    const later = await send(bob, carol, 'later')
    assert.equal((await service.ask('DELETE', `/messages/${later._id}`, { token: bob.token })).status, 204)
    const reply = await service.ask('GET', `/messages?cursor=${later._id}&limit=1`, { token: ann.token })
    assert.deepEqual([reply.body.data[0]._id, reply.body.meta.nextCursor], [_id, _id])
  })
})

describe('deleting', () => {
  it('is for the sender alone: not for the recipient, not for an ADMIN', async () => {
    const { _id } = await send(ann, bob, 'mine to take back')
    for (const person of [bob, admin]) {
      const reply = await service.ask('DELETE', `/messages/${_id}`, { token: person.token })
      assert.deepEqual([reply.status, reply.body], [403, { error: 'Insufficient permissions' }])
    }
    const hidden = await service.ask('DELETE', `/messages/${_id}`, { token: carol.token })
    assert.deepEqual([hidden.status, hidden.body], [404, { error: 'Message not found' }])
    assert.equal((await service.ask('DELETE', `/messages/${_id}`, { token: ann.token })).status, 204)
    assert.equal((await service.ask('GET', `/messages/${_id}`, { token: bob.token })).status, 404)
    assert.equal((await service.ask('DELETE', `/messages/${_id}`, { token: ann.token })).status, 404)
  })

  it('is all that can be done to a message', async () => {
    const { _id } = await send(ann, bob, 'for good')
    for (const method of ['PUT', 'PATCH']) {
      const reply = await service.ask(method, `/messages/${_id}`, { body: { text: 'changed' }, token: ann.token })
      assert.equal(reply.status, 405)
      assert.ok(reply.headers.get('allow')?.includes('DELETE'))
    }
  })
})
