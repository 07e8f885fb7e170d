/**
 * Which fields a caller may see, which it may not set, and who may set those. They depend on the role alone, so each set is made once and
 * kept.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Principal } from '../resource/principal.ts'
import type { Role, Rule } from '../resource/rule.ts'
import { type Court, judge } from './judge.ts'
import { rolesFor } from './passing.ts'

export type Writers = ReadonlyMap<string, readonly Role[] | undefined>

export type FieldSets = {
  /** The fields that the caller may read. */
  visible(principal: Principal, resource: Resource): ReadonlySet<string>
  /** The fields that the caller must not change. */
  guarded(principal: Principal, resource: Resource): ReadonlySet<string>
  /** The roles that may change each field with a `write` rule; undefined where no role is enough. */
  writers(resource: Resource): Writers
}

export function makeFieldSets(court: Court): FieldSets {
  const resources = [...court.catalog.resources.values()]
  const sets = new Map<Resource, Map<string, ReadonlySet<string>>>(resources.map((one) => [one, new Map()]))
  const writers = new Map(resources.map((one) => [one, writersOf(one)]))

  function writersOf(resource: Resource): Writers {
    const rules = resource.fieldNames.map((name) => [name, resource.fields[name]?.write] as const)
    const place = { ...court, resource }
    return new Map(rules.flatMap(([name, rule]) => (rule ? [[name, rolesFor(rule, place)] as const] : [])))
  }

  /** The fields whose `read` or `write` rule the caller satisfies, or does not satisfy. */
  function setOf(principal: Principal, resource: Resource, side: 'read' | 'write'): ReadonlySet<string> {
    const role = principal.kind === 'user' ? principal.role : ''
    const console = principal.kind === 'user' && principal.via === 'console'
    const key = `${side}${role}${console}`
    const known = sets.get(resource)?.get(key)
    if (known) return known
    const passes = (rule: Rule | undefined) => !rule || judge(court, rule, { resource, principal }).kind === 'allow'
    const names = resource.fieldNames.filter((name) => {
      const field = resource.fields[name]
      // The console sees hidden fields, because an import of an export needs them. It never sees secrets.
      const shown = !field?.hidden || (console && field.type.secret === undefined)
      return side === 'read' ? shown && passes(field?.read) : !passes(field?.write)
    })
    const set = new Set(names)
    sets.get(resource)?.set(key, set)
    return set
  }

  return {
    visible: (principal, resource) => setOf(principal, resource, 'read'),
    guarded: (principal, resource) => setOf(principal, resource, 'write'),
    writers: (resource) => writers.get(resource) ?? new Map(),
  }
}
