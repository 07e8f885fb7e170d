/**
 * Reads and writes records for commands, as a principal under the same policy as all callers. The
 * operator owns the database; still, commands bypass neither `policy/` nor `perform/`.
 */
import { checkBody } from '../operation/body.ts'
import type { ListQuery, Operation } from '../operation/operation.ts'
import type { Engine } from '../perform/engine.ts'
import type { RecordResult, StreamResult } from '../perform/result.ts'
import type { Permitted } from '../policy/policy.ts'
import type { OperationTarget } from '../policy/rule-of.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { always, type Condition } from '../resource/condition.ts'
import type { UserPrincipal } from '../resource/principal.ts'
import { user } from '../resource/rules/any-user.ts'
import type { Row } from '../storage/storage.ts'
import { type Represented, representRecord } from '../value/represent.ts'

/**
 * The operator, with the highest role. It has no user id, so its records have no owner unless a
 * line or an option names one.
 */
export function consolePrincipal({ roles }: Catalog): UserPrincipal {
  return { kind: 'user', userId: '', role: roles.highest, via: 'console', scopes: null }
}

/** Admits and permits an operation that a command made, without a request to parse. */
export function permitOn<O extends Operation>(engine: Engine, target: OperationTarget, operation: O): Permitted<O> {
  return engine.policy.permit(engine.policy.admit(consolePrincipal(engine.catalog), target), operation)
}

function represented(permitted: Permitted, result: RecordResult): Represented {
  return representRecord(result.resource, permitted.visible, result.record)
}

type Input = Readonly<Record<string, unknown>>
export type Made = { readonly record: Represented; readonly revealed: Readonly<Record<string, string>> }

/** Throws `ApiError` like any create. */
export async function createRecord(
  engine: Engine,
  resource: Resource,
  {
    input,
    principal = consolePrincipal(engine.catalog),
  }: { readonly input: Input; readonly principal?: UserPrincipal },
): Promise<Made> {
  const { perform } = await import('../perform/perform.ts')
  const admission = engine.policy.admit(principal, { resource, operation: 'create' })
  const body = checkBody({ resource, kind: 'create', visible: admission.visible }, input)
  const permitted = engine.policy.permit(admission, { kind: 'create', resource, under: undefined, select: null, body })
  const result = (await perform(engine, permitted)) as RecordResult
  return { record: represented(permitted, result), revealed: result.revealed ?? {} }
}

/** Throws `not-found`. */
export async function updateRecord(
  engine: Engine,
  resource: Resource,
  { id, input }: { readonly id: string; readonly input: Input },
): Promise<Represented> {
  const { perform } = await import('../perform/perform.ts')
  const admission = engine.policy.admit(consolePrincipal(engine.catalog), { resource, operation: 'update' })
  const body = checkBody({ resource, kind: 'update', visible: admission.visible }, input)
  const operation = {
    kind: 'update',
    resource,
    under: undefined,
    select: null,
    id,
    body,
    ifVersion: undefined,
  } as const
  const permitted = engine.policy.permit(admission, operation)
  return represented(permitted, (await perform(engine, permitted)) as RecordResult)
}

/** All matching records, in chunks. */
export async function* listRecords(
  engine: Engine,
  resource: Resource,
  where: Condition = always,
): AsyncGenerator<readonly Represented[]> {
  const { perform } = await import('../perform/perform.ts')
  const query: ListQuery = { where, sort: resource.list.defaultSort, paging: { kind: 'all' }, total: false }
  const target: OperationTarget = { resource, operation: 'list' }
  const permitted = permitOn(engine, target, { kind: 'list', resource, under: undefined, select: null, query })
  const { chunks } = (await perform(engine, permitted)) as StreamResult
  for await (const rows of chunks) yield rows.map((row) => representRecord(resource, permitted.visible, row))
}

/**
 * The stored values of all matching records of any resource: the operator may look up all that an
 * import can name.
 */
export async function* listRows(
  engine: Engine,
  resource: Resource,
  { where, names }: { readonly where: Condition; readonly names: readonly string[] },
): AsyncGenerator<Row> {
  const { perform } = await import('../perform/perform.ts')
  const sort = [{ field: resource.idField, descending: false }]
  const query: ListQuery = { where, sort, paging: { kind: 'all' }, total: false }
  const target: OperationTarget = { resource, operation: 'list', access: user }
  const permitted = permitOn(engine, target, { kind: 'list', resource, under: undefined, select: names, query })
  const { chunks } = (await perform(engine, permitted)) as StreamResult
  for await (const rows of chunks) yield* rows
}

/** The first record that matches; undefined when there is none. */
export async function findRecord(
  engine: Engine,
  resource: Resource,
  where: Condition,
): Promise<Represented | undefined> {
  for await (const records of listRecords(engine, resource, where)) return records[0]
  return undefined
}
