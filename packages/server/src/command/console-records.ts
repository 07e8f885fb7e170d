/**
 * Reads and writes records for commands. The operator owns the database, so no rule binds a command
 * and it needs no declared operation. Commands bypass neither `policy/` nor `perform/`, and so no
 * check of values and references.
 */
import { checkBody } from '../operation/body.ts'
import type { ListQuery, Operation } from '../operation/operation.ts'
import type { Engine } from '../perform/engine.ts'
import type { RecordResult, StreamResult } from '../perform/result.ts'
import type { Admission, Permitted } from '../policy/policy.ts'
import type { OperationTarget } from '../policy/rule-of.ts'
import type { Resource } from '../resource/catalog.ts'
import { always, type Condition } from '../resource/condition.ts'
import { consolePrincipal, type UserPrincipal } from '../resource/principal.ts'
import { user } from '../resource/rules/any-user.ts'
import type { Row } from '../storage/storage.ts'
import { type Represented, representRecord } from '../value/represent.ts'

type ConsoleTarget = Pick<OperationTarget, 'resource' | 'operation'>

/** Admits every operation on any resource, whether or not the declaration has it. */
export function admitAtConsole(
  { policy, catalog }: Engine,
  target: ConsoleTarget,
  principal: UserPrincipal = consolePrincipal(catalog),
): Admission {
  return policy.admit(principal, { ...target, access: user })
}

/** Admits and permits an operation that a command made, without a request to parse. */
export function permitAtConsole<O extends Exclude<Operation, { kind: 'act' }>>(
  engine: Engine,
  operation: O,
): Permitted<O> {
  const { resource, kind } = operation
  return engine.policy.permit(admitAtConsole(engine, { resource, operation: kind }), operation)
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
  { input, principal }: { readonly input: Input; readonly principal?: UserPrincipal },
): Promise<Made> {
  const { perform } = await import('../perform/perform.ts')
  const admission = admitAtConsole(engine, { resource, operation: 'create' }, principal)
  const { visible, visibleWhere } = admission
  const body = checkBody({ resource, kind: 'create', visible, visibleWhere }, input)
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
  const admission = admitAtConsole(engine, { resource, operation: 'update' })
  const { visible, visibleWhere } = admission
  const body = checkBody({ resource, kind: 'update', visible, visibleWhere }, input)
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
  const permitted = permitAtConsole(engine, { kind: 'list', resource, under: undefined, select: null, query })
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
  const permitted = permitAtConsole(engine, { kind: 'list', resource, under: undefined, select: names, query })
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
