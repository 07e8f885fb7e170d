/**
 * Makes the example of a summary for the document from the declarations: a request, and its
 * response.
 */

import { groupsOf, measurable } from '../../operation/summary.ts'
import { onAllRecords } from '../../operation/visible-fields.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Json } from '../../resource/fields/field.ts'
import { shownResources } from '../../resource/made/shown-resources.ts'
import { exampleIn } from '../../resource/words/example.ts'
import type { OpenapiNode } from '../openapi-node.ts'

type SummaryChoice = { readonly resource: Resource; readonly group?: string; readonly sum?: string }

/**
 * The field to group by: one with a declared filter, a list of values or a reference; else any
 * field but the id.
 */
function groupOf(resource: Resource, names: readonly string[]): string | undefined {
  const told = Object.values(resource.list.filters).flatMap(({ field, by }) => (by === 'eq' ? [field] : []))
  const isFew = (name: string) => resource.fields[name]?.values ?? resource.fields[name]?.reference
  const others = names.filter((name) => name !== resource.idField)
  return told.find((name) => names.includes(name)) ?? others.find(isFew) ?? others[0]
}

function askedOf(resource: Resource): SummaryChoice {
  const seen = { resource, visible: new Set(resource.fieldNames), visibleWhere: onAllRecords }
  const group = groupOf(
    resource,
    groupsOf(seen).flatMap(({ name, unit }) => (unit ? [] : [name])),
  )
  // The last one is the most useful to add: counts mostly come before amounts.
  const sum = measurable(seen, 'sum').at(-1)
  return { resource, ...(group && { group }), ...(sum && { sum }) }
}

/** The list with the best example: a group by a declared filter, and a sum. */
function bestOf(catalog: Catalog): SummaryChoice | undefined {
  const all = shownResources(catalog)
    .filter(({ access }) => access.list !== undefined)
    .map(askedOf)
  const namesFilters = ({ resource, group }: SummaryChoice) =>
    Object.values(resource.list.filters).some(({ field, by }) => by === 'eq' && field === group)
  const summed = all.filter((one) => one.group !== undefined && one.sum !== undefined)
  return summed.find(namesFilters) ?? summed[0] ?? all.find(({ group }) => group !== undefined) ?? all[0]
}

/** `group=kind&sum=weight`; undefined where no list has groups. */
export function summaryQuery(catalog: Catalog): string | undefined {
  const { group, sum } = bestOf(catalog) ?? {}
  if (group === undefined) return undefined
  return sum === undefined ? `group=${group}` : `group=${group}&sum=${sum}`
}

/** Exact numbers are texts. */
function numbersOf(sum: string, example: Json): OpenapiNode {
  if (typeof example === 'string') return { sum: { [sum]: example } }
  const value = Number(example)
  return { sum: { [sum]: Math.round(value * 200) / 100 } as Json, average: { [sum]: value } }
}

/** The response to that: two groups with example values. */
export function summaryAnswer(catalog: Catalog): OpenapiNode {
  const { resource, group, sum } = bestOf(catalog) ?? {}
  if (!resource) return { data: [{ count: 2 }], meta: { groups: 1 } }
  const grouped: OpenapiNode = group === undefined ? {} : { [group]: exampleIn(resource, group) }
  const example = sum === undefined ? undefined : exampleIn(resource, sum)
  const numbers: OpenapiNode = sum === undefined || example === undefined ? {} : numbersOf(sum, example)
  return { data: [{ ...grouped, count: 2, ...numbers }], meta: { groups: 1 } }
}
