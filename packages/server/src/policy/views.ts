/** A caller's view of a resource, for records that are shown with others. */
import type { VisibleFields } from '../operation/visible-fields.ts'
import type { Resource } from '../resource/catalog.ts'
import { always, type Condition, never } from '../resource/condition.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import type { FieldSets } from './field-sets.ts'
import { type PolicyContext, whereOf } from './judge.ts'
import { judgeScoped } from './judge-scoped.ts'

/**
 * A caller's view of a resource: the records that exist for the caller, and the fields that the
 * caller may read.
 */
export type AllowedView = VisibleFields & {
  readonly principal: Principal
  readonly where: Condition
}

type ViewRequest = { readonly asking: Principal; readonly resource: Resource; readonly operation: 'get' | 'list' }

/** The records that the rule of `get` shows, or without one that of the operation. */
export function viewOf(
  { context, fields }: { readonly context: PolicyContext; readonly fields: FieldSets },
  { asking, resource, operation }: ViewRequest,
): AllowedView {
  const rule = resource.access.get ?? resource.access[operation]
  if (isAtConsole(asking)) return { principal: asking, where: always, ...fields.visible(asking, resource) }
  if (!rule) return { principal: asking, where: never, ...fields.visible(asking, resource) }
  const { verdict, principal } = judgeScoped(context, asking, { resource, operation, rule })
  return { principal, where: whereOf(verdict), ...fields.visible(principal, resource) }
}
