/**
 * The fields that a caller may read, on all records or on some, those it may not set, and the roles
 * that may set these. They depend on the facts of the caller by which the rules of fields judge. So
 * each is computed once for each combination of facts, and cached.
 */
import { type BoundedCache, boundedCache } from '../base/bounded-cache.ts'
import type { VisibleFields } from '../operation/visible-fields.ts'
import { type CallerFacts, callerKey, uniteFacts } from '../resource/caller-facts.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Condition } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { singleField } from '../resource/made/single-resource.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import { judge, type PolicyContext } from './judge.ts'
import { passingRoles } from './passing-roles.ts'

export type RolesByField = ReadonlyMap<string, readonly string[] | undefined>

export type GuardedFields = {
  /** The fields that the caller must not change on any record. */
  readonly guarded: ReadonlySet<string>
  /** The records on which the caller may change a field, where that depends on the record. */
  readonly guardedWhere: ReadonlyMap<string, Condition>
  /**
   * The roles that may change each field with a `write` rule; undefined where no role is enough.
   */
  readonly writers: RolesByField
}

export type FieldSets = {
  /** The fields that the caller may read. */
  visible(principal: Principal, resource: Resource): VisibleFields
  guarded(principal: Principal, resource: Resource): GuardedFields
  /** The facts of a caller from which it follows what the caller may read. */
  readFacts(resource: Resource): CallerFacts
  /** The same for what an answer shows of itself: without the fields that requests name. */
  shownFacts(resource: Resource): CallerFacts
  /**
   * The fields that some callers may read and others may not, besides the console, and those that
   * only some records show. Without those that answers have on request, which the request names.
   */
  differing(resource: Resource): ReadonlySet<string>
}

type FieldAccess = 'read' | 'write'
/** Where the rules of fields hold: on every record, or on those of a condition. */
type HeldFields = { readonly held: ReadonlySet<string>; readonly where: ReadonlyMap<string, Condition> }
type ResourceFieldSets = {
  readonly facts: Readonly<Record<FieldAccess | 'shown', CallerFacts>>
  readonly visible: BoundedCache<string, VisibleFields>
  readonly guarded: BoundedCache<string, GuardedFields>
  readonly differing: ReadonlySet<string>
  readonly writers: RolesByField
}

/** Combinations of facts of one resource. With rules such as `owner`, each user is one. */
const combinationsMax = 1_000

/** The console sees hidden fields, because an import of an export needs them, but no secrets. */
function isHidden(name: string, { hidden, type }: Field, console: boolean): boolean {
  return hidden && (name === singleField || !(console && type.secret === undefined))
}

function judgeFields(
  context: PolicyContext,
  { principal, resource }: { readonly principal: Principal; readonly resource: Resource },
  side: FieldAccess,
): HeldFields {
  const console = isAtConsole(principal)
  const held = new Set<string>()
  const where = new Map<string, Condition>()
  for (const [name, field] of Object.entries(resource.fields)) {
    if (side === 'read' && isHidden(name, field, console)) continue
    const rule = console ? undefined : field[side]
    const verdict = rule && judge(context, rule, { resource, principal })
    if (verdict?.kind === 'refuse') continue
    held.add(name)
    if (verdict?.kind === 'filter') where.set(name, verdict.where)
  }
  return { held, where }
}

export function makeFieldSets(context: PolicyContext): FieldSets {
  const owns = new Map([...context.catalog.resources.values()].map((one) => [one, ownOf(one)]))

  /** The facts by which the rule of a field judges; none where there is no rule. */
  function factsOf(resource: Resource, name: string, side: FieldAccess): CallerFacts {
    const rule = resource.fields[name]?.[side]
    return rule ? rule.type.judgesBy(rule, { ...context, resource }) : []
  }

  function ownOf(resource: Resource): ResourceFieldSets {
    const { fieldNames, fields, partlyShown, requestedNames } = resource
    const factsOfAll = (names: readonly string[], side: FieldAccess) =>
      names.map((name) => factsOf(resource, name, side))
    const shown = fieldNames.filter((name) => !requestedNames.includes(name))
    const hidden: CallerFacts = fieldNames.some((name) => fields[name]?.hidden) ? ['console'] : []
    const judged = fieldNames.filter((name) => factsOf(resource, name, 'read').length > 0)
    return {
      facts: {
        read: uniteFacts([...factsOfAll(fieldNames, 'read'), hidden]),
        shown: uniteFacts([...factsOfAll(shown, 'read'), hidden]),
        write: uniteFacts(factsOfAll(fieldNames, 'write')),
      },
      visible: boundedCache({ entriesMax: combinationsMax }),
      guarded: boundedCache({ entriesMax: combinationsMax }),
      differing: new Set([...judged, ...partlyShown].filter((name) => !requestedNames.includes(name))),
      writers: writersOf(resource),
    }
  }

  function writersOf(resource: Resource): RolesByField {
    const rules = resource.fieldNames.map((name) => [name, resource.fields[name]?.write] as const)
    const place = { ...context, resource }
    return new Map(rules.flatMap(([name, rule]) => (rule ? [[name, passingRoles(rule, place)] as const] : [])))
  }

  const own = (resource: Resource): ResourceFieldSets => owns.get(resource) ?? ownOf(resource)

  /** Makes it for a caller, and caches it unless a rule reads the clock. */
  function cachedFor<V extends object>(
    cache: BoundedCache<string, V>,
    { principal, facts }: { readonly principal: Principal; readonly facts: CallerFacts },
    make: () => V,
  ): V {
    if (facts.includes('clock')) return make()
    const key = callerKey(principal, isAtConsole(principal) ? uniteFacts([facts, ['console']]) : facts)
    const known = cache.get(key)
    if (known) return known
    const made = make()
    cache.set(key, made)
    return made
  }

  return {
    visible(principal, resource) {
      const { facts, visible } = own(resource)
      return cachedFor(visible, { principal, facts: facts.read }, () => {
        const { held, where } = judgeFields(context, { principal, resource }, 'read')
        return { visible: held, visibleWhere: where }
      })
    },
    guarded(principal, resource) {
      const { facts, guarded, writers } = own(resource)
      return cachedFor(guarded, { principal, facts: facts.write }, () => {
        const { held, where } = judgeFields(context, { principal, resource }, 'write')
        const refused = resource.fieldNames.filter((name) => !held.has(name))
        return { guarded: new Set(refused), guardedWhere: where, writers }
      })
    },
    readFacts: (resource) => own(resource).facts.read,
    shownFacts: (resource) => own(resource).facts.shown,
    differing: (resource) => own(resource).differing,
  }
}
