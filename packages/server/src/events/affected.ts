/**
 * Finds the records that a transaction may have moved in or out of a condition without a write of
 * their own. They lead to a record that it wrote.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Values } from '../storage/storage.ts'
import { movesOf } from './log-transactions.ts'
import { lost } from './lost.ts'
import { keyField, lookedInto, nodesIn, type RelatedNode, type Verdicts, type WithinNode } from './verdicts.ts'
import type { Moment, World } from './world.ts'

export type AffectedParts = { readonly catalog: Catalog; readonly world: World; readonly verdicts: Verdicts }

/** The records that one transaction may move in or out by other records. */
export const affectedMax = 1_000

/** Records by their ids as texts, as they are behind the transaction. */
type FoundRows = Map<string, Values>

function leadingTo(
  { world }: AffectedParts,
  { resource, field, values }: { resource: Resource; field: string; values: Iterable<Scalar> },
  moment: Moment,
): FoundRows {
  const found: FoundRows = new Map()
  for (const value of values)
    for (const row of world.rows({ resource, field, value }, moment)) found.set(String(row[resource.idField]), row)
  if (found.size > affectedMax && !world.isMissing())
    throw lost(`One change moved more than ${affectedMax} ${resource.plural}`)
  return found
}

/** The keys of other records whose verdict, or whose key, the transaction has changed. */
function changedKeys(parts: AffectedParts, node: RelatedNode, at: Moment): Set<Scalar> {
  const { catalog, world, verdicts } = parts
  const other = catalog.get(node.resource)
  const key = keyField(catalog, node)
  const inner = verdicts.of(other, node.where)
  const keys = new Set<Scalar>()
  const add = (row: Values | null) => {
    const value = (row?.[key] ?? null) as Scalar | null
    if (value !== null) keys.add(value)
  }
  const transaction = world.transactions[at]
  if (!transaction) return keys
  for (const { before, after } of movesOf(transaction, other).values()) {
    const [held, holds] = [before !== null && inner(before, at), after !== null && inner(after, at + 1)]
    if (held === holds && (!held || before?.[key] === after?.[key])) continue
    if (held) add(before)
    if (holds) add(after)
  }
  for (const row of affectedBy(parts, { resource: other, where: node.where }, at).values()) add(row)
  return keys
}

/** The records of a tree that the walk finds before the transaction or behind it, and not both. */
function changedBranch({ verdicts }: AffectedParts, node: WithinNode, at: Moment): Iterable<Scalar> {
  const [before, after] = [verdicts.walk(node, at), verdicts.walk(node, at + 1)]
  return before.symmetricDifference(after)
}

function isTouched({ world }: AffectedParts, names: Iterable<string>, at: Moment): boolean {
  const transaction = world.transactions[at]
  return [...names].some((name) => transaction?.moves.has(name))
}

type OnResource = { readonly resource: Resource; readonly where: Condition }

/** `at`: the number of the transaction. Throws `LostPlace` for too many. */
export function affectedBy(parts: AffectedParts, { resource, where }: OnResource, at: Moment): FoundRows {
  const found: FoundRows = new Map()
  for (const node of nodesIn(where)) {
    if (!isTouched(parts, lookedInto(node), at)) continue
    const values = node.kind === 'related' ? changedKeys(parts, node, at) : changedBranch(parts, node, at)
    for (const [id, row] of leadingTo(parts, { resource, field: node.field, values }, at + 1)) found.set(id, row)
  }
  return found
}
