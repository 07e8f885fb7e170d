/**
 * Actions and hooks ask whether their caller has an ability or reaches a role. Callers of every
 * kind ask: users, keys, strangers, and the console.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { makeCallerHas } from '../../src/accounts/caller-has.ts'
import { accounts, anyone, choice, defineAction, defineResource, id, text } from '../../src/index.ts'
import { makeRoles } from '../../src/resource/rules/role-order.ts'
import { startService } from '../../src/testing/index.ts'

const people = accounts({
  roles: { GUEST: [], CLERK: ['fees:read'], TREASURER: ['fees:read', 'fees:write'], BOARD: ['board:sit'] },
  operator: 'BOARD',
  keys: true,
})
const fields = { id: id(), said: text(), kind: choice(['FREE', 'PAID'], { default: 'FREE' }) }
const fees = defineResource({
  name: 'fee',
  path: '/fees',
  fields,
  list: { style: 'page' },
  access: { read: anyone, create: anyone, ask: anyone },
  hooks: {
    beforeCreate({ caller, record, refuse }) {
      if (record.kind === 'PAID' && !people.has(caller, 'fees:write')) refuse('This needs fees:write', 'kind')
      return undefined
    },
  },
  actions: {
    ask: defineAction(fields, {
      async run({ caller, record, records }) {
        const words = ['fees:read', 'fees:write', 'CLERK', 'TREASURER', 'BOARD'] as const
        const said = words.filter((word) => people.has(caller, word)).join(' ')
        await records(fees as never).update(record.id as never, { said } as never)
      },
    }),
  },
})

it('an action and a hook ask as rules do', async () => {
  const service = await startService([fees, ...people])
  after(() => service.stop())
  const { ask } = service
  const fee = await service.make('fee', {})
  const [clerk, treasurer, board] = [
    await service.person('CLERK'),
    await service.person('TREASURER'),
    await service.person('BOARD'),
  ]
  const callers = {
    stranger: {},
    clerk: { token: clerk.token },
    treasurer: { token: treasurer.token },
    board: { token: board.token },
    key: { key: await service.key(treasurer, { name: 'a', scopes: ['fees:*'] }) },
    'key without the scope': { key: await service.key(treasurer, { name: 'b', scopes: ['fees:read'] }) },
  }
  const all = 'fees:read fees:write CLERK TREASURER'
  const expected: Record<keyof typeof callers, string> = {
    stranger: '',
    clerk: 'fees:read CLERK',
    treasurer: all,
    board: 'BOARD',
    key: all,
    'key without the scope': '',
  }
  for (const [name, by] of Object.entries(callers)) {
    const wanted = expected[name as keyof typeof callers]
    const acted = await ask('POST', `/api/v1/fees/${fee.id}/ask`, by)
    assert.deepEqual([acted.status, acted.body.said], [200, wanted], `${name}: ${acted.text}`)
    const made = await ask('POST', '/api/v1/fees', { ...by, body: { kind: 'PAID' } })
    assert.equal(made.status, wanted.includes('fees:write') ? 201 : 400, `${name}: ${made.text}`)
  }
  assert.equal((await service.make('fee', { kind: 'PAID' })).kind, 'PAID', 'no rule binds the console')
})

it('reaches roles in order, and knows every word', () => {
  const has = makeCallerHas(makeRoles(['USER', 'EDITOR', 'ADMIN']))
  const by = (role: string | null, isTrusted = false) => ({ userId: null, role, isTrusted })
  assert.deepEqual(
    [has(by('EDITOR'), 'EDITOR'), has(by('ADMIN'), 'EDITOR'), has(by('USER'), 'EDITOR'), has(by(null), 'USER')],
    [true, true, false, false],
  )
  assert.equal(has(by(null, true), 'ADMIN'), true)
  assert.throws(() => has(by('USER'), 'EDTIOR'), /no role or ability "EDTIOR"; did you mean "?EDITOR/)
})
