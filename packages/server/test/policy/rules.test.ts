/**
 * Each rule alone and inside other rules: the callers that it allows, how it refuses, and how
 * documents describe it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ability,
  allOf,
  anyOf,
  anyone,
  apiKey,
  defineResource,
  id,
  not,
  onlyWhen,
  operator,
  owner,
  reference,
  role,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import { judge } from '../../src/policy/judge.ts'
import { admittedRoles, isOpen, passesAll, passingRoles } from '../../src/policy/passing-roles.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { anonymous, type Principal } from '../../src/resource/principal.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { makeRoles } from '../../src/resource/rules/role-order.ts'

const person = defineResource({ name: 'person', fields: { id: id() }, access: {} })
const page = defineResource({
  name: 'page',
  fields: { id: id(), title: text(), bookId: reference('book') },
  access: {},
})
const book = defineResource({
  name: 'book',
  fields: { id: id(), genre: text(), ownerId: reference('person') },
  access: {},
})
const catalog = { ...makeCatalog([person, page, book]), roles: makeRoles(['USER', 'EDITOR', 'ADMIN']) }
const settings = { currency: 'USD', signUp: 'open' } as const
const court = { catalog, settings, now: () => '2026-01-01T00:00:00.000Z' }
const resource = catalog.get('page')
const place = { ...court, resource }

function by(role: string, via: 'token' | 'key' = 'token'): Principal {
  return { kind: 'user', userId: 'me', role, via, scopes: null }
}

/** `allow`, the condition, or the message of the refusal with the roles that would suffice. */
function verdictOf(rule: Rule, principal: Principal): unknown {
  const verdict = judge(court, rule, { resource, principal })
  if (verdict.kind === 'refuse') return [verdict.error.code, verdict.error.message, verdict.error.requiredRoles]
  return verdict.kind === 'filter' ? verdict.where : 'allow'
}

const token = ['unauthenticated', 'Token required', undefined]
const key = ['unauthenticated', 'API key required', undefined]
const no = (...roles: string[]) => ['forbidden', 'Insufficient permissions', roles.length === 0 ? undefined : roles]
const mine = { kind: 'compare', field: 'ownerId', operator: 'eq', value: 'me' }
const ofBook = { kind: 'related', field: 'bookId', resource: 'book', where: mine }
const novels = { kind: 'compare', field: 'genre', operator: 'eq', value: 'novel' }
const own = anyOf([owner('ownerId'), role('ADMIN')], { message: 'It is not yours' })

describe('whom a rule lets pass', () => {
  const table: readonly (readonly [name: string, rule: Rule, nobody: unknown, reader: unknown, editor: unknown])[] = [
    ['anyone', anyone, 'allow', 'allow', 'allow'],
    ['user', user, token, 'allow', 'allow'],
    ['role', role('EDITOR'), token, no('EDITOR', 'ADMIN'), 'allow'],
    ['owner', owner('ownerId'), token, mine, mine],
    ['where', where({ genre: 'novel' }), novels, novels, novels],
    ['through', through('bookId', owner('ownerId')), token, ofBook, ofBook],
    ['through a role', through('bookId', role('EDITOR')), token, no('EDITOR', 'ADMIN'), 'allow'],
    ['either', anyOf([owner('ownerId'), role('EDITOR')]), token, mine, 'allow'],
    ['either of roles', anyOf([role('EDITOR'), role('ADMIN')]), token, no('EDITOR', 'ADMIN'), 'allow'],
    ['machine', apiKey(role('EDITOR')), key, key, key],
    ['onlyWhen', onlyWhen(() => true, apiKey(user), anyone), key, key, key],
    ['onlyWhen not', onlyWhen(() => false, user, anyone), 'allow', 'allow', 'allow'],
  ]
  for (const [name, rule, nobody, reader, editor] of table)
    it(name, () => {
      assert.deepEqual(verdictOf(rule, anonymous), nobody)
      assert.deepEqual(verdictOf(rule, by('USER')), reader)
      assert.deepEqual(verdictOf(rule, by('EDITOR')), editor)
    })

  it('lets a machine pass by its key alone, as the owner of the key', () => {
    assert.equal(verdictOf(apiKey(role('EDITOR')), by('EDITOR', 'key')), 'allow')
    assert.deepEqual(verdictOf(apiKey(role('EDITOR')), by('USER', 'key')), no('EDITOR', 'ADMIN'))
  })
})

describe('what follows from a rule', () => {
  it('which roles pass it at all', () => {
    assert.deepEqual(passingRoles(own, place), ['ADMIN'])
    assert.equal(passingRoles(owner('ownerId'), place), undefined)
    assert.deepEqual(admittedRoles(through('bookId', own), place), ['USER', 'EDITOR', 'ADMIN'])
    assert.deepEqual(admittedRoles(apiKey(role('EDITOR')), place), ['EDITOR', 'ADMIN'])
    assert.equal(admittedRoles(anyone, place), null)
    assert.equal(isOpen(anyOf([where({ title: 'a' }), role('ADMIN')]), place), true)
    assert.equal(isOpen(own, place), false)
    assert.equal(passesAll(where({ title: 'a' }), place), false)
    assert.equal(
      passesAll(
        onlyWhen(() => true, anyone, user),
        place,
      ),
      true,
    )
  })

  it('it needs a key where every alternative does', () => {
    const asks = (rule: Rule) => rule.type.needsKey(rule, settings)
    assert.equal(asks(onlyWhen(() => true, apiKey(user), user)), true)
    assert.equal(asks(through('bookId', apiKey(user))), true)
    assert.equal(asks(anyOf([apiKey(user), role('ADMIN')])), false)
  })
})

describe('a rule about roles that are sets of abilities', () => {
  const sets = makeRoles({ GUEST: [], COACH: ['a'], TREASURER: ['b'], BOARD: ['a', 'b'] }, 'BOARD')
  const among = { ...place, catalog: { ...catalog, roles: sets } }
  const whereFor = (rule: Rule, principal: Principal) => rule.type.where(rule, { ...among, principal }).kind
  const passing = (rule: Rule) => passingRoles(rule, among)

  it('lets those pass who have the ability, or all abilities of the role', () => {
    assert.deepEqual(passing(ability('a')), ['COACH', 'BOARD'])
    assert.deepEqual(passing(role('COACH')), ['COACH', 'BOARD'])
    assert.deepEqual(passing(role('GUEST')), [...sets.names])
    assert.deepEqual(passing(apiKey(anyOf([ability('a'), ability('b')]))), ['COACH', 'TREASURER', 'BOARD'])
    assert.deepEqual(admittedRoles(anyOf([owner('ownerId'), ability('a')]), among), [...sets.names])
    assert.equal(whereFor(ability('a'), anonymous), 'false')
    assert.equal(whereFor(ability('a'), by('KING')), 'false')
    assert.equal(whereFor(through('bookId', ability('b')), by('TREASURER')), 'true')
  })

  it('judges as roles in order do, where the sets mean that order', () => {
    const meant = makeRoles({ USER: ['read'], EDITOR: ['read', 'edit'], ADMIN: ['read', 'edit', 'run'] }, 'ADMIN')
    const rules = [own, apiKey(own), through('bookId', role('EDITOR')), ...meant.names.map(role), user, operator]
    for (const rule of rules) {
      for (const principal of [anonymous, ...[...meant.names, 'KING'].flatMap((one) => [by(one), by(one, 'key')])])
        assert.deepEqual(
          rule.type.where(rule, { ...place, catalog: { ...catalog, roles: meant }, principal }),
          rule.type.where(rule, { ...place, principal }),
        )
      const judged = { ...place, catalog: { ...catalog, roles: meant } }
      assert.deepEqual(passingRoles(rule, judged), passingRoles(rule, place))
      assert.deepEqual(admittedRoles(rule, judged), admittedRoles(rule, place))
    }
  })

  it('certainly does not hold for users without the ability, and says nothing of strangers', () => {
    const rule: Rule = ability('a')
    const whereNot = (principal: Principal) => rule.type.whereNot(rule, { ...among, principal }).kind
    assert.deepEqual(
      [whereNot(anonymous), whereNot(by('TREASURER')), whereNot(by('COACH'))],
      ['false', 'true', 'false'],
    )
  })

  it('joins with other rules, and under not admits no stranger', () => {
    const neither = not(anyOf([ability('a'), ability('b')]))
    assert.deepEqual(passing(allOf([ability('a'), role('TREASURER')])), ['BOARD'])
    assert.deepEqual(passing(not(ability('a'))), ['GUEST', 'TREASURER'])
    assert.deepEqual(passing(not(role('COACH'))), ['GUEST', 'TREASURER'])
    assert.deepEqual(admittedRoles(neither, among), ['GUEST'])
    assert.deepEqual([whereFor(neither, anonymous), whereFor(neither, by('KING'))], ['false', 'true'])
  })

  it('names them in documents', () => {
    const words = (rule: Rule) => [rule.type.inDocument(rule, among), rule.type.inTable(rule, among)]
    assert.deepEqual(words(ability('a')), ['the ability `a` (role COACH or BOARD)', 'a'])
    assert.deepEqual(words(role('COACH')), ['role COACH or BOARD', 'COACH'])
  })
})

describe('how a rule refuses', () => {
  const refusal = (rule: Rule) => rule.type.refusal(rule, settings)
  const open = anyOf([owner('ownerId'), role('ADMIN')], { message: 'It is not yours', open: true })

  it('in the words of the declaration, inside of other rules too', () => {
    for (const rule of [open, apiKey(open), through('bookId', open), onlyWhen(() => true, open, user)])
      assert.deepEqual(refusal(rule), { sentence: 'It is not yours', open: true })
    assert.deepEqual(refusal(onlyWhen(() => false, open, user)), { sentence: undefined, open: false })
    assert.deepEqual(refusal(own), { sentence: 'It is not yours', open: false })
  })
})

describe('a rule in words', () => {
  const rules: readonly (readonly [rule: Rule, inDocument: string, inTable: string])[] = [
    [role('ADMIN'), 'role ADMIN', 'ADMIN'],
    [role('EDITOR'), 'role EDITOR or higher', 'EDITOR'],
    [
      where({ title: 'a', genre: true }),
      'anyone where `title` is a and `genre` is true',
      'anyone if title is a and genre',
    ],
    [own, 'the user in `ownerId`, or role ADMIN', 'owner (ownerId) or ADMIN'],
    [apiKey(user), 'an API key whose owner has any user', 'API key of any user'],
    [through('bookId', user), 'any user (of the record in `bookId`)', 'as of its book: any user'],
  ]
  for (const [rule, inDocument, inTable] of rules)
    it(inTable, () => {
      assert.equal(rule.type.inDocument(rule, place), inDocument)
      assert.equal(rule.type.inTable(rule, place), inTable)
    })
})
