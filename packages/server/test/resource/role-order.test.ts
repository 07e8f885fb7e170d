/**
 * Roles in order and roles that are sets of abilities: one comparison for both. Ordered roles give
 * the same answers as the sets that they mean, in which each role has the abilities of those below.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AbilitySets, highestOf, makeRoles, rolesFrom, rolesWith } from '../../src/resource/rules/role-order.ts'

const club = makeRoles(
  {
    GUEST: [],
    TREASURER: ['fees:write', 'fees:read'],
    COACH: ['teams:write', 'fees:read'],
    AUDITOR: ['fees:read'],
    BOARD: ['teams:write', 'fees:read', 'fees:write'],
  },
  'BOARD',
)

test('a role reaches those whose abilities it has', () => {
  const reached = (held: string) => club.names.filter((one) => club.reaches(held, one))
  assert.deepEqual(reached('GUEST'), ['GUEST'])
  assert.deepEqual(reached('TREASURER'), ['GUEST', 'TREASURER', 'AUDITOR'])
  assert.deepEqual(reached('COACH'), ['GUEST', 'COACH', 'AUDITOR'])
  assert.deepEqual(reached('BOARD'), [...club.names])
  assert.deepEqual(rolesFrom(club, 'AUDITOR'), ['TREASURER', 'COACH', 'AUDITOR', 'BOARD'])
  assert.deepEqual(rolesWith(club, 'fees:write'), ['TREASURER', 'BOARD'])
  assert.deepEqual([club.lowest, club.highest, club.operator], ['GUEST', 'BOARD', 'BOARD'])
  assert.deepEqual(club.abilities, ['fees:write', 'fees:read', 'teams:write'])
})

test('a role that is not declared reaches none and has no ability', () => {
  for (const held of ['KING', '', null, undefined, 'constructor', '__proto__'])
    assert.deepEqual([club.reaches(held, 'GUEST'), club.has(held, 'fees:read')], [false, false])
  assert.equal(club.reaches('BOARD', 'KING'), false)
  assert.equal(club.has('BOARD', 'constructor'), false)
})

test('where no role is the lowest or the highest, the operator stands for the highest alone', () => {
  const roles = makeRoles({ COACH: ['teams:write'], TREASURER: ['fees:write'] }, 'COACH')
  assert.deepEqual([roles.lowest, roles.highest, roles.operator], ['', 'COACH', 'COACH'])
  const none = makeRoles([])
  assert.deepEqual([none.lowest, none.highest, none.operator], ['', '', ''])
})

test('of several roles the first counts that no other of them is above', () => {
  assert.equal(highestOf(club, ['AUDITOR', 'COACH', 'TREASURER']), 'COACH')
  assert.equal(highestOf(club, ['AUDITOR', 'TREASURER', 'COACH']), 'TREASURER')
  assert.equal(highestOf(club, ['TREASURER', 'BOARD', 'COACH']), 'BOARD')
  assert.equal(highestOf(club, []), 'GUEST')
  assert.equal(highestOf(makeRoles(['USER', 'EDITOR', 'ADMIN']), ['ADMIN', 'USER', 'EDITOR']), 'ADMIN')
})

test('roles in order give the same answers as the sets of abilities that they mean', () => {
  const words = ['A', 'B', 'C', 'D', 'E', 'F']
  const order = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 })
  const asked = fc.array(fc.constantFrom(...words))
  fc.assert(
    fc.property(order, asked, fc.nat(), (names, found, at) => {
      const operator = names[at % names.length] as string
      const sets: AbilitySets = Object.fromEntries(
        names.map((name, i) => [name, names.slice(0, i + 1).map((a) => `${a}:do`)]),
      )
      const [ordered, meant] = [makeRoles(names, operator), makeRoles(sets, operator)]
      assert.deepEqual(
        [meant.names, meant.lowest, meant.highest, meant.operator],
        [names, names[0], names.at(-1), operator],
      )
      for (const held of words)
        for (const required of words) {
          const expected = names.includes(required) && names.indexOf(held) >= names.indexOf(required)
          assert.deepEqual([ordered.reaches(held, required), meant.reaches(held, required)], [expected, expected])
          assert.equal(meant.has(held, `${required}:do`), expected, 'the ability stands for the role')
        }
      for (const one of names) assert.deepEqual(rolesFrom(meant, one), rolesFrom(ordered, one))
      assert.equal(highestOf(meant, found), highestOf(ordered, found))
      assert.equal(highestOf(ordered, found), names.findLast((one) => found.includes(one)) ?? names[0])
    }),
  )
})

test('for any sets, reaching is a comparison of sets', () => {
  const abilities = ['a', 'b', 'c', 'd']
  const set = fc.subarray(abilities)
  const sets = fc.dictionary(fc.constantFrom('P', 'Q', 'R', 'S'), set, { minKeys: 1 })
  fc.assert(
    fc.property(sets, (declared) => {
      const roles = makeRoles(declared, Object.keys(declared)[0])
      for (const [held, own] of Object.entries(declared)) {
        for (const [required, asked] of Object.entries(declared))
          assert.equal(
            roles.reaches(held, required),
            asked.every((one) => own.includes(one)),
          )
        for (const one of abilities) assert.equal(roles.has(held, one), own.includes(one))
      }
      const isLeast = (one: string) => roles.names.every((other) => roles.reaches(other, one))
      assert.equal(roles.lowest === '', !roles.names.some(isLeast))
      if (roles.lowest !== '') assert.ok(isLeast(roles.lowest))
    }),
  )
})
