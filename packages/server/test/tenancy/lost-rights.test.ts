/**
 * A caller whose rights end while its write waits: for its turn, or in a hook. By every door the
 * request is refused, and nothing is stored.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { onPostgres } from '../../src/testing/index.ts'
import { shortOr } from '../helpers/long.ts'
import type { WireAnswer } from '../helpers/wire.ts'
import { api, type Caller, type Door, gate, type Loss, startRightsWorld } from './rights-world.ts'

const { service, ask, stored, club, chair, allStored, newCoach, doors, answerOf, losses } = await startRightsWorld()
after(() => service.stop())

/** The next write waits here before its transaction, as one does whose values are hashed. */
let beforeNext: (() => Promise<unknown>) | undefined
const { engine } = service.service
const { records } = engine
Object.assign(engine, {
  records: {
    transaction: async (...parts: Parameters<typeof records.transaction>) => {
      const wait = beforeNext
      beforeNext = undefined
      await wait?.()
      return records.transaction(...parts)
    },
  },
})

function holdInHook(meanwhile: () => Promise<unknown>): void {
  gate.pass = async () => {
    gate.pass = async () => undefined
    await meanwhile()
    return undefined
  }
}
type Wait = (meanwhile: () => Promise<unknown>) => void
const waits: Readonly<Record<string, Wait>> = {
  'before its transaction': (meanwhile) => {
    beforeNext = meanwhile
  },
  // On SQLite the loss itself would wait for the end of this transaction.
  ...(onPostgres && { 'in a hook': holdInHook }),
}

/** Those that write no note run no hook of theirs. */
const withoutHook = ['action', 'invitation', 'a new key']
const reads = ['query', 'a description of tools', 'a list by QUERY', 'explanation']
/** It reads the account in its own transaction. */
const onItsOwn = ['a view as a user']
const writes = Object.entries(doors).filter(([name]) => ![...reads, ...onItsOwn].includes(name))
const usual = ['create', 'batch', 'mutation']

/** It may say that the rights have changed. Part of a request refuses a lost credential. */
function isAlike(late: WireAnswer, afterwards: WireAnswer): boolean {
  if (/Your rights have changed since the request began; send it again/.test(late.body)) return late.status !== 201
  if (afterwards.status !== 401) return late.status === afterwards.status && late.body === afterwards.body
  const { error } = JSON.parse(afterwards.body)
  return error === undefined ? late.body.includes('UNAUTHENTICATED') : late.status === 401 && late.body.includes(error)
}

type Waiting = { readonly door: Door; readonly wait: Wait; readonly loss: Loss }

/** The problem of a door; undefined where it refuses, and stores nothing. */
async function problemOf({ door, wait, loss }: Waiting): Promise<string | undefined> {
  const caller = await newCoach({ role: door.role, by: loss.by ?? 'token' })
  const before = await allStored()
  let hasLost = false
  wait(async () => {
    const ended = await loss.end(caller)
    assert.ok(ended.status < 300, ended.text)
    hasLost = true
  })
  const late = await answerOf(door, caller)
  if (!hasLost) return 'it did not wait'
  if (!isDeepStrictEqual(await allStored(), before)) return `stored with ${late.status} ${late.body}`
  const afterwards = await answerOf(door, caller)
  if (isAlike(late, afterwards)) return undefined
  return `${late.status} ${late.body} in place of ${afterwards.status} ${afterwards.body}`
}

for (const [place, wait] of Object.entries(waits))
  describe(`a write that waits ${place}`, () => {
    for (const [index, [name, loss]] of Object.entries(losses).entries()) {
      if (loss.of === 'role') continue
      it(`is refused at every door where ${name}`, async () => {
        const problems: Record<string, string | undefined> = {}
        for (const [title, door] of writes) {
          if (door.isOfAccount && (loss.of === 'member' || loss.by === 'key')) continue
          if (wait === holdInHook && withoutHook.includes(title)) continue
          if (index > 0 && !shortOr(usual, Object.keys(doors)).includes(title)) continue
          problems[title] = await problemOf({ door, wait, loss })
        }
        assert.deepEqual(
          Object.entries(problems).filter(([, problem]) => problem !== undefined),
          [],
        )
      })
    }

    it('is stored where the caller keeps its rights, and where others come', async () => {
      const caller = await newCoach({ by: 'token' })
      wait(() => stored('/clubs', { name: 'Of their own' }, caller))
      const door = doors.create as Door
      const late = await answerOf({ ...door, body: { clubId: club.id, title: `kept ${place}` } }, caller)
      assert.equal(late.status, 201, late.body)
    })

    it('is stored where its rule asks for no membership', async () => {
      const caller = await newCoach({ by: 'token' })
      beforeNext = () => losses['the membership is removed']?.end(caller) ?? Promise.resolve()
      const made = await ask('POST', `${api}/clubs`, { body: { name: 'Another' }, token: caller.token })
      assert.equal(made.status, 201, made.text)
    })
  })

describe('a request that changes the rights of its own caller', () => {
  const leave = ({ membership }: Caller) => ({ method: 'DELETE', path: `/memberships/${membership}` })
  const create = (title: string) => ({ method: 'POST', path: '/notes', body: { clubId: club.id, title } })

  it('is judged as at its start where it is a batch', async () => {
    const caller = await newCoach({ by: 'token' })
    const operations = [leave(caller), create('after leaving')]
    const done = await ask('POST', `${api}/batch`, { body: { operations }, token: caller.token })
    assert.equal(done.status, 200, done.text)
    const next = await ask('POST', `${api}/batch`, { body: { operations: [create('later')] }, token: caller.token })
    assert.equal(next.status, 404, next.text)
  })

  it('is judged field by field where it is a mutation', async () => {
    const caller = await newCoach({ by: 'token' })
    const query = `mutation {
      left: deleteMembership(id: "${caller.membership}") { id }
      made: createNote(input: { clubId: "${club.id}", title: "after leaving in a mutation" }) { title }
    }`
    const { body } = await ask('POST', '/graphql', { body: { query }, token: caller.token })
    assert.deepEqual([body.data?.left?.id, body.data?.made], [caller.membership, null], JSON.stringify(body))
    const found = await ask('GET', `${api}/notes?title=after leaving in a mutation`, { token: chair.token })
    assert.equal(found.body.meta.total, 0)
  })
})
