/**
 * Loads the links of many records at once, and what the field shows of each: those to records that
 * the caller may get. The others are left out.
 */
import type { LinkRelation } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import type { Field, Json } from '../../resource/fields/field.ts'
import { linkFields } from '../../resource/made/link-table.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import { representValue } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import { makeYieldWhenLong } from '../imports/yield-when-long.ts'
import { readEach, readTied } from './tied-rows.ts'

type LinkLoad = { readonly engine: Engine; readonly reader: Reader; readonly principal: Principal }

/** The links to records that match. Those of a version may name a record that is gone. */
function linkedWhere({ table, target }: LinkRelation, where: Condition): Condition {
  const isBound = table.fields[linkFields.to]?.reference !== undefined
  if (where.kind === 'false' || (where.kind === 'true' && isBound)) return where
  return { kind: 'related', field: linkFields.to, resource: target.name, where }
}

type LinkRows = {
  readonly link: LinkRelation
  readonly ids: ReadonlySet<unknown>
  /** For each of the records; all where it is absent. */
  readonly limitEach?: number
  /** Of all together. */
  readonly most?: number | undefined
}

/** Rows of the table, in the order of the links within each record. */
export async function linkRows(
  { engine, reader, principal }: LinkLoad,
  { link, ids: all, limitEach, most }: LinkRows,
): Promise<readonly Row[]> {
  const { table, target, max, ordered } = link
  const where = linkedWhere(link, engine.policy.view(principal, target).where)
  const ids = [...all] as Scalar[]
  if (where.kind === 'false' || ids.length === 0) return []
  const sort = ordered ? table.list.defaultSort : undefined
  const tied = { resource: table, by: linkFields.from, ids, where, sort, most: most ?? ids.length * max }
  const reading = { reader, yieldWhenLong: makeYieldWhenLong() }
  return limitEach === undefined ? readTied(reading, tied) : readEach(reading, { ...tied, limitEach })
}

/** The declared values of a link, as callers see them. */
export type LinkValues = Readonly<Record<string, Json>>

export function linkValuesOf({ table, valueNames }: LinkRelation, row: Row): LinkValues {
  return Object.fromEntries(valueNames.map((name) => [name, representValue(table.fields[name] as Field, row[name])]))
}

/** The field shows a link as an id, or as an id with the values of the link. */
function itemOf(link: LinkRelation, row: Row): Json {
  const id = row[linkFields.to] as string | number
  return link.valueNames.length === 0 ? id : { id, ...linkValuesOf(link, row) }
}

/** The values of the field for these records, by their ids. A record without links is absent. */
export async function loadLinkValues(
  loading: LinkLoad,
  link: LinkRelation,
  ids: ReadonlySet<unknown>,
): Promise<ReadonlyMap<unknown, readonly Json[]>> {
  const rows = await linkRows(loading, { link, ids })
  const groups = Map.groupBy(rows, (row) => row[linkFields.from])
  return new Map([...groups].map(([id, some]) => [id, some.map((row) => itemOf(link, row))]))
}
