/**
 * Reads by a filter in the name of the system: as the operator may read, by every stored field. In
 * a transaction they see its writes, and lock the records that they find.
 */
import { nowOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import type { FilterContext } from '../operation/filter-tree.ts'
import type { Engine } from '../perform/engine.ts'
import { joinTransaction } from '../perform/join-transaction.ts'
import { refuseGuarded } from '../record/guard/guarded-code.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { all, type Condition, type Scalar } from '../resource/condition.ts'
import { consolePrincipal } from '../resource/principal.ts'
import { hasFarKey } from '../resource/relations/far-field.ts'
import { user } from '../resource/rules/any-user.ts'
import type { FindCodeTenants } from '../resource/tenancy/code-tenants.ts'
import { inCodeTenants } from '../resource/tenancy/in-code-tenants.ts'
import type { ListRequest, Row } from '../storage/storage.ts'
import type { CodeEngine } from './judged-engine.ts'
import { oldestFirst } from './read-query.ts'
import { type ReadSource, type Reads, readsFrom } from './record-reads.ts'

/** `tx`: the transaction that the reads are a part of. `tenants`: those that the code is in. */
type SystemPlace = {
  readonly engine: CodeEngine
  readonly tx?: RecordTransaction | undefined
  readonly tenants: FindCodeTenants | undefined
}

/** The records of a resource that exist for code in these tenants. */
export async function existsIn(
  catalog: Catalog,
  resource: Resource,
  tenants: FindCodeTenants | undefined,
): Promise<Condition> {
  return tenants ? inCodeTenants(catalog, resource, await tenants()) : all()
}

const lockedAtOnce = 500

/** A query that sorts through references locks nothing, so its records are locked by their ids. */
async function lockSorted(tx: RecordTransaction, resource: Resource, request: ListRequest): Promise<Row[]> {
  const { idField } = resource
  const rows = await tx.list(resource, request)
  const locked = new Map<unknown, Row>()
  for (let at = 0; at < rows.length; at += lockedAtOnce) {
    const values = rows.slice(at, at + lockedAtOnce).map((row) => row[idField] as Scalar)
    const where = all({ kind: 'in', field: idField, values }, request.where)
    const some = await tx.lockAll(resource, { where, sort: oldestFirst(resource), limit: lockedAtOnce })
    for (const row of some) locked.set(row[idField], row)
  }
  return rows.flatMap((row) => {
    const now = locked.get(row[idField])
    return now ? [{ ...row, ...now }] : []
  })
}

function engineIn({ engine, tx }: SystemPlace): Engine {
  if (!tx) return engine
  const list: RecordTransaction['list'] = (resource, request) =>
    hasFarKey(request.sort) ? lockSorted(tx, resource, request) : tx.lockAll(resource, request)
  return { ...joinTransaction(engine, tx, { list }).engine, clock: () => Date.parse(tx.defaults.now) }
}

/** Parameters whose mistakes are the code's own. */
const named: ReadonlySet<string> = new Set(['filter', 'sort', 'by', 'group', 'sum', 'average', 'least', 'most', '_tz'])

/** `filter: must not contain a NUL character`: some value has one, perhaps one that was sent. */
const isOfText = (detail: string) => detail.startsWith('filter: must not contain')

/**
 * Such an error is none of the caller: its sentence may name fields that the caller does not see.
 * One about a value may be, since code passes on what a caller sent.
 */
function faultOf(error: unknown, place: string): unknown {
  const [mistake] = (error instanceof ApiError && error.mistakes) || []
  if (!mistake?.isParameter || !named.has(mistake.field) || isOfText(mistake.detail)) return error
  return new Error(`${place}: ${(error as ApiError).message}`, { cause: error })
}

export function systemReads(place: SystemPlace, resource: Resource): Reads {
  const { engine, tenants } = place
  const { catalog, policy } = engine

  async function open(): Promise<ReadSource> {
    if (!place.tx) refuseGuarded('reads', 'records')
    const principal = consolePrincipal(catalog)
    const own = engineIn(place)
    const admission = policy.admit(principal, { resource, operation: 'list', access: user })
    const found = await tenants?.()
    const exists = (one: Resource) => (found ? inCodeTenants(catalog, one, found) : all())
    const { visible, visibleWhere } = admission
    const viewOf = (one: Resource) => ({ ...policy.view(principal, one), where: exists(one) })
    const view: FilterContext = { resource, visible, visibleWhere, viewOf, now: nowOf(own), listsAll: true }
    return { asked: { engine: own, admission, resource }, view, where: exists(resource), shown: (row) => row }
  }

  return readsFrom({
    resource,
    open,
    toldMistake: (error, method) => faultOf(error, `records(${resource.name}).${method}`),
  })
}
