/**
 * Decides conditions on records as they were at a moment. Conditions on other records look these up
 * in the world; all others are decided by the record itself.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import { makeMatcher } from '../storage/derived/match.ts'
import type { Values } from '../storage/storage.ts'
import type { Moment, World } from './world.ts'

export type Verdict = (row: Values, moment: Moment) => boolean
export type RelatedNode = Condition & { readonly kind: 'related' }
export type WithinNode = Condition & { readonly kind: 'within' }

export type Verdicts = {
  /** Compiled once for each condition object. The result is good where the world lacks nothing. */
  of(resource: Resource, condition: Condition): Verdict
  /** The ids of the records that a walk through a tree finds. */
  walk(node: WithinNode, moment: Moment): ReadonlySet<Scalar>
}

/** The field of the other record by which a condition finds it. */
export function keyField(catalog: Catalog, { resource, at }: RelatedNode): string {
  return at ?? catalog.get(resource).idField
}

/** The conditions on other records that a condition has, one level down. */
export function nodesIn(condition: Condition): readonly (RelatedNode | WithinNode)[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.of.flatMap(nodesIn)
  if (condition.kind === 'not') return nodesIn(condition.of)
  return condition.kind === 'related' || condition.kind === 'within' ? [condition] : []
}

/** The resource whose records such a condition is about. */
export function resourceOf(node: RelatedNode | WithinNode): string {
  return node.kind === 'related' ? node.resource : node.tree
}

/** The resources that a condition looks into, at any depth. */
export function lookedInto(condition: Condition, into: Set<string> = new Set()): Set<string> {
  for (const node of nodesIn(condition)) lookedInto(node.where, into.add(resourceOf(node)))
  return into
}

export function makeVerdicts(catalog: Catalog, world: World): Verdicts {
  const matcher = makeMatcher()
  const known = new WeakMap<Condition, Verdict>()

  function related(node: RelatedNode): Verdict {
    const { field, where } = node
    const resource = catalog.get(node.resource)
    const key = keyField(catalog, node)
    const inner = of(resource, where)
    return (row, moment) => {
      const value = (row[field] ?? null) as Scalar | null
      if (value === null) return false
      if (key === resource.idField) {
        const found = world.row(resource, value, moment)
        return found !== null && inner(found, moment)
      }
      return world.rows({ resource, field: key, value }, moment).some((one) => inner(one, moment))
    }
  }

  function walk({ tree: name, by, of: start, way, from, to, where }: WithinNode, moment: Moment): ReadonlySet<Scalar> {
    const tree = catalog.get(name)
    const inner = of(tree, where)
    const isIn = (row: Values) => inner(row, moment)
    const below = (id: Scalar) => world.rows({ resource: tree, field: by, value: id }, moment).filter(isIn)
    const named = (id: Scalar | null) => {
      const row = id === null ? null : world.row(tree, id, moment)
      return row && isIn(row) ? [row] : []
    }
    const idOf = (row: Values) => row[tree.idField] as Scalar
    let level = way === 'below' ? 1 : 0
    let rows = way === 'below' ? below(start) : named(start)
    const found = new Set<Scalar>()
    for (; rows.length > 0 && level <= to; level += 1) {
      if (level >= from) for (const row of rows) found.add(idOf(row))
      const next = (row: Values) => (way === 'up' ? named((row[by] ?? null) as Scalar | null) : below(idOf(row)))
      rows = level === to ? [] : rows.flatMap(next)
    }
    return found
  }

  function within(node: WithinNode): Verdict {
    const sets = new Map<Moment, ReadonlySet<Scalar>>()
    return (row, moment) => {
      const value = (row[node.field] ?? null) as Scalar | null
      if (value === null) return false
      const set = sets.get(moment) ?? walk(node, moment)
      // A walk that lacks rows is done again.
      if (!world.isMissing()) sets.set(moment, set)
      return set.has(value)
    }
  }

  function joined(resource: Resource, { kind, of: parts }: Condition & { readonly kind: 'and' | 'or' }): Verdict {
    const compiled = parts.map((one) => of(resource, one))
    if (kind === 'and') return (row, moment) => compiled.every((part) => part(row, moment))
    return (row, moment) => compiled.some((part) => part(row, moment))
  }

  function compile(resource: Resource, condition: Condition): Verdict {
    const { kind } = condition
    if (kind === 'related') return related(condition)
    if (kind === 'within') return within(condition)
    const looksAside = nodesIn(condition).length > 0
    if (looksAside && (kind === 'and' || kind === 'or')) return joined(resource, condition)
    if (looksAside && kind === 'not') {
      const inner = of(resource, condition.of)
      return (row, moment) => !inner(row, moment)
    }
    const match = matcher.compile(resource, condition)
    return (row) => match(row) === true
  }

  function of(resource: Resource, condition: Condition): Verdict {
    const found = known.get(condition)
    if (found) return found
    const made = compile(resource, condition)
    known.set(condition, made)
    return made
  }
  return { of, walk }
}
