/**
 * Finds mistakes between resources: children, embedded records, looked-up values, links, and
 * circular references that no record can satisfy or no read can end.
 */
import { operationsIn } from '../access/change-rule.ts'
import { type DeclaredResource, engineTraits } from '../define.ts'
import type { Field, Virtual } from '../fields/field.ts'
import { areComparable, isOneToOne, isPartlyShown } from '../fields/field-facts.ts'
import type { ChildDeclaration } from '../relations/child-declaration.ts'
import { referencesTo } from '../tenancy/tenant-path.ts'
import { kebabOf } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'
import { type DeclarationCheck, fieldOf, movesOf, nameMistake, notListed } from './declaration-check.ts'

/** Why a field of the child is no reference by which it lies below this record. */
function childMistake({ declared }: DeclarationCheck, target: DeclaredResource, child: ChildDeclaration) {
  const { resource, by, single } = child
  const references = referencesTo(target, declared.name)
  if (!references.includes(by))
    return `"${resource}" has no reference "${by}" to "${declared.name}"${findMeant(by, references)}`
  if (isPartlyShown(target.fields[by])) return toldByPath(child)
  if (isOneToOne(target.fields[by]))
    return single === undefined
      ? undefined
      : `"${by}" of "${resource}" is oneToOne(), so each record has one or none: leave single out`
  if (single && !target.unique?.some((key) => key.length === 1 && key[0] === by))
    return `"${resource}" must have unique: [['${by}']], so that there is one at most`
  return undefined
}

export function checkChildren(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  const actions = [...movesOf(declared), ...Object.keys(declared.actions ?? {})].map(kebabOf)
  for (const [name, child] of Object.entries(declared.children ?? {})) {
    const at = `children.${name}`
    const unfit = nameMistake(name)
    if (unfit) report(at, unfit)
    if (actions.includes(kebabOf(name))) report(at, 'an action has this path already')
    const target = byName.get(child.resource)
    if (!target) {
      report(at, `"${child.resource}" is not in the list of resources${findMeant(child.resource, byName.keys())}`)
      continue
    }
    const problem = childMistake(context, target, child)
    if (problem) report(at, problem)
    for (const operation of child.operations ?? [])
      if (!operationsIn(target.access).has(operation))
        report(at, `"${child.resource}" has no rule for "${operation}" under access`)
  }
}

/** The path names a record above, so it tells the value of the reference. */
function toldByPath({ resource, by }: { readonly resource: string; readonly by: string }): string {
  return `"${by}" of "${resource}" is read by a rule about the record, and records below another one tell it`
}

export function checkVirtualFields(context: DeclarationCheck): void {
  for (const [name, field] of Object.entries(context.declared.fields)) {
    const { virtual } = field
    const isLookedUp = virtual?.kind === 'lookup'
    const problem = isLookedUp ? lookedUpMistake(field, virtual, context) : embeddedMistake(virtual, context)
    if (problem) context.report(`field "${name}"`, problem)
  }
}

function embeddedMistake(virtual: Virtual | undefined, { declared, byName }: DeclarationCheck): string | undefined {
  if (virtual?.kind !== 'embedded') return undefined
  const { resource, by } = virtual
  const target = byName.get(resource)
  if (!target) return `embeds ${notListed(byName, resource)}`
  const references = referencesTo(target, declared.name)
  if (references.includes(by)) return isPartlyShown(target.fields[by]) ? toldByPath(virtual) : undefined
  return `embeds "${resource}" by "${by}", which is no reference to "${declared.name}"${findMeant(by, references)}`
}

type LookupField = Virtual & { readonly kind: 'lookup' }

function lookedUpMistake(
  like: Field,
  { via, field: name }: LookupField,
  context: DeclarationCheck,
): string | undefined {
  const { declared, byName } = context
  const reference = fieldOf(declared, via)
  if (!reference?.reference) {
    const references = Object.keys(declared.fields).filter((one) => declared.fields[one]?.reference)
    return `is looked up via "${via}", which is no reference${findMeant(via, references)}`
  }
  if (reference.virtual) return `is looked up via "${via}", which is looked up itself: no query finds records by it`
  const target = byName.get(reference.reference.resource)
  if (!target) return undefined // reported with the reference
  const field = fieldOf(target, name)
  const at = `is looked up in "${name}", which`
  if (!field) return `${at} "${target.name}" does not have${findMeant(name, Object.keys(target.fields))}`
  if (field.virtual) return `${at} is not stored`
  if (field.hidden || field.read) return `${at} some callers may not read`
  const isAlike = areComparable(like, field) && like.type.represent === field.type.represent
  if (!isAlike || (like.values && !field.values))
    return `is like ${like.type.name}(), and "${name}" of "${target.name}" is ${field.type.name}()`
  const words = (field.values ?? []).filter((word) => like.values && !like.values.includes(word))
  return words.length > 0
    ? `is not like "${name}" of "${target.name}", which can also be ${words.join(', ')}`
    : undefined
}

type Edge = { readonly from: string; readonly field: string; readonly to: string }

/** The first circle of edges that begins and ends at a resource. */
function circleAt(start: string, edges: readonly Edge[]): readonly Edge[] | undefined {
  const seen = new Set<string>()
  const walk = (from: string, path: readonly Edge[]): readonly Edge[] | undefined => {
    for (const edge of edges) {
      if (edge.from !== from) continue
      if (edge.to === start) return [...path, edge]
      if (seen.has(edge.to)) continue
      seen.add(edge.to)
      const found = walk(edge.to, [...path, edge])
      if (found) return found
    }
    return undefined
  }
  return walk(start, [])
}

function edgesOf(byName: ReadonlyMap<string, DeclaredResource>, follows: (field: Field) => string | undefined): Edge[] {
  return [...byName.values()].flatMap((declared) =>
    Object.entries(declared.fields).flatMap(([field, facts]) => {
      const to = follows(facts)
      return to === undefined ? [] : [{ from: declared.name, field, to }]
    }),
  )
}

const pathOf = (circle: readonly Edge[]) =>
  `${circle.map(({ from, field }) => `${from}.${field}`).join(' → ')} → ${circle[0]?.from}`

/** Each circle is reported with the field of this resource that is part of it. */
export function checkCircles({ declared, byName, report }: DeclarationCheck): void {
  const needed = edgesOf(byName, (field) =>
    !field.virtual && (field.required || !field.nullable) ? field.reference?.resource : undefined,
  )
  const first = circleAt(declared.name, needed)
  if (first)
    report(
      `field "${first[0]?.field}"`,
      `is part of a circle in which no record can be the first (${pathOf(first)}); make one of them optional`,
    )
  const shown = edgesOf(byName, ({ virtual }) => (virtual?.kind === 'embedded' ? virtual.resource : undefined))
  const endless = circleAt(declared.name, shown)
  if (endless)
    report(`field "${endless[0]?.field}"`, `is part of a circle that embeds without end (${pathOf(endless)})`)
}

/** Fields of links, `manyToMany`. */
export function checkLinks({ declared, byName, report }: DeclarationCheck): void {
  if (declared[engineTraits]?.made) return
  for (const [name, field] of Object.entries(declared.fields)) {
    const { virtual } = field
    if (virtual?.kind !== 'links' || typeof virtual.resource !== 'string') continue
    const at = `field "${name}"`
    const target = byName.get(virtual.resource)
    if (!target) report(at, `links ${notListed(byName, virtual.resource)}`)
    else if (!operationsIn(target.access).has('get'))
      report(at, `"${virtual.resource}" has no rule for "get" under access, and links show only what a get finds`)
    if (isPartlyShown(field))
      report(at, 'its read is a rule about the caller: a rule about the record cannot hide links')
  }
}
