/**
 * Virtual fields: embedded records, looked-up values, derived ones. For all records of a page at once, one query for each kind of
 * thing: never one a record. What was not asked for is not read.
 */
import { all, type Condition, type Scalar } from '../operation/condition.ts'
import type { Principal } from '../operation/principal.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field, Json } from '../resource/fields/field.ts'
import type { Reader, Row } from '../storage/storage.ts'
import { representRecord } from '../value/represent.ts'
import type { Engine } from './engine.ts'

/** More embedded records than this a page are a mistake of the declaration, not a need. */
const embeddedMax = 100_000

type Assembling = { readonly engine: Engine; readonly reader: Reader; readonly principal: Principal }
type Draft = Record<string, unknown> & { version: number }

function isIn(field: string, drafts: readonly Draft[], key: string): Condition {
  const values = new Set(drafts.map((draft) => draft[key]).filter((value) => value !== null && value !== undefined))
  return { kind: 'in', field, values: [...values] as Scalar[] }
}

async function embed(
  assembling: Assembling,
  resource: Resource,
  drafts: readonly Draft[],
  name: string,
  field: Field,
): Promise<void> {
  if (field.virtual?.kind !== 'embedded') return
  const { by } = field.virtual
  const target = assembling.engine.catalog.get(field.virtual.resource)
  const { policy } = assembling.engine
  const where = all(isIn(by, drafts, resource.idField), policy.readable(assembling.principal, target))
  const rows = await assembling.reader.list(target, {
    where,
    sort: [{ field: target.idField, descending: false }],
    limit: embeddedMax,
  })
  const records = await assemble(assembling, target, rows, null)
  const groups = Map.groupBy(records, (record) => record[by])
  for (const draft of drafts) draft[name] = groups.get(draft[resource.idField]) ?? []
}

async function lookUp(
  assembling: Assembling,
  resource: Resource,
  drafts: readonly Draft[],
  names: readonly string[],
): Promise<void> {
  const groups = Map.groupBy(names, (name) => {
    const { virtual } = resource.fields[name] as Field
    return virtual?.kind === 'looked-up' ? virtual.via : ''
  })
  for (const [via, fields] of groups) {
    const target = assembling.engine.catalog.get(resource.fields[via]?.reference?.resource ?? '')
    const where = isIn(target.idField, drafts, via)
    const rows = await assembling.reader.list(target, { where, sort: [], limit: embeddedMax })
    const byId = new Map(rows.map((row) => [row[target.idField], row]))
    for (const draft of drafts) {
      for (const name of fields) {
        const { virtual } = resource.fields[name] as Field
        if (virtual?.kind === 'looked-up') draft[name] = byId.get(draft[via])?.[virtual.field] ?? null
      }
    }
  }
}

async function assemble(
  assembling: Assembling,
  resource: Resource,
  rows: readonly Row[],
  names: readonly string[] | null,
): Promise<Draft[]> {
  const drafts = rows.map((row) => ({ ...row }) as Draft)
  const fields = resource.virtualNames.map((name) => [name, resource.fields[name] as Field] as const)
  const lookedUp = fields.filter(([, field]) => field.virtual?.kind === 'looked-up').map(([name]) => name)
  const derived = fields.filter(([, field]) => field.virtual?.kind === 'derived')
  // A derived field may look at any other one; without one, only what is shown is read.
  const needed = (name: string) =>
    names === null || names.includes(name) || derived.some(([one]) => names.includes(one))
  if (drafts.length > 0 && lookedUp.some(needed)) await lookUp(assembling, resource, drafts, lookedUp)
  for (const [name, field] of fields) {
    if (drafts.length > 0 && field.virtual?.kind === 'embedded' && needed(name))
      await embed(assembling, resource, drafts, name, field)
  }
  for (const [name, field] of derived) {
    if (field.virtual?.kind !== 'derived' || !needed(name)) continue
    for (const draft of drafts) draft[name] = field.virtual.compute(draft, assembling.engine.settings)
  }
  return drafts
}

/** Embedded records are derived from first, and only then represented. */
function representEmbedded(assembling: Assembling, resource: Resource, drafts: readonly Draft[]): void {
  for (const name of resource.virtualNames) {
    const { virtual } = resource.fields[name] as Field
    if (virtual?.kind !== 'embedded') continue
    const target = assembling.engine.catalog.get(virtual.resource)
    const visible = assembling.engine.policy.visibleTo(assembling.principal, target)
    for (const draft of drafts) {
      if (!Array.isArray(draft[name])) continue
      draft[name] = (draft[name] as Draft[]).map((record) => {
        representEmbedded(assembling, target, [record])
        return representRecord(target, visible, record) as Json
      })
    }
  }
}

/** The rows with their virtual fields. `names`: the fields that will be shown, or null for all. */
export async function withVirtualFields(
  assembling: Assembling,
  resource: Resource,
  rows: readonly Row[],
  names: readonly string[] | null,
): Promise<readonly Row[]> {
  if (resource.virtualNames.length === 0) return rows
  const drafts = await assemble(assembling, resource, rows, names)
  representEmbedded(assembling, resource, drafts)
  return drafts
}
