/**
 * The fields that a caller may read, those it may not set, and the roles that may set these. They
 * depend on the facts of the caller by which the rules of fields judge. So each set is computed
 * once for each combination of facts, and cached.
 */
import { type CallerFacts, callerKey, uniteFacts } from '../resource/caller-facts.ts'
import type { Resource } from '../resource/catalog.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { judge, type PolicyContext } from './judge.ts'
import { passingRoles } from './passing-roles.ts'

export type RolesByField = ReadonlyMap<string, readonly string[] | undefined>

export type FieldSets = {
  /** The fields that the caller may read. */
  visible(principal: Principal, resource: Resource): ReadonlySet<string>
  /** The fields that the caller must not change. */
  guarded(principal: Principal, resource: Resource): ReadonlySet<string>
  /**
   * The roles that may change each field with a `write` rule; undefined where no role is enough.
   */
  writers(resource: Resource): RolesByField
  /** The facts of a caller from which it follows what the caller may read. */
  readFacts(resource: Resource): CallerFacts
  /** The fields that some callers may read and others may not, besides the console. */
  differing(resource: Resource): ReadonlySet<string>
}

type FieldAccess = 'read' | 'write'
type ResourceFieldSets = {
  readonly facts: Readonly<Record<FieldAccess, CallerFacts>>
  readonly sets: Readonly<Record<FieldAccess, Map<string, ReadonlySet<string>>>>
  readonly differing: ReadonlySet<string>
  readonly writers: RolesByField
}

export function makeFieldSets(context: PolicyContext): FieldSets {
  const owns = new Map([...context.catalog.resources.values()].map((one) => [one, ownOf(one)]))

  /** The facts by which the rule of a field judges; none where there is no rule. */
  function factsOf(resource: Resource, name: string, side: FieldAccess): CallerFacts {
    const rule = resource.fields[name]?.[side]
    return rule ? rule.type.judgesBy(rule, { ...context, resource }) : []
  }

  function ownOf(resource: Resource): ResourceFieldSets {
    const { fieldNames, fields } = resource
    const factsOfAll = (side: FieldAccess) => fieldNames.map((name) => factsOf(resource, name, side))
    const hides = fieldNames.some((name) => fields[name]?.hidden)
    return {
      facts: {
        read: uniteFacts([...factsOfAll('read'), hides ? ['console'] : []]),
        write: uniteFacts(factsOfAll('write')),
      },
      sets: { read: new Map(), write: new Map() },
      differing: new Set(fieldNames.filter((name) => factsOf(resource, name, 'read').length > 0)),
      writers: writersOf(resource),
    }
  }

  function writersOf(resource: Resource): RolesByField {
    const rules = resource.fieldNames.map((name) => [name, resource.fields[name]?.write] as const)
    const place = { ...context, resource }
    return new Map(rules.flatMap(([name, rule]) => (rule ? [[name, passingRoles(rule, place)] as const] : [])))
  }

  const own = (resource: Resource): ResourceFieldSets => owns.get(resource) ?? ownOf(resource)

  /** The fields whose `read` or `write` rule the caller satisfies, or does not satisfy. */
  function setOf(principal: Principal, resource: Resource, side: FieldAccess): ReadonlySet<string> {
    const { facts, sets } = own(resource)
    const console = isAtConsole(principal)
    const key = callerKey(principal, console ? uniteFacts([facts[side], ['console']]) : facts[side])
    const known = sets[side].get(key)
    if (known) return known
    const passes = (rule: Rule | undefined) =>
      !rule || console || judge(context, rule, { resource, principal }).kind === 'allow'
    const names = resource.fieldNames.filter((name) => {
      const field = resource.fields[name]
      // The console sees hidden fields, because an import of an export needs them. It never sees
      // secrets.
      const shown = !field?.hidden || (console && field.type.secret === undefined)
      return side === 'read' ? shown && passes(field?.read) : !passes(field?.write)
    })
    const set = new Set(names)
    sets[side].set(key, set)
    return set
  }

  return {
    visible: (principal, resource) => setOf(principal, resource, 'read'),
    guarded: (principal, resource) => setOf(principal, resource, 'write'),
    writers: (resource) => own(resource).writers,
    readFacts: (resource) => own(resource).facts.read,
    differing: (resource) => own(resource).differing,
  }
}
