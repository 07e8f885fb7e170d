/**
 * The rule `member`: the records on which it holds, and those on which it certainly does not, for
 * callers with many memberships, one and none.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { member, not } from '../../src/index.ts'
import { judge, whereOf } from '../../src/policy/judge.ts'
import { admittedRoles, passingRoles } from '../../src/policy/passing-roles.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { anonymous, type CallerMembership, type Principal } from '../../src/resource/principal.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'

const catalog = makeCatalog(clubhouse)
const settings = { currency: 'USD', signUp: 'open' } as const
const court = { catalog, settings, now: () => '2026-01-01T00:00:00.000Z' }

function caller(club: readonly CallerMembership[], team: readonly CallerMembership[] = []): Principal {
  return { kind: 'user', userId: 'me', role: 'USER', via: 'token', scopes: null, memberships: { club, team } }
}
const many = caller([
  { id: 'a', role: 'PLAYER' },
  { id: 'b', role: 'COACH' },
  { id: 'c', role: 'OWNER' },
])
const one = caller([{ id: 'a', role: 'PLAYER' }], [{ id: 't', role: 'COACH', tenant: 'a' }])
const grouped = caller(
  [
    { id: 'a', role: 'PLAYER' },
    { id: 'b', role: 'PLAYER' },
  ],
  [
    { id: 't', role: 'COACH', tenant: 'a' },
    { id: 'u', role: 'COACH', tenant: 'b' },
  ],
)
const within = (principal: Principal, name: string, id: string): Principal => ({ ...principal, tenant: { name, id } })
const stranger = caller([])
const console: Principal = { kind: 'user', userId: '', role: 'ADMIN', via: 'console', scopes: null }

const is = (field: string, value: string) => ({ kind: 'compare', field, operator: 'eq', value })
const among = (field: string, ...values: string[]) => ({ kind: 'in', field, values })
const through = (field: string, resource: string, where: object) => ({ kind: 'related', field, resource, where })
const never = { kind: 'false' }
const always = { kind: 'true' }
const isThere = (field: string) => ({ kind: 'null', field, isNull: false })

const table: readonly (readonly [what: string, on: string, rule: Rule, by: Principal, expected: object])[] = [
  ['any role, many tenants', 'event', member(), many, among('clubId', 'a', 'b', 'c')],
  ['that role or a higher one', 'event', member('COACH'), many, among('clubId', 'b', 'c')],
  ['one tenant', 'event', member('OWNER'), many, is('clubId', 'c')],
  ['no tenant', 'event', member('COACH'), one, among('clubId')],
  ['no membership', 'event', member(), stranger, among('clubId')],
  ['an anonymous caller', 'event', member(), anonymous, never],
  ['the console', 'event', member('OWNER'), console, always],
  ['the tenant itself', 'club', member(), one, is('id', 'a')],
  ['a record below another', 'attendance', member(), one, through('eventId', 'event', is('clubId', 'a'))],
  ['a membership', 'membership', member(), one, is('clubId', 'a')],
  ['a membership of a group', 'teamMember', member(), one, through('teamId', 'team', is('clubId', 'a'))],
  ['a group that the record names', 'event', member('COACH', { of: 'team' }), one, is('teamId', 't')],
  ['the group itself', 'team', member('COACH', { of: 'team' }), one, is('id', 't')],
  ['the tenant that the request names', 'event', member(), within(many, 'club', 'b'), is('clubId', 'b')],
  ['that tenant, by a role', 'event', member('OWNER'), within(many, 'club', 'b'), among('clubId')],
  ['that tenant itself', 'club', member(), within(many, 'club', 'b'), is('id', 'b')],
  ['a named tenant of another kind', 'club', member('OWNER'), within(many, 'school', 'b'), is('id', 'c')],
  ['groups of that tenant', 'event', member('COACH', { of: 'team' }), within(grouped, 'club', 'b'), is('teamId', 'u')],
  ['a group without members', 'team', member('COACH', { of: 'team' }), many, among('id')],
]

describe('member', () => {
  for (const [what, on, rule, principal, expected] of table)
    it(`holds on the records of ${what}`, () => {
      const resource = catalog.get(on)
      assert.deepEqual(whereOf(judge(court, rule, { resource, principal })), expected)
    })

  it('is certainly broken by records of other tenants, and not by those of none', () => {
    const on = (name: string, rule: Rule, principal: Principal) =>
      whereOf(judge(court, not(rule), { resource: catalog.get(name), principal }))
    const notIn = (field: string, inside: object) => ({
      kind: 'and',
      of: [isThere(field), { kind: 'not', of: inside }],
    })
    assert.deepEqual(on('event', member(), one), notIn('clubId', is('clubId', 'a')))
    assert.deepEqual(
      on('event', member('COACH', { of: 'team' }), many),
      notIn('teamId', among('teamId')),
      'a record without a team is in neither part',
    )
    assert.deepEqual(on('attendance', member(), one), through('eventId', 'event', notIn('clubId', is('clubId', 'a'))))
    assert.deepEqual(on('event', member(), anonymous), never)
  })

  it('names the facts by which it judges, and words for documents', () => {
    const place = { ...court, resource: catalog.get('event') }
    const facts = (rule: Rule) => rule.type.judgesBy(rule, place)
    assert.deepEqual(facts(member()), ['members:club', 'tenant'])
    assert.deepEqual(facts(member('COACH', { of: 'team' })), ['members:team', 'tenant'])
    const words = (rule: Rule) => [rule.type.inDocument(rule, place), rule.type.inTable(rule, place)]
    assert.deepEqual(words(member()), ['a member of the tenant of the record', 'member of its club'])
    assert.deepEqual(words(member('COACH', { of: 'team' })), [
      'a member of the team of the record with role COACH or higher',
      'COACH of its team',
    ])
  })

  it('lets users of any role pass, as documents show it, and no role alone is enough', () => {
    const place = { ...court, resource: catalog.get('event') }
    assert.deepEqual(admittedRoles(member('COACH'), place), ['USER', 'SUPPORT', 'ADMIN'])
    assert.equal(passingRoles(member('COACH'), place), undefined)
  })
})
