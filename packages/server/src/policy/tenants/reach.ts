/**
 * Tells without a refusal what a caller may do: whether an operation is admitted, and on which
 * records. They exist for the caller, and the rule holds. Where only a path through other records
 * leads to them, those exist for the caller too.
 */
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, any, type Condition } from '../../resource/condition.ts'
import { isTrash } from '../../resource/made/shown-resources.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import type { Principal } from '../../resource/principal.ts'
import { isOffered } from '../../resource/relations/can-member.ts'
import type { Rule } from '../../resource/rule.ts'
import { existingForWrite } from '../existing-records.ts'
import { type PolicyContext, refusalOf } from '../judge.ts'
import type { Policy } from '../policy.ts'
import type { OperationTarget } from '../rule-of.ts'
import { existingAbove } from './above-in-path.ts'

type Admitted = {
  readonly principal: Principal
  readonly target: OperationTarget
  readonly rule: Rule
  readonly where: Condition
}

/** The resources through which paths to these records lead; none where they have their own. */
export function resourcesAbove({ path, parents }: Resource): readonly Resource[] {
  return path === undefined ? parents.flatMap(({ resource }) => [resource, ...resourcesAbove(resource)]) : []
}

/** The records to which one of these links leads, from a record that exists for the caller. */
function linked(context: PolicyContext, admitted: Admitted, links: Resource['parents']): Condition {
  const conditions = links.map(({ resource, link }): Condition => {
    const exists = all(existingAbove(context, admitted, resource), below(context, admitted, resource))
    if (exists.kind === 'true') return { kind: 'null', field: link.by, isNull: false }
    return { kind: 'related', field: link.by, resource: resource.name, where: exists }
  })
  return any(...conditions)
}

/** A path goes on only below a resource with a path of its own, and below single records. */
function below(context: PolicyContext, admitted: Admitted, { path, parents }: Resource): Condition {
  if (path !== undefined) return all()
  const links = parents.filter(({ link }) => link.single)
  return linked(context, admitted, links)
}

export function reachOf(context: PolicyContext, admitted: Admitted): Condition {
  const { target, rule, where } = admitted
  const { resource, operation } = target
  const isOpen = refusalOf(context, rule, resource).open
  const exists = factsOf(operation).reads
    ? all()
    : existingForWrite(context, admitted, { operation: { resource }, isOpen })
  // A trash is reached by the path of its resource.
  if (resource.path !== undefined || isTrash(resource)) return all(exists, where)
  const links = resource.parents.filter(({ link }) => isOffered(link, operation))
  return all(exists, where, linked(context, admitted, links))
}

export function makeTryAdmit(admit: Policy['admit']): Policy['tryAdmit'] {
  return (principal, target) => {
    try {
      return admit(principal, target)
    } catch (error) {
      if (error instanceof ApiError) return undefined
      throw error
    }
  }
}
