/**
 * The records of a resource as a caller may read and write them. Each method is a request of that
 * caller: admitted, parsed, permitted and performed as those of REST are.
 */
import { nowOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { checkBody } from '../operation/body.ts'
import { bulkLimits } from '../operation/list-limits.ts'
import { parseList } from '../operation/list-query.ts'
import { notFound } from '../operation/not-found.ts'
import type { ListQuery, Operation } from '../operation/operation.ts'
import type { Parameters } from '../operation/parameters.ts'
import { perform } from '../perform/perform.ts'
import { parseId } from '../perform/read/find.ts'
import type { ListResult, ManyResult, RecordResult } from '../perform/result.ts'
import type { Resource } from '../resource/catalog.ts'
import { type CallerOrigin, originOf } from '../resource/code/acting-caller.ts'
import type { RecordsForCaller, SystemRecords } from '../resource/code/code-context.ts'
import type { JudgedRecords, Records, ResourceHandle } from '../resource/code/code-records.ts'
import { all, type Condition, equal } from '../resource/condition.ts'
import type { Fields } from '../resource/fields/field.ts'
import { isAtConsole } from '../resource/principal.ts'
import type { ListRequest, Row } from '../storage/storage.ts'
import { readableNames, readableValues } from '../value/hidden-fields.ts'
import { type AdmittedCode, admitCode, type CodeCaller } from './judged-engine.ts'
import { pathAbove } from './path-above.ts'
import { bodyOf, equalTo, filterText } from './stored-input.ts'

type Given = Readonly<Record<string, unknown>>

function shownNames({ admission, resource }: AdmittedCode): readonly string[] {
  return readableNames(resource, admission.visible)
}

/** The record as the caller sees it. */
export function shownTo(asked: AdmittedCode, row: Row): Row {
  return readableValues(row, shownNames(asked))
}

export function viewOf({ engine, admission, resource }: AdmittedCode) {
  const { visible, visibleWhere, asking } = admission
  const seen = (one: Resource) => engine.policy.view(asking, one)
  return { resource, visible, visibleWhere, viewOf: seen, now: nowOf(engine) }
}

const listMax = 10_000

/** All records that `read` finds, oldest first. Throws `conflict` for more than 10,000. */
export async function listMatching(
  resource: Resource,
  read: (request: Pick<ListRequest, 'sort' | 'limit'>) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const sort = [{ field: resource.idField, descending: false }]
  const rows = await read({ sort, limit: listMax + 1 })
  if (rows.length > listMax)
    throw new ApiError('conflict', `More than ${listMax} records of ${resource.plural}: too many for one action`)
  return rows
}

type Unshared<O> = O extends Operation ? Omit<O, 'resource' | 'under' | 'select'> & Partial<Pick<O, 'under'>> : never

/** Permits the operation and performs it. */
export function performAdmitted(asked: AdmittedCode, operation: Unshared<Operation>) {
  const { engine, admission, resource } = asked
  const whole = { under: undefined, ...operation, resource, select: shownNames(asked) } as Operation
  return perform(engine, engine.policy.permit(admission, whole))
}

/** Records below others exist where those exist for the caller. */
export function reachedBy({ engine, admission, resource }: AdmittedCode): Condition {
  return resource.path !== undefined || isAtConsole(admission.asking) ? all() : engine.policy.reach(admission)
}

async function checkReached(asked: AdmittedCode, id: string): Promise<void> {
  const where = reachedBy(asked)
  if (where.kind === 'true') return
  const { engine, resource, admission } = asked
  const key = parseId(resource, id)
  const found = key !== undefined && (await engine.storage.find(resource, all(equal(resource.idField, key), where)))
  if (!found) throw notFound(resource, admission.target.operation)
}

export function admittedWhere(asked: AdmittedCode, filter: Given | undefined): Condition {
  const parameters: Parameters = new Map(filter ? [['filter', filterText(filter)]] : [])
  return all(parseList(viewOf(asked), parameters).query.where, reachedBy(asked))
}

function readsOf(caller: CodeCaller, resource: Resource): Pick<JudgedRecords, 'get' | 'list'> {
  const admit = (operation: string) => admitCode(caller, { resource, operation })
  return {
    async get(given) {
      const id = String(given)
      const asked = await admit('get')
      const key = parseId(resource, id)
      if (caller.tx && key !== undefined) await caller.tx.lock(resource, equal(resource.idField, key))
      await checkReached(asked, id)
      const result = await performAdmitted(asked, { kind: 'get', id })
      return shownTo(asked, (result as RecordResult).record)
    },
    async list(values) {
      const asked = await admit('list')
      const where = admittedWhere(asked, equalTo(resource, values))
      const rows = await listMatching(resource, async ({ sort = [], limit = 1 }) => {
        const query: ListQuery = { where, sort, paging: { kind: 'page', page: 1, limit }, total: false }
        return ((await performAdmitted(asked, { kind: 'list', query })) as ListResult).records
      })
      return rows.map((row) => shownTo(asked, row))
    },
  }
}

type Writes = Pick<JudgedRecords, 'create' | 'update' | 'delete' | 'deleteWhere'>

function writesOf(caller: CodeCaller, resource: Resource): Writes {
  const admit = (operation: string) => admitCode(caller, { resource, operation })
  return {
    async create(values) {
      const under = await pathAbove(caller, resource, values)
      const asked = await admitCode(caller, { resource, operation: 'create', nested: under !== undefined })
      // The path names the record above, as in a request.
      const given = under ? { ...values, [under.by]: undefined } : values
      const body = checkBody({ ...viewOf(asked), kind: 'create', given: under?.by }, bodyOf(resource, given))
      const result = await performAdmitted(asked, { kind: 'create', under, body })
      return shownTo(asked, (result as RecordResult).record)
    },
    async update(given, changes) {
      const id = String(given)
      const asked = await admit('update')
      const body = checkBody({ ...viewOf(asked), kind: 'update' }, bodyOf(resource, changes))
      await checkReached(asked, id)
      const result = await performAdmitted(asked, { kind: 'update', id, body, ifVersion: undefined })
      return shownTo(asked, (result as RecordResult).record)
    },
    async delete(given) {
      const id = String(given)
      const asked = await admit('delete')
      await checkReached(asked, id)
      await performAdmitted(asked, { kind: 'delete', id, ifVersion: undefined, shows: false })
    },
    async deleteWhere(values) {
      const asked = await admit('delete')
      const filter = equalTo(resource, values)
      if (Object.keys(filter).length === 0)
        throw new ApiError('bad-request', 'Name a value: this is for some of the records, not for all')
      const many = { where: admittedWhere(asked, filter), limit: bulkLimits.recordsMax }
      const operation = { kind: 'delete', id: undefined, many, ifVersion: undefined, shows: false } as const
      return ((await performAdmitted(asked, operation)) as ManyResult).count
    },
  }
}

/** `records(things)`, judged by the rights of the caller. */
export function recordsOfCaller(caller: CodeCaller): RecordsForCaller {
  return (({ name }: ResourceHandle<Fields>): JudgedRecords => {
    const resource = caller.engine.catalog.get(name)
    return { ...readsOf(caller, resource), ...writesOf(caller, resource) }
  }) as RecordsForCaller
}

type SystemParts = {
  readonly of: (resource: ResourceHandle<Fields>) => Records
  readonly quiet: (resource: ResourceHandle<Fields>) => Records
  readonly ofCaller: (from: CallerOrigin) => RecordsForCaller
}

/** `records(things)` in the name of the system, with `records.quiet` and `records.as(caller)`. */
export function systemRecords({ of, quiet, ofCaller }: SystemParts): SystemRecords {
  const as: SystemRecords['as'] = (caller) => ofCaller(originOf(caller))
  return Object.assign(of, { quiet, as }) as unknown as SystemRecords
}
