/** Finds the rule for the target of a request: a resource and an operation on it. */
import type { Operation } from '../operation/operation.ts'
import type { Resource } from '../resource/catalog.ts'
import { isEndpoint } from '../resource/endpoints/endpoint-operations.ts'
import type { Rule } from '../resource/rule.ts'

/** The target of a request, before it is parsed. */
export type OperationTarget = {
  readonly resource: Resource
  /** `list`, `get`, …, `import`, `export`, or the name of an action or an endpoint. */
  readonly operation: string
  /** Whether the path names records above this one. */
  readonly nested?: boolean
  /** Replaces the declaration's rule (a GraphQL field may be stricter). */
  readonly access?: Rule
}

/**
 * The rule for a target. A list under a parent shows the records that may be got one by one, so the
 * rule of `get` decides.
 */
export function ruleOfTarget({ resource, operation, nested, access }: OperationTarget): Rule {
  const name = nested && operation === 'list' && resource.access.get ? 'get' : operation
  const rule = access ?? resource.access[name]
  if (!rule) throw new Error(`${resource.name} has no operation ${name}`)
  return rule
}

/** The rule for the record that an operation writes, the same for every protocol. */
export function resultRuleOf(target: OperationTarget): Rule {
  return target.resource.accessAfter[target.operation] ?? ruleOfTarget(target)
}

/** Whether an operation is admitted as the list is. */
function isOfList({ kind }: Operation): boolean {
  return kind === 'summary' || kind === 'difference'
}

/** Throws an `Error` where this operation is not the target that was admitted. */
export function checkIsOf({ resource, operation, nested = false }: OperationTarget, asked: Operation): void {
  const isSame =
    asked.kind === 'act'
      ? asked.action === operation && (resource.actionNames.includes(operation) || isEndpoint(resource, operation))
      : asked.kind === operation || (isOfList(asked) && operation === 'list')
  if (!isSame || asked.resource !== resource || (asked.under !== undefined) !== nested)
    throw new Error(`${operation} of ${resource.name} was admitted, nothing else`)
}
