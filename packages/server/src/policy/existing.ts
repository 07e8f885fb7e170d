/**
 * Which records exist for a caller. Others are not found, not counted, and not told apart from
 * records that there are not.
 */
import type { Operation } from '../operation/operation.ts'
import type { Resource } from '../resource/catalog.ts'
import { always, type Condition } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import { type Court, judge, whereOf } from './judge.ts'

/** By the rule of `get`; all of them when there is no `get`. */
export function existing(court: Court, principal: Principal, resource: Resource): Condition {
  const rule = resource.access.get
  return rule ? whereOf(judge(court, rule, { resource, principal })) : always
}

/** By whom it was admitted, and on which records. */
type Admitted = { readonly principal: Principal; readonly where: Condition }
/** `isOpen`: the rule refuses records openly that the caller may not see. */
type Writing = { readonly operation: Operation; readonly isOpen: boolean }

/**
 * For an operation that writes. A filter must tell no more of others than reading does: without a
 * `get`, it finds what the list shows.
 */
export function existingFor(court: Court, { principal, where }: Admitted, { operation, isOpen }: Writing): Condition {
  const { resource } = operation
  if (!('many' in operation && operation.many)) return isOpen ? always : existing(court, principal, resource)
  const rule = resource.access.get ?? resource.access.list
  return rule ? whereOf(judge(court, rule, { resource, principal })) : where
}
