/**
 * The links of versions. A version has those of its record in a table of its own. It names the
 * linked records by id, and readers are shown those that they may get.
 */
import type { LinkRelation, Resource } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { earlierNames } from '../../resource/fields/field-facts.ts'
import type { LinkItem } from '../../resource/fields/link-change.ts'
import { historyFields } from '../../resource/made/declared-history.ts'
import { linkFields } from '../../resource/made/link-table.ts'
import type { Row, Values } from '../../storage/storage.ts'
import type { RecordTransaction } from '../write-context.ts'

/** Rows of the tables of links, by the names of the fields. */
type LinksOfRecord = Readonly<Record<string, readonly Row[]>>

/** So many rows are read at once. */
const linksAtOnce = 10_000

/** The links of these records by their ids, each in their order. */
async function linkRowsOf(
  tx: RecordTransaction,
  { table, max }: LinkRelation,
  ids: readonly Scalar[],
): Promise<ReadonlyMap<unknown, readonly Row[]>> {
  const found: Row[] = []
  const step = Math.max(1, Math.floor(linksAtOnce / max))
  for (let at = 0; at < ids.length; at += step) {
    const some = ids.slice(at, at + step)
    const where: Condition = { kind: 'in', field: linkFields.from, values: some }
    found.push(...(await tx.list(table, { where, sort: table.list.defaultSort, limit: some.length * max })))
  }
  return Map.groupBy(found, (row) => row[linkFields.from])
}

/** The present links of these records. */
export async function linksOfRecords(
  tx: RecordTransaction,
  resource: Resource,
  rows: readonly Values[],
): Promise<ReadonlyMap<unknown, LinksOfRecord>> {
  const ids = rows.map((row) => row[resource.idField] as Scalar)
  const links = new Map<unknown, Record<string, readonly Row[]>>(ids.map((id) => [id, {}]))
  for (const name of resource.linkNames) {
    const found = await linkRowsOf(tx, resource.links[name] as LinkRelation, ids)
    for (const [id, fields] of links) fields[name] = found.get(id) ?? []
  }
  return links
}

/** Stores the links of these versions, which are stored already. */
export async function storeVersionLinks(
  tx: RecordTransaction,
  versions: Resource,
  all: readonly { readonly version: Values; readonly links: LinksOfRecord }[],
): Promise<void> {
  for (const name of versions.linkNames) {
    const { table, valueNames, ordered } = versions.links[name] as LinkRelation
    const kept = [linkFields.to, ...(ordered ? [linkFields.position] : []), ...valueNames]
    const rows = all.flatMap(({ version, links }) =>
      (links[name] ?? []).map((row) => ({
        [linkFields.from]: version[versions.idField],
        ...Object.fromEntries(kept.map((one) => [one, row[one]])),
      })),
    )
    await tx.storeNotes(table, rows)
  }
}

type VersionOf = { readonly resource: Resource; readonly versions: Resource; readonly version: Row }

/** Whether the version has this field of links; it may be younger than the version. */
function hasField({ versions, version }: VersionOf, name: string): boolean {
  const known = version[historyFields.links] as readonly string[] | null
  return [name, ...earlierNames(versions.fields[name] as Field)].some((one) => known?.includes(one))
}

function itemOf({ table, valueNames }: LinkRelation, row: Row): LinkItem {
  const values = valueNames.filter((name) => row[name] !== null || table.fields[name]?.nullable)
  return { ...Object.fromEntries(values.map((name) => [name, row[name]])), id: row[linkFields.to] as Scalar }
}

/** The links of the version as a change of its record, which leaves out what it may not link. */
export async function linksToRevert(tx: RecordTransaction, record: Row, of: VersionOf): Promise<Values> {
  const { resource, versions, version } = of
  const changes: Record<string, unknown> = {}
  for (const name of versions.linkNames.filter((one) => resource.links[one] && hasField(of, one))) {
    const link = versions.links[name] as LinkRelation
    const id = version[versions.idField] as Scalar
    const rows = (await linkRowsOf(tx, link, [id])).get(id) ?? []
    const ids = rows.map((row) => row[linkFields.to] as Scalar)
    const may = await tx.linkable({ resource, row: record, name }, ids)
    changes[name] = { set: rows.filter((row) => may.has(row[linkFields.to] as Scalar)).map((row) => itemOf(link, row)) }
  }
  const same = await tx.sameLinks(resource, record, changes)
  return Object.fromEntries(Object.entries(changes).filter(([name]) => !same.includes(name)))
}
