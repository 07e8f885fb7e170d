/** Loads the records that are linked with many others, as the caller may see them. */
import { listLimits } from '../../operation/list-limits.ts'
import type { LinkRelation, Resource } from '../../resource/catalog.ts'
import { linkFields } from '../../resource/made/link-table.ts'
import type { Row } from '../../storage/storage.ts'
import { type LinkValues, linkRows, linkValuesOf } from './link-values.ts'
import { type LoadContext, loadRelated, type RelatedRecords } from './related.ts'

export type LinkedRequest = {
  readonly resource: Resource
  /** The field. */
  readonly name: string
  readonly ids: ReadonlySet<unknown>
  /** For each of the records. */
  readonly limit: number | undefined
  /** The fields that will be used, or null for all. */
  readonly names: readonly string[] | null
  /** Of all together. */
  readonly most?: number
}

/** `values`: those of each link, in the order of the records of its group. */
export type LinkedRecords = RelatedRecords & { readonly values: ReadonlyMap<unknown, readonly LinkValues[]> }

/** Grouped by the ids of the records that have the links, in the order of these. */
export async function loadLinked(loading: LoadContext, request: LinkedRequest): Promise<LinkedRecords> {
  const { resource, name, ids, limit: limitEach = listLimits.pageSize, names, most } = request
  const link = resource.links[name] as LinkRelation
  const { target } = link
  const rows = await linkRows(loading, { link, ids, limitEach, most })
  const to = new Set(rows.map((row) => row[linkFields.to]))
  const relation = { resource: target, by: target.idField, ids: to, as: 'record', names } as const
  const { groups: found, visible } = await loadRelated(loading, relation)
  const groups = new Map<unknown, Row[]>()
  const values = new Map<unknown, LinkValues[]>()
  for (const row of rows) {
    // A record may go between the two queries.
    const record = found.get(row[linkFields.to])?.[0]
    if (!record) continue
    const from = row[linkFields.from]
    if (!groups.has(from)) groups.set(from, [])
    if (!values.has(from)) values.set(from, [])
    groups.get(from)?.push(record)
    values.get(from)?.push(linkValuesOf(link, row))
  }
  return { groups, visible, values }
}
