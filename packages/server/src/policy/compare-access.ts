/**
 * Compares two declarations of an application: which kinds of callers may see or do more, and which
 * less. Where both rules admit some records, and neither is provably the narrower one, it says that
 * they differ.
 */

import type { Resource } from '../resource/catalog.ts'
import { all, always, type Condition, never } from '../resource/condition.ts'
import { shownResources } from '../resource/made/shown-resources.ts'
import { bodyKinds } from '../resource/operation-kind.ts'
import type { Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { type CallerKind, callerKinds, type JudgedApplication } from './caller-kinds.ts'
import { implies } from './implies.ts'
import { judge, whereOf } from './judge.ts'
import { permissionsOf } from './permissions.ts'
import { makePolicy } from './policy.ts'

export type AccessChange = {
  /** `differs`: other records; a person has to compare the rules. */
  readonly change: 'more' | 'less' | 'differs'
  readonly resource: string
  /** An operation, `see` or `set`. */
  readonly deed: string
  /** The fields that are seen or set. */
  readonly fields?: readonly string[]
  /** The kinds of callers that it is about. */
  readonly callers: readonly string[]
  /** The rule in words, or the records that it admits; absent for fields. */
  readonly before?: string
  readonly after?: string
}

/** Rules are compared at one time. */
const anyTime = () => '2000-01-01T00:00:00.000Z'

/** The records on which an operation is allowed, with those that it may make of them. */
type Allowed = { readonly where: Condition; readonly result: Condition; readonly words: string }
const nothing: Allowed = { where: never, result: never, words: 'none' }

function allowedBy(
  side: JudgedApplication,
  resource: Resource | undefined,
  asked: { operation: string; principal: Principal },
): Allowed {
  const { operation, principal } = asked
  const rule = resource?.access[operation]
  if (!resource || !rule) return nothing
  const judged = (one: Rule) => whereOf(judge({ ...side, now: anyTime }, one, { resource, principal }))
  const after = resource.accessAfter[operation]
  const words = [rule, ...(after ? [after] : [])].map((one) => one.type.inTable(one, { ...side, resource }))
  const [where, result] = [judged(rule), after ? judged(after) : always]
  if (where.kind === 'false' || result.kind === 'false') return nothing
  return { where, result, words: words.join(', and its result: ') }
}

function changeOf(before: Allowed, after: Allowed): AccessChange['change'] | undefined {
  const isWider = implies(before.where, after.where) && implies(before.result, after.result)
  const isNarrower = implies(after.where, before.where) && implies(after.result, before.result)
  if (isWider && isNarrower) return undefined
  return isWider ? 'more' : isNarrower ? 'less' : 'differs'
}

function extentWords({ where, result, words }: Allowed): string {
  const both = all(where, result)
  return both.kind === 'true' ? 'all records' : both.kind === 'false' ? 'none' : words
}

type Sides = {
  readonly before: JudgedApplication
  readonly after: JudgedApplication
  readonly kinds: readonly CallerKind[]
}

function operationChanges({ before, after, kinds }: Sides, name: string): readonly AccessChange[] {
  const [old, now] = [before.catalog.resources.get(name), after.catalog.resources.get(name)]
  const operations = [...new Set([old, now].flatMap((one) => Object.keys(one?.access ?? {})))]
  return operations.flatMap((operation) =>
    kinds.flatMap(({ name: caller, principal }) => {
      const was = allowedBy(before, old, { operation, principal })
      const is = allowedBy(after, now, { operation, principal })
      const change = changeOf(was, is)
      if (!change) return []
      const resource = (now ?? old)?.slug ?? name
      return [
        { change, resource, deed: operation, callers: [caller], before: extentWords(was), after: extentWords(is) },
      ]
    }),
  )
}

type FieldsByDeed = ReadonlyMap<string, readonly string[]>

/** The fields that a caller sees and sets; nothing of resources where the caller may do nothing. */
function fieldsByDeed(side: JudgedApplication, principal: Principal): ReadonlyMap<string, FieldsByDeed> {
  const policy = makePolicy(side.catalog, side.settings)
  return new Map(
    permissionsOf({ catalog: side.catalog, policy }, principal).map(({ resource, sees, sets }) => [
      resource.name,
      new Map([['see', sees], ...bodyKinds.map((kind) => [`set by ${kind}`, sets[kind]] as const)]),
    ]),
  )
}

/** Of operations that are new to a caller, or gone, the fields are not told one by one. */
function fieldChanges({ before, after, kinds }: Sides): readonly AccessChange[] {
  return kinds.flatMap(({ name: caller, principal }) => {
    const [was, is] = [fieldsByDeed(before, principal), fieldsByDeed(after, principal)]
    return [...is].flatMap(([resource, deeds]) =>
      [...deeds].flatMap(([deed, fields]): AccessChange[] => {
        const earlier = was.get(resource)?.get(deed) ?? []
        if (earlier.length === 0 || fields.length === 0) return []
        const shared = { resource: after.catalog.get(resource).slug, deed, callers: [caller] }
        const [gained, lost] = [
          fields.filter((one) => !earlier.includes(one)),
          earlier.filter((one) => !fields.includes(one)),
        ]
        return [
          ...(gained.length > 0 ? [{ ...shared, change: 'more', fields: gained } as const] : []),
          ...(lost.length > 0 ? [{ ...shared, change: 'less', fields: lost } as const] : []),
        ]
      }),
    )
  })
}

/** One change for all callers of whom the same is said. */
function joinCallers(changes: readonly AccessChange[]): readonly AccessChange[] {
  const alike = Map.groupBy(changes, ({ callers: _, ...rest }) => JSON.stringify(rest))
  return [...alike.values()].map((some) => ({
    ...(some[0] as AccessChange),
    callers: some.flatMap(({ callers }) => callers),
  }))
}

/** In the order of the resources: what is new first, then the rest. */
export function compareAccess(before: JudgedApplication, after: JudgedApplication): readonly AccessChange[] {
  const sides = { before, after, kinds: callerKinds([before, after]) }
  const names = [...new Set([after, before].flatMap(({ catalog }) => shownResources(catalog).map(({ name }) => name)))]
  return joinCallers([...names.flatMap((name) => operationChanges(sides, name)), ...fieldChanges(sides)])
}
