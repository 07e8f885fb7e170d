/**
 * The records that exist for a caller. All others are not found and not counted, and the caller
 * cannot tell them from records that do not exist.
 */
import type { Operation } from '../operation/operation.ts'
import type { Resource } from '../resource/catalog.ts'
import { always, type Condition, never } from '../resource/condition.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import { judge, type PolicyContext, whereOf } from './judge.ts'
import { judgeScoped } from './judge-scoped.ts'

/**
 * The records of the caller's tenants, and of tenants those that the request may be in. All where
 * records belong to no tenant, and at the console.
 */
export function recordsInScope(context: PolicyContext, principal: Principal, resource: Resource): Condition {
  const rule = resource.bounds
  return rule && !isAtConsole(principal) ? whereOf(judge(context, rule, { resource, principal })) : always
}

/** By the rule of `get`; all in scope when there is no `get`, and all at the console. */
export function existingRecords(context: PolicyContext, principal: Principal, resource: Resource): Condition {
  const rule = resource.access.get
  if (!rule) return recordsInScope(context, principal, resource)
  return isAtConsole(principal) ? always : whereOf(judge(context, rule, { resource, principal }))
}

/**
 * The records to which a caller's writes may refer; undefined where every record will do. A record
 * of another tenant does not exist for the caller, nor does a tenant that the caller may not read.
 */
export function referableRecords(
  context: PolicyContext,
  principal: Principal,
  resource: Resource,
): Condition | undefined {
  if (!resource.tenant) return undefined
  const isTenant = resource.tenant.path.length === 0
  return (isTenant ? existingRecords : recordsInScope)(context, principal, resource)
}

/** Those that the caller may read one by one, or in lists. Without such a rule, all in scope. */
export function seenRecords(context: PolicyContext, principal: Principal, resource: Resource): Condition {
  const rule = resource.access.get ?? resource.access.list
  return rule ? whereOf(judge(context, rule, { resource, principal })) : recordsInScope(context, principal, resource)
}

/** Those that a `get` of the caller finds, as far as the scopes of a key reach. */
export function readableRecords(context: PolicyContext, principal: Principal, resource: Resource): Condition {
  const rule = resource.access.get
  if (!rule || isAtConsole(principal)) return rule ? always : never
  return whereOf(judgeScoped(context, principal, { resource, operation: 'get', rule }).verdict)
}

/** By whom it was admitted, and on which records. */
type AdmittedRecords = { readonly principal: Principal; readonly where: Condition }
/** `isOpen`: the rule refuses records openly that the caller may not see. */
type WriteVisibility = {
  readonly operation: Pick<Operation, 'resource'> & { readonly many?: unknown }
  readonly isOpen: boolean
}

/**
 * For an operation that writes: all records at the console. A filter must tell no more of others
 * than reading does: without a `get`, it finds what the list shows.
 */
export function existingForWrite(
  context: PolicyContext,
  { principal, where }: AdmittedRecords,
  { operation, isOpen }: WriteVisibility,
): Condition {
  const { resource, many } = operation
  if (isAtConsole(principal)) return always
  if (!many) return (isOpen ? recordsInScope : existingRecords)(context, principal, resource)
  const rule = resource.access.get ?? resource.access.list
  return rule ? whereOf(judge(context, rule, { resource, principal })) : where
}
