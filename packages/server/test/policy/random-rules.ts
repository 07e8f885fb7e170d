/**
 * Random rules over a small club, each with a plain evaluation of its own. It judges a record from
 * the records in memory, by Kleene's logic. Undefined: it cannot be told.
 */
import fc from 'fast-check'
import {
  allOf,
  anyOf,
  anyone,
  caller,
  can,
  every,
  field,
  none,
  not,
  now,
  owner,
  role,
  some,
  through,
  user,
  where,
} from '../../src/index.ts'
import type { Principal } from '../../src/resource/principal.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { type Club, type ClubKind, type ClubRow, clubCatalog, clubTime, people, times, words } from './club.ts'

/** The target of an empty reference: each answer is open, unless the caller decides. */
const nothing: ClubRow = { id: '' }
/** Undefined where a value is missing. */
export type Verdict = boolean | undefined

export type PlainInput = { readonly club: Club; readonly caller: Principal }
export type PlainRule = (row: ClubRow, input: PlainInput) => Verdict
export type RandomRule = { readonly rule: Rule; readonly plain: PlainRule; readonly words: string }

const and = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(false) ? false : verdicts.includes(undefined) ? undefined : true
const or = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(true) ? true : verdicts.includes(undefined) ? undefined : false
const negate = (verdict: Verdict): Verdict => (verdict === undefined ? undefined : !verdict)

/** A value of a comparison, and what it is for a caller and a record. */
type Operand = { readonly written: unknown; read(row: ClubRow, caller: Principal): unknown }

const literal = (value: unknown): Operand => ({ written: value, read: () => value })
const ofField = (name: string): Operand => ({ written: field(name), read: (row) => row[name] ?? undefined })
const ofCaller = (name: string): Operand => ({
  written: caller(name),
  read: (_row, who) => {
    if (who.kind === 'anonymous') return undefined
    return (name === 'id' ? who.userId : who.user?.[name]) ?? undefined
  },
})

const ordered = {
  eq: (a: never, b: never) => a === b,
  ne: (a: never, b: never) => a !== b,
  gt: (a: never, b: never) => a > b,
  gte: (a: never, b: never) => a >= b,
  lt: (a: never, b: never) => a < b,
  lte: (a: never, b: never) => a <= b,
}
type OrderWord = keyof typeof ordered

function comparison(name: string, operator: OrderWord, operand: Operand): RandomRule {
  const written = { [name]: { [operator]: operand.written } }
  return {
    rule: where(written as never),
    words: JSON.stringify(written),
    plain(row, input) {
      const [own, value] = [row[name] ?? undefined, operand.read(row, input.caller)]
      return own === undefined || value === undefined ? undefined : ordered[operator](own as never, value as never)
    },
  }
}

function ofText(name: string, operator: 'contains' | 'startsWith', part: string): RandomRule {
  const written = { [name]: { [operator]: part } }
  return {
    rule: where(written as never),
    words: JSON.stringify(written),
    plain(row) {
      const own = row[name] as string | null | undefined
      if (own === null || own === undefined) return undefined
      const [text, wanted] = [own.toLowerCase(), part.toLowerCase()]
      return operator === 'contains' ? text.includes(wanted) : text.startsWith(wanted)
    },
  }
}

function member(name: string, wanted: string): RandomRule {
  return {
    rule: where({ [name]: { contains: wanted } } as never),
    words: `${name} has ${wanted}`,
    plain: (row) => (row[name] as readonly string[] | null)?.includes(wanted),
  }
}

function listed(name: string, values: readonly (string | number)[]): RandomRule {
  return {
    rule: where({ [name]: { in: values } } as never),
    words: `${name} in ${values}`,
    plain: (row) => ((row[name] ?? null) === null ? undefined : values.includes(row[name] as never)),
  }
}

function absent(name: string, is: boolean): RandomRule {
  return {
    rule: where({ [name]: is ? null : { null: false } } as never),
    words: `${name} null ${is}`,
    plain: (row) => (row === nothing ? undefined : (row[name] === null) === is),
  }
}

const order = fc.constantFrom(...(Object.keys(ordered) as OrderWord[]))
const integers = ['score', 'best']
const playerComparison: fc.Arbitrary<RandomRule> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...integers),
      order,
      fc.oneof(fc.integer({ min: 0, max: 3 }).map(literal), fc.constantFrom(...integers).map(ofField)),
    )
    .map(([name, operator, value]) => comparison(name, operator, value)),
  fc
    .tuple(
      fc.constantFrom('nick', 'motto'),
      order,
      fc.oneof(fc.constantFrom(...words).map(literal), fc.constantFrom('nick', 'motto').map(ofField)),
    )
    .map(([name, operator, value]) => comparison(name, operator, value)),
  fc
    .tuple(
      fc.constantFrom('since', 'until'),
      order,
      fc.oneof(
        fc.constantFrom('since', 'until').map(ofField),
        fc.constant<Operand>({ written: now(), read: () => clubTime }),
        fc.constantFrom(...times).map(literal),
      ),
    )
    .map(([name, operator, value]) => comparison(name, operator, value)),
  fc
    .tuple(
      fc.constantFrom<OrderWord>('eq', 'ne'),
      fc.oneof(fc.constantFrom(...people).map(literal), fc.constant(ofCaller('id'))),
    )
    .map(([operator, value]) => comparison('userId', operator, value)),
  fc.tuple(order, fc.constant(ofCaller('name'))).map(([operator, value]) => comparison('nick', operator, value)),
  fc
    .tuple(
      fc.constantFrom('nick', 'motto'),
      fc.constantFrom<'contains' | 'startsWith'>('contains', 'startsWith'),
      fc.constantFrom('al', 'ET', 'a'),
    )
    .map(([a, b, c]) => ofText(a, b, c)),
  fc.constantFrom(...words).map((word) => member('tags', word)),
  fc.uniqueArray(fc.constantFrom('DRAFT', 'ACTIVE', 'GONE'), { minLength: 1 }).map((values) => listed('state', values)),
  fc
    .tuple(fc.constantFrom('score', 'nick', 'teamId', 'state', 'tags', 'since'), fc.boolean())
    .map(([name, is]) => absent(name, is)),
)
const teamComparison: fc.Arbitrary<RandomRule> = fc.oneof(
  fc
    .tuple(order, fc.integer({ min: 0, max: 3 }).map(literal))
    .map(([operator, value]) => comparison('level', operator, value)),
  fc
    .tuple(fc.constantFrom<OrderWord>('eq', 'ne'), fc.constant(ofCaller('id')))
    .map(([operator, value]) => comparison('leaderId', operator, value)),
  fc.boolean().map((is) => absent('parentId', is)),
)

const roles = clubCatalog.roles.names
const ofRole = (wanted: string): RandomRule => ({
  rule: role(wanted),
  words: wanted,
  plain: (_row, input) =>
    input.caller.kind === 'user' ? roles.indexOf(input.caller.role) >= roles.indexOf(wanted) : undefined,
})
const ofOwner = (name: string): RandomRule => ({
  rule: owner(name),
  words: `owner ${name}`,
  plain: (row, { caller: who }) =>
    who.kind === 'user' && (row[name] ?? null) !== null ? row[name] === who.userId : undefined,
})
const everyone: RandomRule = { rule: anyone, words: 'anyone', plain: () => true }
const loggedIn: RandomRule = {
  rule: user,
  words: 'user',
  plain: (_row, input) => (input.caller.kind === 'user' ? true : undefined),
}
const aboutCaller = fc.constantFrom(everyone, loggedIn, ...roles.map(ofRole))

/** Whether the rule asks something of the caller, which an anonymous one lacks. */
function asksCaller({ rule }: RandomRule, kind: ClubKind): boolean {
  const resource = clubCatalog.get(kind)
  const facts = rule.type.judgesBy(rule, {
    catalog: clubCatalog,
    settings: { currency: 'USD', signUp: 'open' },
    resource,
  })
  return facts.some((fact) => fact !== 'clock')
}

function below(word: 'some' | 'none' | 'every', relation: 'players' | 'squads', inner: RandomRule): RandomRule {
  const [kind, by] = relation === 'players' ? (['player', 'teamId'] as const) : (['team', 'parentId'] as const)
  const make = { some, none, every }[word]
  return {
    rule: make(relation, inner.rule as Rule<never, never>),
    words: `${word} ${relation} (${inner.words})`,
    plain(row, input) {
      if (input.caller.kind === 'anonymous' && asksCaller(inner, kind)) return undefined
      if (row === nothing) {
        const verdict = inner.plain(nothing, input)
        return word === 'every' ? verdict || undefined : verdict === false ? word === 'none' : undefined
      }
      const verdicts = input.club[kind].filter((one) => one[by] === row.id).map((one) => inner.plain(one, input))
      if (word === 'every') return and(verdicts)
      return word === 'some' ? or(verdicts) : negate(or(verdicts))
    },
  }
}

function above(name: 'teamId' | 'parentId', inner: RandomRule): RandomRule {
  return {
    rule: through(name, inner.rule as Rule<never, never>),
    words: `through ${name} (${inner.words})`,
    plain(row, input) {
      return inner.plain(input.club.team.find((one) => one.id === row[name]) ?? nothing, input)
    },
  }
}

const mayRead: RandomRule = {
  rule: can('get', 'teamId'),
  words: 'can get',
  plain(row, input) {
    const team = input.club.team.find((one) => one.id === row.teamId)
    if (!team) return undefined
    const level = team.level === null ? undefined : (team.level as number) >= 2
    return or([ofOwner('leaderId').plain(team, input), level])
  },
}

function joined(kind: ClubKind, depth: number): fc.Arbitrary<RandomRule> {
  const simple: fc.Arbitrary<RandomRule> =
    kind === 'player'
      ? fc.oneof(playerComparison, aboutCaller, fc.constant(ofOwner('userId')), fc.constant(mayRead))
      : fc.oneof(teamComparison, aboutCaller, fc.constant(ofOwner('leaderId')))
  if (depth === 0) return simple
  const inner = joined(kind, depth - 1)
  const pair = fc.tuple(inner, inner)
  const team = joined('team', depth - 1)
  const leading: fc.Arbitrary<RandomRule> =
    kind === 'player'
      ? team.map((one) => above('teamId', one))
      : fc.oneof(
          team.map((one) => above('parentId', one)),
          fc
            .tuple(fc.constantFrom<'some' | 'none' | 'every'>('some', 'none', 'every'), joined('player', depth - 1))
            .map(([word, one]) => below(word, 'players', one)),
          fc
            .tuple(fc.constantFrom<'some' | 'none' | 'every'>('some', 'none', 'every'), team)
            .map(([word, one]) => below(word, 'squads', one)),
        )
  return fc.oneof(
    simple,
    inner.map(
      (one): RandomRule => ({
        rule: not(one.rule as Rule<never, never, never>),
        words: `not (${one.words})`,
        plain(row, input) {
          const verdict = negate(one.plain(row, input))
          const isOpen = input.caller.kind === 'anonymous' && asksCaller(one, kind)
          return verdict === true && isOpen ? undefined : verdict
        },
      }),
    ),
    pair.map(
      ([a, b]): RandomRule => ({
        rule: allOf([a.rule, b.rule]),
        words: `(${a.words} and ${b.words})`,
        plain: (row, input) => and([a.plain(row, input), b.plain(row, input)]),
      }),
    ),
    pair.map(
      ([a, b]): RandomRule => ({
        rule: anyOf([a.rule, b.rule]),
        words: `(${a.words} or ${b.words})`,
        plain: (row, input) => or([a.plain(row, input), b.plain(row, input)]),
      }),
    ),
    leading,
  )
}

export const randomRule: Readonly<Record<ClubKind, fc.Arbitrary<RandomRule>>> = {
  player: joined('player', 3),
  team: joined('team', 3),
}
