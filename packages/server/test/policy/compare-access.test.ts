/**
 * The comparison of two declarations: a narrower condition is recognized, and never taken for a
 * wider one; changes are named for each kind of caller.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  allOf,
  anyOf,
  anyone,
  choice,
  defineResource,
  id,
  integer,
  not,
  owner,
  reference,
  role,
  text,
  user,
  where,
} from '../../src/index.ts'
import { type AccessChange, compareAccess } from '../../src/policy/compare-access.ts'
import { implies } from '../../src/policy/implies.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { all, any, type Condition, not as notCondition, type Scalar } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Rule, ServiceSettings } from '../../src/resource/rule.ts'
import { makeMatcher } from '../../src/storage/derived/match.ts'
import { resources as library } from '../application/resources/index.ts'
import { people } from '../application/resources/members.ts'

const settings: ServiceSettings = { currency: 'USD', signUp: 'open' }
const others = library.filter((one) => !(people as readonly DeclaredResource[]).includes(one))

const papers = (access: Readonly<Record<string, Rule | object>>, more: object = {}) =>
  defineResource({
    name: 'paper',
    path: '/papers',
    fields: {
      id: id(),
      authorId: reference('member', { onDelete: 'clear' }),
      state: choice(['DRAFT', 'OPEN', 'CLOSED'], { default: 'DRAFT' }),
      size: integer(),
      note: text({ read: role('ADMIN'), write: role('ADMIN') }),
      ...more,
    },
    list: { style: 'page' },
    access: access as never,
  }) as DeclaredResource

const application = (paper?: DeclaredResource) => ({
  catalog: makeCatalog([...people, ...others, ...(paper ? [paper] : [])]),
  settings,
})
/** The rules in words are left out, which differ by caller. */
function changes(before: DeclaredResource | undefined, after: DeclaredResource) {
  const found = compareAccess(application(before), application(after)).filter(({ resource }) => resource === 'papers')
  const alike = Map.groupBy(found, ({ change, deed, fields }) => JSON.stringify([change, deed, fields]))
  return [...alike.values()].map((some) => {
    const { change, deed, fields } = some[0] as AccessChange
    return [change, deed, ...(fields ? [fields] : []), some.flatMap(({ callers }) => callers)]
  })
}

const open = where({ state: 'OPEN' })
const closed = where({ state: 'CLOSED' })
const mine = owner('authorId')
const tokens = ['USER', 'EDITOR', 'ADMIN']
const everyUser = [...tokens, ...tokens.map((one) => `${one} by key`)]

describe('the comparison of declarations', () => {
  it('finds nothing where only the form of a rule differs', () => {
    assert.deepEqual(
      changes(papers({ list: anyOf([open, mine]), get: user }), papers({ list: anyOf([mine, open]), get: user })),
      [],
    )
  })

  it('names who may do more, who less, and who something else', () => {
    const cases: readonly (readonly [Rule | undefined, Rule | undefined, unknown[]])[] = [
      [role('ADMIN'), role('EDITOR'), [['more', 'get', ['EDITOR', 'EDITOR by key']]]],
      [role('EDITOR'), role('ADMIN'), [['less', 'get', ['EDITOR', 'EDITOR by key']]]],
      [mine, anyOf([mine, open]), [['more', 'get', ['anonymous', ...everyUser]]]],
      [anyOf([mine, open]), allOf([mine, open]), [['less', 'get', ['anonymous', ...everyUser]]]],
      [open, closed, [['differs', 'get', ['anonymous', ...everyUser]]]],
      [user, anyone, [['more', 'get', ['anonymous']]]],
      [undefined, user, [['more', 'get', everyUser]]],
      [where({ size: { gte: 5 } }), where({ size: { gt: 2 } }), [['more', 'get', ['anonymous', ...everyUser]]]],
      [where({ state: { in: ['OPEN', 'CLOSED'] } }), open, [['less', 'get', ['anonymous', ...everyUser]]]],
      [not(open), not(anyOf([open, closed])), [['less', 'get', ['anonymous', ...everyUser]]]],
    ]
    for (const [before, after, expected] of cases) {
      const paper = (get: Rule | undefined) => papers({ list: role('ADMIN'), ...(get && { get }) })
      assert.deepEqual(changes(paper(before), paper(after)), expected)
    }
  })

  it('counts the rule on the result of a change', () => {
    const update = (after: Rule) => papers({ list: anyone, update: { before: user, after } })
    assert.deepEqual(changes(update(open), update(anyOf([open, closed]))), [['more', 'update', everyUser]])
    assert.deepEqual(changes(update(user), update(open)), [['less', 'update', everyUser]])
  })

  it('names fields that are newly seen or set, and a resource that is new', () => {
    const access = { list: user, create: user }
    assert.deepEqual(changes(papers(access), papers(access, { note: text({ write: role('ADMIN') }) })), [
      ['more', 'see', ['note'], ['USER', 'EDITOR', 'USER by key', 'EDITOR by key']],
    ])
    assert.deepEqual(changes(papers(access), papers(access, { extra: text() })).slice(0, 1), [
      ['more', 'see', ['extra'], everyUser],
    ])
    assert.deepEqual(changes(undefined, papers({ list: anyone })), [['more', 'list', ['anonymous', ...everyUser]]])
  })
})

describe('the implication of conditions', () => {
  const field = fc.constantFrom('size', 'state', 'authorId')
  const scalar = (name: string): fc.Arbitrary<Scalar> =>
    name === 'size' ? fc.integer({ min: 0, max: 4 }) : fc.constantFrom('a', 'b', 'c')
  const compared = field.chain((name) =>
    fc.oneof(
      fc
        .tuple(fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'), scalar(name))
        .map(([operator, value]): Condition => ({ kind: 'compare', field: name, operator: operator as 'eq', value })),
      fc
        .array(scalar(name), { minLength: 1, maxLength: 3 })
        .map((values): Condition => ({ kind: 'in', field: name, values })),
      fc.boolean().map((isNull): Condition => ({ kind: 'null', field: name, isNull })),
    ),
  )
  const { condition } = fc.letrec<{ condition: Condition }>((again) => ({
    condition: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      compared,
      fc.array(again('condition'), { minLength: 2, maxLength: 3 }).map((of) => all(...of)),
      fc.array(again('condition'), { minLength: 2, maxLength: 3 }).map((of) => any(...of)),
      again('condition').map(notCondition),
    ),
  }))
  const row = fc.record({
    size: fc.option(fc.integer({ min: 0, max: 4 })),
    state: fc.option(fc.constantFrom('a', 'b', 'c')),
    authorId: fc.option(fc.constantFrom('a', 'b', 'c')),
  })

  it('is never claimed where a record contradicts it', () => {
    const { catalog } = application(papers({ list: anyone }))
    const matching = makeMatcher()
    const paper = catalog.get('paper')
    let claimed = 0
    fc.assert(
      fc.property(condition, condition, fc.array(row, { minLength: 5, maxLength: 20 }), (a, b, rows) => {
        for (const [one, other] of [
          [a, b],
          [a, any(a, b)],
          [all(a, b), b],
        ] as const) {
          if (!implies(one, other)) continue
          claimed += 1
          const [narrow, wide] = [matching.compile(paper, one), matching.compile(paper, other)]
          for (const values of rows) assert.ok(narrow(values) !== true || wide(values) === true)
        }
      }),
      { numRuns: 300, seed: 40 },
    )
    assert.ok(claimed > 500, `${claimed}`)
  })
})
