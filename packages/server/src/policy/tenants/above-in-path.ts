/** The records above the target in a path, which must exist for the caller too. */
import type { Resource } from '../../resource/catalog.ts'
import { always, type Condition } from '../../resource/condition.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import type { Principal } from '../../resource/principal.ts'
import { existingRecords } from '../existing-records.ts'
import type { PolicyContext } from '../judge.ts'
import type { OperationTarget } from '../rule-of.ts'

/**
 * The records of a step of the path that exist for the caller. Readers of a public resource go
 * through the path of a tenant that they need not see.
 */
export function existingAbove(
  context: PolicyContext,
  { principal, target }: { readonly principal: Principal; readonly target: OperationTarget },
  step: Resource,
): Condition {
  const { scope } = target.resource
  const isOpen = scope?.isPublic === true && scope.tenancy === step.name
  return isOpen && factsOf(target.operation).reads ? always : existingRecords(context, principal, step)
}
