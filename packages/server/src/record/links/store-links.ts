/**
 * Changes the links of a record (`manyToMany`) with the record itself: one write, whose rule,
 * version and time are those of the record. Each new link names a record that exists for the
 * caller. Links to records that the caller may not see stay as they are.
 */
import type { LinkRelation, Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import type { LinkChange, LinkItem } from '../../resource/fields/link-change.ts'
import { tooManyLinks } from '../../resource/fields/many-to-many.ts'
import { linkFields } from '../../resource/made/link-table.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { refersToNone } from '../references/referable.ts'
import { tenantBounds } from '../references/tenant-bounds.ts'
import type { UpdatedEvent } from '../stages.ts'
import { checkNames, existsKey } from '../stored-values.ts'
import type { LinkingField, WriteContext } from '../write-context.ts'
import { type LinkChanges, partLinks } from './part-links.ts'
import { storeUnchecked } from './store-unchecked.ts'

const idsAtOnce = 500

type LinkingRow = { readonly resource: Resource; readonly row: Values }

/** The ids among these of records that match, or all of them where nothing bounds. */
async function idsWhere(
  { transaction }: WriteContext,
  target: Resource,
  { ids, where }: { readonly ids: readonly Scalar[]; readonly where: Condition },
): Promise<ReadonlySet<Scalar>> {
  const found = new Set<Scalar>()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const among: Condition = { kind: 'in', field: target.idField, values: ids.slice(at, at + idsAtOnce) }
    const rows = await transaction.list(target, { where: all(among, where), sort: [], limit: idsAtOnce })
    for (const row of rows) found.add(row[target.idField] as Scalar)
  }
  return found
}

/** Of these ids, those of records that exist for the caller and the record's tenant. */
export async function linkable(
  context: WriteContext,
  { resource, name, row }: LinkingField,
  ids: readonly Scalar[],
): Promise<ReadonlySet<Scalar>> {
  const { target } = resource.links[name] as LinkRelation
  const bounding = tenantBounds(context, { resource, row, name, target })
  const limits = [context.bounds?.readable(target), bounding && (await bounding)].filter((one) => one !== undefined)
  const own = limits.length > 0 ? [] : ids.filter((id) => context.seen.has(existsKey(target, id)))
  const asked = ids.filter((id) => !own.includes(id))
  return new Set([...own, ...(await idsWhere(context, target, { ids: asked, where: all(...limits) }))])
}

/** Throws `bad-request` where the field may not link one of them. */
async function checkLinked(context: WriteContext, linking: LinkingField, ids: readonly Scalar[]) {
  if (ids.length === 0) return
  const found = await linkable(context, linking, ids)
  const { resource, name } = linking
  if (ids.some((id) => !found.has(id))) throw refersToNone(name, (resource.links[name] as LinkRelation).target)
}

const namedBy = ({ set, add }: LinkChange): readonly LinkItem[] => set ?? add ?? []

/** Before the record is stored. Throws `bad-request` for a record that the caller may not name. */
export async function checkLinks(context: WriteContext, { resource, row }: LinkingRow, links: LinkChanges) {
  for (const [name, change] of Object.entries(links))
    await checkLinked(
      context,
      { resource, name, row },
      namedBy(change).map(({ id }) => id),
    )
}

type LinkWrites = {
  readonly add: readonly Values[]
  readonly change: readonly (readonly [Row, Values])[]
  readonly remove: readonly Row[]
}

/**
 * The links of these to records that exist for the caller. The others stay: a caller takes away
 * only what the field shows.
 */
async function shownOf(context: WriteContext, { target }: LinkRelation, left: readonly Row[]): Promise<readonly Row[]> {
  const seen = context.bounds?.readable(target)
  if (!seen || seen.kind === 'true' || left.length === 0) return left
  const ids = left.map((row) => row[linkFields.to] as Scalar)
  const found = await idsWhere(context, target, { ids, where: seen })
  return left.filter((row) => found.has(row[linkFields.to] as Scalar))
}

/** The rows to write. `stored`: the links of the record, in their order. */
async function writesOf(
  context: WriteContext,
  { link, from }: { readonly link: LinkRelation; readonly from: Scalar },
  { stored, change }: { readonly stored: readonly Row[]; readonly change: LinkChange },
): Promise<LinkWrites> {
  const named = namedBy(change)
  const known = new Map(stored.map((row) => [row[linkFields.to] as Scalar, row]))
  const isNamed = new Set(named.map(({ id }) => id))
  const left = change.set
    ? stored.filter((row) => !isNamed.has(row[linkFields.to] as Scalar))
    : change.remove.flatMap((id) => known.get(id) ?? [])
  const last = Math.max(-1, ...stored.map((row) => (row[linkFields.position] as number | undefined) ?? -1))
  const add: Values[] = []
  const changed: [Row, Values][] = []
  for (const [i, { id, ...values }] of named.entries()) {
    const before = known.get(id)
    const position = change.set ? i : before ? before[linkFields.position] : last + 1 + i
    const wanted: Record<string, unknown> = { ...values, ...(link.ordered && { [linkFields.position]: position }) }
    if (!before) add.push({ ...wanted, [linkFields.from]: from, [linkFields.to]: id })
    else if (Object.keys(wanted).some((key) => wanted[key] !== before[key])) changed.push([before, wanted])
  }
  return { add, change: changed, remove: await shownOf(context, link, left) }
}

const isEmpty = ({ add, change, remove }: LinkWrites) => add.length + change.length + remove.length === 0

/** The links that the record has, and what the change makes of them. */
async function planOf(context: WriteContext, { resource, name, row }: LinkingField, change: LinkChange) {
  const link = resource.links[name] as LinkRelation
  const { table, max } = link
  const from = row[resource.idField] as Scalar
  const where = equal(linkFields.from, from)
  const stored = await context.transaction.list(table, { where, sort: table.list.defaultSort, limit: max + 1 })
  return { link, stored, writes: await writesOf(context, { link, from }, { stored, change }) }
}

/** Returns the links of before, where they change. */
async function storeOne(context: WriteContext, linked: LinkingField, change: LinkChange) {
  const { link, stored, writes } = await planOf(context, linked, change)
  const { table, max } = link
  if (writes.add.length > 0 && stored.length - writes.remove.length + writes.add.length > max)
    throw tooManyLinks(linked.name, max)
  if (writes.remove.length > 0) await context.transaction.deleteAll(table, writes.remove)
  for (const [before, values] of writes.change) {
    checkNames(table, values)
    await context.transaction.update(table, before, values)
  }
  await storeUnchecked(context, { resource: table, all: writes.add })
  return isEmpty(writes) ? undefined : stored
}

/** The fields of links that these values would leave as they are. */
export async function sameLinks(
  context: WriteContext,
  { resource, row }: LinkingRow,
  sent: Values,
): Promise<readonly string[]> {
  const same: string[] = []
  for (const [name, change] of Object.entries(partLinks(resource, sent).links)) {
    const { writes } = await planOf(context, { resource, name, row }, change)
    if (isEmpty(writes)) same.push(name)
  }
  return same
}

/**
 * In the transaction of the write that has stored the record. Returns the links of before, of the
 * fields whose links differ now. Throws `bad-request`.
 */
export async function storeLinks(
  context: WriteContext,
  { resource, row }: LinkingRow,
  links: LinkChanges,
): Promise<UpdatedEvent['linksBefore']> {
  const before: Record<string, readonly Row[]> = {}
  for (const [name, change] of Object.entries(links)) {
    const stored = await storeOne(context, { resource, name, row }, change)
    if (stored) before[name] = stored
  }
  return before
}
