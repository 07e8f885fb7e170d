/**
 * Filters by links: `{"tags":{"some":{"name":"x"}}}`, `none` and `every`, and by ids, `tags=ID`.
 * All of them look only at links to records that exist for the caller.
 */
import type { LinkRelation, Resource } from '../../resource/catalog.ts'
import { all, type Condition, never, not, type Scalar } from '../../resource/condition.ts'
import type { Operator } from '../../resource/fields/field.ts'
import { linkFields } from '../../resource/made/link-table.ts'
import type { FilterOperand } from '../filter.ts'
import type { ViewOf } from '../filter-tree.ts'

export const quantifiers = ['some', 'none', 'every'] as const
export type Quantifier = (typeof quantifiers)[number]

export function isQuantifier(word: string): word is Quantifier {
  return (quantifiers as readonly string[]).includes(word)
}

/** A field of links, and the records that the caller may see of its other side. */
export type FilteredLinks = { readonly resource: Resource; readonly name: string; readonly seen: Condition }

export function filteredLinks(
  { resource, viewOf }: { readonly resource: Resource; readonly viewOf?: ViewOf | undefined },
  name: string,
): FilteredLinks | undefined {
  const link = resource.links[name]
  const seen = link && viewOf?.(link.target).where
  return seen && { resource, name, seen }
}

/** Records with a link that matches. */
function exists({ resource, name }: FilteredLinks, where: Condition): Condition {
  const { table } = resource.links[name] as LinkRelation
  if (where.kind === 'false') return never
  return { kind: 'related', field: resource.idField, resource: table.name, at: linkFields.from, where }
}

/** Records with a link to a record that matches. */
function existsTo(asked: FilteredLinks, where: Condition): Condition {
  const { target } = asked.resource.links[asked.name] as LinkRelation
  const to: Condition = { kind: 'related', field: linkFields.to, resource: target.name, where }
  return exists(asked, where.kind === 'true' || where.kind === 'false' ? where : to)
}

/** `where`: the condition on the linked records. */
export function quantify(asked: FilteredLinks, quantifier: Quantifier, where: Condition): Condition {
  const { seen } = asked
  switch (quantifier) {
    case 'some':
      return existsTo(asked, all(seen, where))
    case 'none':
      return not(existsTo(asked, all(seen, where)))
    case 'every':
      return not(existsTo(asked, all(seen, not(where))))
  }
}

/** Links to these records: the ids are compared in the table of links. */
function existsToIds(asked: FilteredLinks, ids: readonly Scalar[]): Condition {
  const { target } = asked.resource.links[asked.name] as LinkRelation
  const { seen } = asked
  const named: Condition = { kind: 'in', field: linkFields.to, values: ids }
  if (seen.kind === 'true') return exists(asked, named)
  if (seen.kind === 'false') return never
  return exists(asked, all(named, { kind: 'related', field: linkFields.to, resource: target.name, where: seen }))
}

/** `eq` and `in` of ids, and `null`: whether there is no link. */
export function compareLinks(asked: FilteredLinks, operator: Operator, operand: FilterOperand): Condition {
  if (operator === 'null') {
    const without = not(existsTo(asked, asked.seen))
    return operand.flag() ? without : not(without)
  }
  return existsToIds(asked, operator === 'eq' ? [operand.one()] : operand.many())
}
