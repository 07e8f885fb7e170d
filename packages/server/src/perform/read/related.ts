/**
 * The one loader of related records, and of the virtual fields made from them (embedded, looked-up
 * and derived). It loads for all records of a page at once, never for one record alone. Each kind
 * and level takes one query, or several where there are many rows. It reads only the requested
 * fields.
 */
import { timestampOf } from '../../base/clock.ts'
import type { AllowedView } from '../../policy/policy.ts'
import type { LinkRelation, Resource, SortKey } from '../../resource/catalog.ts'
import { all, type Condition, type Scalar } from '../../resource/condition.ts'
import type { DerivedContext, Field, Virtual } from '../../resource/fields/field.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import { isHidden, unhidden } from '../../value/hidden-fields.ts'
import { representRecord } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import { makeYieldWhenLong, type YieldWhenLong } from '../imports/yield-when-long.ts'
import { hideUnreadable } from './hide-fields.ts'
import { loadLinkValues } from './link-values.ts'
import { readEach, readTied } from './tied-rows.ts'

export type LoadContext = { readonly engine: Engine; readonly reader: Reader; readonly principal: Principal }

export type RelationQuery = {
  readonly resource: Resource
  /** The field that ties them to the records at hand: their own id, or their reference to those. */
  readonly by: string
  readonly ids: ReadonlySet<unknown>
  /**
   * The rule that judges them. `record`: their own rule, as if each were read by itself. `child`:
   * as if they were listed below the record at hand, which the caller may get. `part`: their own
   * rule without the scopes of a key, because they belong to the record at hand. `value`: none,
   * where the declaration shows a field that every caller may read.
   */
  readonly as: 'record' | 'child' | 'part' | 'value'
  /** The fields that will be used, or null for all. */
  readonly names: readonly string[] | null
  readonly where?: Condition
  /** By id if absent. */
  readonly sort?: readonly SortKey[]
  /** The most records for each id. */
  readonly limitEach?: number
  /**
   * The most records of all together, 100,000 unless said. Where there are more, some are missing.
   */
  readonly most?: number
}

export type RelatedRecords = {
  /** By the value of `by`. An id without related records is absent. */
  readonly groups: ReadonlyMap<unknown, readonly Row[]>
  /** The fields of these records that the caller may read. */
  readonly visible: ReadonlySet<string>
}

type PagedLoad = LoadContext & { readonly yieldWhenLong: YieldWhenLong }
type ViewContext = Pick<PagedLoad, 'engine' | 'principal' | 'yieldWhenLong'>
type LoadedPage = {
  readonly resource: Resource
  readonly rows: readonly Row[]
  readonly names: readonly string[] | null
}
type Draft = Record<string, unknown> & { readonly version: number }
type Drafts = { readonly resource: Resource; readonly drafts: readonly Draft[] }
type VirtualOf<K extends Virtual['kind']> = readonly [string, Virtual & { readonly kind: K }]

function viewOf({ engine, principal }: LoadContext, { resource, as }: RelationQuery): AllowedView {
  const { policy } = engine
  switch (as) {
    case 'record':
      return policy.view(principal, resource)
    case 'child':
      return policy.viewOfChildren(principal, resource)
    case 'part':
      return policy.viewOfParts(principal, resource)
    case 'value':
      return { principal, where: policy.scopeOf(principal, resource), ...policy.visibleFields(principal, resource) }
  }
}

type LoadedRelation = { readonly view: AllowedView; readonly groups: ReadonlyMap<unknown, readonly Row[]> }

/**
 * The records in the form that others are derived from: money in minor units, embedded records not
 * represented yet.
 */
async function load(loading: PagedLoad, relation: RelationQuery): Promise<LoadedRelation> {
  const { resource, by, names, sort, limitEach, most } = relation
  const view = viewOf(loading, relation)
  const ids = [...relation.ids] as Scalar[]
  if (ids.length === 0 || view.where.kind === 'false') return { view, groups: new Map() }
  const where = relation.where ? all(relation.where, view.where) : view.where
  const tied = { resource, by, ids, where, sort, most }
  const rows = limitEach === undefined ? await readTied(loading, tied) : await readEach(loading, { ...tied, limitEach })
  const assembled = await assemble({ ...loading, principal: view.principal }, { resource, rows, names })
  return { view, groups: Map.groupBy(assembled, (row) => row[by]) }
}

/** The ids under this name, of what is not null. */
export function idsOf(rows: readonly Row[], name: string): ReadonlySet<unknown> {
  return new Set(rows.map((row) => row[name]).filter((id) => id !== null && id !== undefined))
}

async function embed(loading: PagedLoad, { resource, drafts }: Drafts, wanted: VirtualOf<'embedded'>): Promise<void> {
  const [name, virtual] = wanted
  const target = loading.engine.catalog.get(virtual.resource)
  const ids = idsOf(drafts, resource.idField)
  const { groups } = await load(loading, { resource: target, by: virtual.by, ids, as: 'part', names: null })
  for (const draft of drafts) draft[name] = groups.get(draft[resource.idField]) ?? []
}

/** One query per reference, however many values are looked up through it. */
async function lookUp(
  loading: PagedLoad,
  { resource, drafts }: Drafts,
  wanted: readonly VirtualOf<'lookup'>[],
): Promise<void> {
  for (const [via, virtuals] of Map.groupBy(wanted, ([, virtual]) => virtual.via)) {
    const target = loading.engine.catalog.get(resource.fields[via]?.reference?.resource ?? '')
    const names = virtuals.map(([, { field }]) => field)
    const ids = idsOf(drafts, via)
    const { groups } = await load(loading, { resource: target, by: target.idField, ids, as: 'value', names })
    for (const draft of drafts) {
      const [found] = groups.get(draft[via]) ?? []
      for (const [name, { field }] of virtuals) if (!isHidden(draft, name)) draft[name] = found?.[field] ?? null
    }
  }
}

async function addLinks(loading: PagedLoad, { resource, drafts }: Drafts, name: string): Promise<void> {
  const link = resource.links[name] as LinkRelation
  const values = await loadLinkValues(loading, link, idsOf(drafts, resource.idField))
  for (const draft of drafts) draft[name] = values.get(draft[resource.idField]) ?? []
}

function virtualsOf<K extends Virtual['kind']>({ virtualNames, fields }: Resource, kind: K): readonly VirtualOf<K>[] {
  return virtualNames.flatMap((name) => {
    const { virtual } = fields[name] as Field
    return virtual?.kind === kind ? [[name, virtual as VirtualOf<K>[1]] as const] : []
  })
}

/** Whether a record of the resource may hide fields, or one that it embeds. */
function mayHide(loading: PagedLoad, resource: Resource): boolean {
  if (resource.partlyShown.length > 0) return true
  return virtualsOf(resource, 'embedded').some(([, one]) => mayHide(loading, loading.engine.catalog.get(one.resource)))
}

/**
 * A field without a rule of its own is computed from what the caller may read of the record. The
 * rule of a field with one says who may read what is computed from all of it.
 */
async function derive(
  loading: PagedLoad,
  { resource, drafts }: Drafts,
  wanted: readonly VirtualOf<'derived'>[],
): Promise<void> {
  const { settings, clock } = loading.engine
  // To ask for the time is noted of an answer, so it is not asked for without need.
  const context = (
    wanted.some(([, one]) => one.clock) ? { ...settings, now: timestampOf(clock()) } : settings
  ) as DerivedContext
  const hides = wanted.length > 0 && mayHide(loading, resource)
  for (const [name, { compute }] of wanted) {
    const isWhole = hides && resource.fields[name]?.read !== undefined
    for (const draft of drafts) {
      if (isHidden(draft, name)) continue
      draft[name] = compute(isWhole ? unhidden(draft) : draft, context)
      const next = loading.yieldWhenLong()
      if (next) await next
    }
  }
}

async function assemble(loading: PagedLoad, { resource, rows, names }: LoadedPage): Promise<readonly Row[]> {
  if (rows.length === 0) return rows
  const derived = virtualsOf(resource, 'derived')
  // A derived field may read any other field; without one, only fields that are shown are loaded.
  const isAllNeeded = names === null || derived.some(([name]) => names.includes(name))
  const isNeeded = ([name]: readonly [string, Virtual]) => isAllNeeded || names.includes(name)
  const lookups = virtualsOf(resource, 'lookup').filter(isNeeded)
  const used = isAllNeeded ? null : [...names, ...lookups.map(([, { via }]) => via)]
  const shown = await hideUnreadable(loading, { resource, rows, names: used })
  if (resource.virtualNames.length === 0) return shown
  const drafts = shown.map((row): Draft => ({ ...row }))
  await lookUp(loading, { resource, drafts }, lookups)
  for (const one of virtualsOf(resource, 'embedded').filter(isNeeded)) await embed(loading, { resource, drafts }, one)
  // Links are loaded where they are named: no answer shows them otherwise.
  for (const name of resource.linkNames) if (names?.includes(name)) await addLinks(loading, { resource, drafts }, name)
  const { principal } = loading
  const own = principal.kind === 'user' ? principal.sessionId : undefined
  for (const [name] of virtualsOf(resource, 'current-session').filter(isNeeded))
    for (const draft of drafts) draft[name] = draft[resource.idField] === own
  await derive(loading, { resource, drafts }, derived.filter(isNeeded))
  return drafts
}

/**
 * Turns embedded records into what callers see, once the values derived from them have been
 * computed.
 */
async function representEmbedded(seen: ViewContext, resource: Resource, rows: readonly Row[]): Promise<void> {
  const { engine, principal, yieldWhenLong } = seen
  for (const [name, virtual] of virtualsOf(resource, 'embedded')) {
    const target = engine.catalog.get(virtual.resource)
    const { visible } = engine.policy.visibleFields(principal, target)
    for (const draft of rows as readonly Draft[]) {
      const parts = draft[name] as readonly Row[] | undefined
      if (!parts) continue
      if (target.virtualNames.length > 0) await representEmbedded(seen, target, parts)
      draft[name] = parts.map((part) => representRecord(target, visible, part))
      const next = yieldWhenLong()
      if (next) await next
    }
  }
}

/**
 * Related records with their virtual fields, grouped, as this principal may see them. One query.
 */
export async function loadRelated(loading: LoadContext, relation: RelationQuery): Promise<RelatedRecords> {
  const yieldWhenLong = makeYieldWhenLong()
  const { view, groups } = await load({ ...loading, yieldWhenLong }, relation)
  const seen = { engine: loading.engine, principal: view.principal, yieldWhenLong }
  if (relation.resource.virtualNames.length > 0)
    for (const rows of groups.values()) await representEmbedded(seen, relation.resource, rows)
  return { groups, visible: view.visible }
}

/**
 * The rows with their virtual fields, and without what the caller may not read of each. `names`:
 * the fields that will be shown, or null for all.
 */
export async function withVirtualFields(loading: LoadContext, page: LoadedPage): Promise<readonly Row[]> {
  const { virtualNames, partlyShown } = page.resource
  if (virtualNames.length === 0 && partlyShown.length === 0) return page.rows
  const working = { ...loading, yieldWhenLong: makeYieldWhenLong() }
  const rows = await assemble(working, page)
  await representEmbedded(working, page.resource, rows)
  return rows
}
