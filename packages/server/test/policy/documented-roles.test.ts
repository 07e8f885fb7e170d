/**
 * The roles of `@auth` and of refusals are those that the rules let pass. The rules are random,
 * over roles in order and over sets of abilities. Some ask for other facts of the caller.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { printSdl } from '../../src/graphql/schema/print-sdl.ts'
import {
  ability,
  accounts,
  allOf,
  anyOf,
  caller,
  choice,
  defineAction,
  defineResource,
  id,
  not,
  owner,
  password,
  reference,
  role,
  roleField,
  text,
  user,
  where,
} from '../../src/index.ts'
import { passingRoles } from '../../src/policy/passing-roles.ts'
import { mayTry } from '../../src/policy/permissions.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { anonymous, type Principal } from '../../src/resource/principal.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { shortOr } from '../helpers/long.ts'

const inOrder = ['USER', 'EDITOR', 'ADMIN'] as const
const sets = {
  USER: [],
  CASHIER: ['fees:write'],
  COACH: ['teams:write'],
  ADMIN: ['fees:write', 'teams:write'],
} as const

function randomRules(leaves: readonly Rule[], count: number): readonly Rule[] {
  const { tree } = fc.letrec<{ tree: Rule }>((again) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...leaves),
      fc.array(again('tree'), { minLength: 2, maxLength: 3 }).map((parts) => anyOf(parts as never) as Rule),
      fc.array(again('tree'), { minLength: 2, maxLength: 3 }).map((parts) => allOf(parts as never) as Rule),
      again('tree').map((part) => not(part as never) as Rule),
    ),
  }))
  return fc.sample(tree, { numRuns: count, seed: 40 })
}

const ofRecords: readonly Rule[] = [user, owner('ownerId'), where({ state: 'OPEN' }) as Rule]
const usersOf = (fallback: string) =>
  defineResource({
    name: 'user',
    path: '/users',
    fields: {
      id: id(),
      email: text({ required: true, unique: true, format: 'email' }),
      password: password({ required: true }),
      team: text(),
      role: roleField({ default: fallback as never, write: role('ADMIN') }),
    },
    identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
    list: { style: 'page' },
    access: { list: role('ADMIN') },
  })

function worldOf(roles: unknown, rules: readonly Rule[]) {
  const action = defineAction({ input: {}, run: async () => undefined })
  const named = Object.fromEntries(rules.map((rule, at) => [`a${at}`, rule]))
  const sheets = {
    name: 'sheet',
    path: '/sheets',
    fields: {
      id: id(),
      ownerId: reference('user', { onDelete: 'clear' }),
      state: choice(['DRAFT', 'OPEN'], { default: 'DRAFT' }),
    },
    access: { get: user, ...named },
    actions: Object.fromEntries(rules.map((_, at) => [`a${at}`, action])),
  }
  const people = accounts({ roles, operator: 'ADMIN', users: usersOf('USER') } as never) as readonly object[]
  const catalog = makeCatalog([defineResource(sheets as never), ...people] as never)
  const settings = { mfaFor: [], signUp: 'open' } as never
  const policy = makePolicy(catalog, settings)
  return { catalog, settings, policy, sdl: printSdl(catalog, settings) }
}

/** The roles that the SDL lets ask; null for every caller. */
function documented(sdl: string, names: readonly string[], field: string): readonly string[] | null {
  const [, after] = new RegExp(`^  ${field}\\([^)]*\\): \\S+(.*)$`, 'm').exec(sdl) ?? []
  assert.ok(after !== undefined, field)
  if (!after.includes('@auth')) return null
  const list = /(?:roles|requires): \[([^\]]*)\]/.exec(after)?.[1]
  if (list !== undefined) return list.split(', ').filter((one) => one !== '')
  const least = /requires: (\w+)/.exec(after)?.[1]
  return least === undefined ? names : names.slice(names.indexOf(least))
}

const count = shortOr(150, 1500)
for (const [words, roles, leaves] of [
  ['in order', inOrder, [role('EDITOR'), role('ADMIN'), role('USER')]],
  ['as sets', sets, [role('CASHIER'), role('ADMIN'), ability('fees:write'), ability('teams:write')]],
] as const)
  it(`${count} random rules over roles ${words} are documented as they are judged`, () => {
    const rules = randomRules([...(leaves as unknown as readonly Rule[]), ...ofRecords], count)
    const { catalog, settings, policy, sdl } = worldOf(roles, rules)
    const resource = catalog.get('sheet')
    const { names } = catalog.roles
    for (const [at, rule] of rules.entries()) {
      const target = { resource, operation: `a${at}` }
      const as = (one: string): Principal =>
        ({ kind: 'user', userId: 'u', role: one, via: 'token', scopes: null }) as never
      const isOpen = mayTry(policy, anonymous, target)
      const passing = names.filter((one) => mayTry(policy, as(one), target))
      const told = documented(sdl, names, `a${at}Sheet`)
      const printed = JSON.stringify(rule)
      if (isOpen) assert.equal(told, null, printed)
      else if (passing.length > 0 || told === null || told.length > 1) assert.deepEqual(told, passing, printed)
      const enough = names.filter((one) => {
        try {
          return policy.admit(as(one), target).where.kind === 'true'
        } catch {
          return false
        }
      })
      assert.deepEqual(passingRoles(rule, { catalog, settings, resource }) ?? [], enough, printed)
    }
  })

it('a rule by a value of the caller is for users of every role', () => {
  const rules = [
    where({ state: caller('team') as never }) as Rule,
    where({ state: caller('claims.team') as never }) as Rule,
  ]
  const { catalog, sdl } = worldOf(inOrder, rules)
  for (const at of rules.keys()) assert.deepEqual(documented(sdl, catalog.roles.names, `a${at}Sheet`), inOrder)
})
