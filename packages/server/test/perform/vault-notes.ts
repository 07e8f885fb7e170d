/**
 * Notes with random rules, and vaults that only their owners read: for tests of explanations. The
 * rules have a second evaluator here, in plain JavaScript.
 */
import fc from 'fast-check'
import {
  allOf,
  anyOf,
  anyone,
  boolean,
  choice,
  defineAction,
  defineResource,
  id,
  integer,
  not,
  owner,
  reference,
  role,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { resources } from '../application/resources/index.ts'

export type Verdict = 'holds' | 'fails' | 'unknown'
export type Vault = { readonly id: string; readonly ownerId: string; readonly isOpen: boolean | null }
export type Note = {
  readonly id: string
  readonly authorId: string | null
  readonly state: string
  readonly size: number | null
  readonly secret: string
  readonly vault: Vault | undefined
}
export type Caller = { readonly id: string | undefined; readonly role: string | undefined }
type Case = { readonly note: Note; readonly caller: Caller }

const verdict = (holds: boolean | undefined): Verdict => (holds === undefined ? 'unknown' : holds ? 'holds' : 'fails')
const opposite = { holds: 'fails', fails: 'holds', unknown: 'unknown' } as const

/** A rule, with how it is evaluated and what it contains. */
export type RuleModel = {
  readonly rule: Rule
  /** The places of the parts below this one. */
  readonly places: readonly string[]
  readonly parts: readonly RuleModel[]
  /** Whether it compares what only some callers may read. */
  readonly isHidden: boolean
  judge(on: Case, parts: readonly Verdict[]): Verdict
}

const leaf = (rule: Rule, judge: (on: Case) => boolean | undefined, isHidden = false): RuleModel => ({
  rule,
  places: [],
  parts: [],
  isHidden,
  judge: (on) => verdict(judge(on)),
})
const rank = ['NOBODY', 'USER', 'EDITOR', 'ADMIN']
const isKnown = ({ caller }: Case) => caller.id !== undefined
const same = <T>(own: T | null | undefined, other: T | undefined) =>
  own === null || own === undefined || other === undefined ? undefined : own === other

const leaves: readonly RuleModel[] = [
  leaf(anyone, () => true),
  leaf(user, (on) => (isKnown(on) ? true : undefined)),
  leaf(role('EDITOR'), (on) => (isKnown(on) ? rank.indexOf(on.caller.role as string) >= 2 : undefined)),
  leaf(role('ADMIN'), (on) => (isKnown(on) ? on.caller.role === 'ADMIN' : undefined)),
  leaf(owner('authorId'), ({ note, caller }) => same(note.authorId, caller.id)),
  leaf(where({ state: 'OPEN' }), ({ note }) => note.state === 'OPEN'),
  leaf(where({ size: { gte: 5 } }), ({ note }) => (note.size === null ? undefined : note.size >= 5)),
  leaf(where({ secret: 'hush' }), ({ note }) => note.secret === 'hush', true),
]

const inVault = (rule: Rule, judge: (vault: Vault, caller: Caller) => boolean | undefined): RuleModel => ({
  rule: through('vaultId', rule),
  places: ['through(vaultId)'],
  parts: [leaf(rule, ({ note, caller }) => (note.vault ? judge(note.vault, caller) : undefined), true)],
  isHidden: true,
  judge: (_, [inside]) => inside as Verdict,
})
const throughs = [
  inVault(where({ isOpen: true }), ({ isOpen }) => isOpen ?? undefined),
  inVault(owner('ownerId'), ({ ownerId }, { id }) => same(ownerId, id)),
]

function joined(word: 'anyOf' | 'allOf', parts: readonly RuleModel[]): RuleModel {
  const [wins, loses] = word === 'anyOf' ? (['holds', 'fails'] as const) : (['fails', 'holds'] as const)
  const join = word === 'anyOf' ? anyOf : allOf
  return {
    rule: join(parts.map(({ rule }) => rule) as never) as Rule,
    places: parts.map((_, at) => `${word}[${at}]`),
    parts,
    isHidden: parts.some((part) => part.isHidden),
    judge: (_, found) => (found.includes(wins) ? wins : found.every((one) => one === loses) ? loses : 'unknown'),
  }
}

const negated = (part: RuleModel): RuleModel => ({
  rule: not(part.rule as Rule<string, string, string>) as Rule,
  places: ['not'],
  parts: [part],
  isHidden: part.isHidden,
  judge: (_, [inside]) => opposite[inside as Verdict],
})

const { tree } = fc.letrec<{ tree: RuleModel }>((again) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...leaves, ...throughs),
    fc
      .tuple(
        fc.constantFrom('anyOf' as const, 'allOf' as const),
        fc.array(again('tree'), { minLength: 2, maxLength: 3 }),
      )
      .map(([word, parts]) => joined(word, parts)),
    again('tree').map(negated),
  ),
}))

/** Random rules, the same in every run. */
export function randomRules(count: number, seed: number): readonly RuleModel[] {
  return fc.sample(tree, { numRuns: count, seed })
}

/** The verdict of a rule. `instead`: places with the verdict that helps the whole rule to hold. */
export function evaluate(
  model: RuleModel,
  on: Case,
  { at, instead, helps = 'holds' }: { at: string; instead: ReadonlySet<string>; helps?: 'holds' | 'fails' },
): Verdict {
  if (instead.has(at)) return helps
  const parts = model.parts.map((part, i) => {
    const place = model.places[i] as string
    return evaluate(part, on, { at: `${at}.${place}`, instead, helps: place === 'not' ? opposite[helps] : helps })
  })
  return model.judge(on, parts)
}

/** The rule at a place; undefined for a place that it does not have. */
export function ruleAt(model: RuleModel, at: string, wanted: string): RuleModel | undefined {
  if (at === wanted) return model
  for (const [i, part] of model.parts.entries()) {
    const found = ruleAt(part, `${at}.${model.places[i]}`, wanted)
    if (found) return found
  }
  return undefined
}

export const vaults = defineResource({
  name: 'vault',
  path: '/vaults',
  fields: {
    id: id(),
    ownerId: reference('member', { onDelete: 'clear' }),
    isOpen: boolean(),
    word: text(),
  },
  list: { style: 'page' },
  access: { list: owner('ownerId'), get: owner('ownerId') },
})

/** Notes that have one action for each rule: `a0`, `a1`, … */
export function notesWith(models: readonly RuleModel[]) {
  const names = models.map((_, at) => `a${at}`)
  const action = defineAction({ input: {}, run: async () => undefined })
  return defineResource({
    name: 'note',
    path: '/notes',
    fields: {
      id: id(),
      authorId: reference('member', { onDelete: 'clear' }),
      state: choice(['DRAFT', 'OPEN', 'CLOSED'], { default: 'DRAFT' }),
      size: integer(),
      secret: text({ read: role('ADMIN'), default: 'hush' }),
      vaultId: reference('vault', { onDelete: 'clear' }),
    },
    list: { style: 'page', filterable: ['state'] },
    access: {
      list: anyone,
      get: anyOf([where({ state: 'OPEN' }), owner('authorId'), role('EDITOR')]),
      ...(Object.fromEntries(names.map((name, at) => [name, (models[at] as RuleModel).rule])) as object),
    },
    explainAccess: user,
    actions: Object.fromEntries(names.map((name) => [name, action])) as never,
  })
}

export const others = resources
