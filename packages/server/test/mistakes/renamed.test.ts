/**
 * Words of declarations that had another name: each is refused at start, with the name of today.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choice, either, lookedUp, machine, state, text, timestamp, token, user } from '../../src/index.ts'
import { anyOf } from '../../src/resource/rules/any-of.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

const open = { default: 'A', readOnly: true }
const to = { close: { from: ['A'], to: 'B' } }
const inState = (options: object) =>
  thing({ fields: { size: loosely(state, ['A', 'B'], { ...open, ...options }) }, access: { get: user, close: user } })
const expiry = { from: ['A'], since: 'at', after: () => 5 }

describe('the member', () => {
  for (const [what, declared, says] of [
    ['follow', thing({ follow: { name: () => 'x' } }), 'thing: follow is called onWrite now'],
    ['was, of a resource', thing({ was: 'item' }), 'thing: was is called renamedFrom now'],
    ['was, of a field', thing({ fields: { size: loosely(text, { was: 'width' }) } }), 'was is called renamedFrom now'],
    ['was, of a choice', thing({ fields: { size: loosely(choice, ['A'], { was: { B: 'A' } }) } }), 'was is called'],
    ['was, of a token', thing({ fields: { key: loosely(token, { prefix: 'k_', was: 'code' }) } }), 'was is called'],
    ['moves', inState({ moves: to }), 'thing: field "size": moves is called transitions now'],
    [
      'move, of an expiry',
      inState({ transitions: to, expires: { ...expiry, move: 'close' } }),
      'thing: field "size": expires: move is called transition now',
    ],
    [
      'move, of setOn',
      thing({ fields: { at: loosely(timestamp, { setOn: 'move' }) } }),
      '"move" is called "transition"',
    ],
    [
      'otherwise',
      thing({ access: { get: loosely(anyOf, [user, user], { otherwise: 'No' }) } }),
      'otherwise is called message now',
    ],
  ] as const)
    it(what, () => {
      const found = mistakesOf([declared])
      assert.ok(
        found.some((one) => one.includes(says)),
        found.join('\n'),
      )
    })
})

describe('the function', () => {
  for (const [old, next, call] of [
    ['either', 'anyOf', either],
    ['machine', 'apiKey', machine],
    ['lookedUp', 'lookup', lookedUp],
  ] as const)
    it(old, () => assert.throws(() => loosely(call, user), { message: `${old} is called ${next} now` }))
})
