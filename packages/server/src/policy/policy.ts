/**
 * The only maker of `Permitted`, which is all that `perform/` accepts: to forget authorization is a compile error.
 * `admit` judges who asks before anything of the request is read; `permit` ties the parsed operation to that judgement.
 */
import type { ApiError } from '../errors.ts'
import { always, type Condition, never } from '../operation/condition.ts'
import type { Operation, Step } from '../operation/operation.ts'
import { anonymous, type Principal } from '../operation/principal.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { factsOf } from '../resource/operation-kind.ts'
import type { Role, Rule, Settings } from '../resource/rule.ts'
import { type Court, forbidden, judge, refusalOf, rolesFor, type Verdict } from './judge.ts'
import { covers } from './scope.ts'

declare const admitted: unique symbol
declare const permitted: unique symbol

/** What is about to be asked, before it is parsed. */
export type Target = {
  readonly resource: Resource
  /** `list`, `get`, …, `import`, `export`, or the name of an action. */
  readonly operation: string
  /** Whether the path names records above this one. */
  readonly nested?: boolean
  /** In place of the declaration's rule (a GraphQL field may be stricter). */
  readonly access?: Rule
}

export type Admission = {
  readonly target: Target
  readonly principal: Principal
  readonly rule: Rule
  /** The records that the rule allows. */
  readonly where: Condition
  /** The fields that the caller may read: others do not exist, in output, filters, sort, search and bodies alike. */
  readonly visible: ReadonlySet<string>
  readonly [admitted]: true
}

type Writers = ReadonlyMap<string, readonly Role[] | undefined>

export type Permitted<O extends Operation = Operation> = {
  readonly operation: O
  readonly principal: Principal
  readonly visible: ReadonlySet<string>
  /** The records that exist for this caller. */
  readonly read: Condition
  /** Of those, the ones that the operation is allowed on. */
  readonly write: Condition
  /** Makes what to throw for the others. */
  readonly refusal: () => ApiError
  /** One condition for each step of the path: the records above must exist for the caller too. */
  readonly steps: readonly Condition[]
  /** Fields that the caller must not change. */
  readonly guarded: ReadonlySet<string>
  /** Who may, for each field with a rule about it; undefined where no role is enough. */
  readonly writers: Writers
  readonly [permitted]: true
}

export type Policy = {
  /** Throws 401 or 403 by the rule and the role, before anything is read. */
  admit(principal: Principal, target: Target): Admission
  permit<O extends Operation>(admission: Admission, operation: O): Permitted<O>
  visibleTo(principal: Principal, resource: Resource): ReadonlySet<string>
  /** The records of a resource that exist for this caller (their `get` rule); `never` when none can. */
  readable(principal: Principal, resource: Resource): Condition
}

function whereOf(verdict: Verdict): Condition {
  return verdict.kind === 'allow' ? always : verdict.kind === 'filter' ? verdict.where : never
}

/** The rule that is asked about a target. A list under a parent shows what may be got one by one. */
export function ruleOf({ resource, operation, nested, access }: Target): Rule {
  const name = nested && operation === 'list' && resource.access.get ? 'get' : operation
  const rule = access ?? resource.access[name]
  if (!rule) throw new Error(`${resource.name} has no operation ${name}`)
  return rule
}

/** A key without the scope is nobody here: what everybody may do, it may still do. */
function judgeScoped(
  court: Court,
  target: Target,
  rule: Rule,
  principal: Principal,
): { verdict: Verdict; principal: Principal } {
  if (principal.kind === 'user' && !covers(principal.scopes, target.resource, target.operation)) {
    const verdict = judge(court, target.resource, rule, anonymous)
    const refused: Verdict = { kind: 'refuse', error: forbidden() }
    return { verdict: verdict.kind === 'refuse' ? refused : verdict, principal: anonymous }
  }
  return { verdict: judge(court, target.resource, rule, principal), principal }
}

function writersOf({ fieldNames, fields }: Resource, settings: Settings): Writers {
  const rules = fieldNames.map((name) => [name, fields[name]?.write] as const)
  return new Map(rules.flatMap(([name, rule]) => (rule ? [[name, rolesFor(rule, settings)] as const] : [])))
}

export function makePolicy(catalog: Catalog, settings: Settings): Policy {
  const court: Court = { catalog, settings }
  const sets = new Map<Resource, Map<string, ReadonlySet<string>>>(
    [...catalog.resources.values()].map((one) => [one, new Map()]),
  )
  const writers = new Map([...sets.keys()].map((one) => [one, writersOf(one, settings)]))

  /** The fields whose rule (`read` or `write`) the caller satisfies, or does not: by role alone, so it is kept. */
  function fieldsBy(principal: Principal, resource: Resource, side: 'read' | 'write'): ReadonlySet<string> {
    const role = principal.kind === 'user' ? principal.role : ''
    const console = principal.kind === 'user' && principal.via === 'console'
    const key = `${side}${role}${console}`
    const known = sets.get(resource)?.get(key)
    if (known) return known
    const passes = (rule: Rule | undefined) => !rule || judge(court, resource, rule, principal).kind === 'allow'
    const names = resource.fieldNames.filter((name) => {
      const field = resource.fields[name]
      // At the console a hidden reference is there: without it an export could not be put back. Secrets never are.
      const shown = !field?.hidden || (console && field.reference !== undefined)
      return side === 'read' ? shown && passes(field?.read) : !passes(field?.write)
    })
    const set = new Set(names)
    sets.get(resource)?.set(key, set)
    return set
  }
  const visibleTo = (principal: Principal, resource: Resource) => fieldsBy(principal, resource, 'read')

  function readable(principal: Principal, resource: Resource): Condition {
    const rule = resource.access.get
    return rule ? whereOf(judge(court, resource, rule, principal)) : always
  }

  return {
    visibleTo,
    readable,
    admit(asking, target) {
      const rule = ruleOf(target)
      const { verdict, principal } = judgeScoped(court, target, rule, asking)
      if (verdict.kind === 'refuse') throw verdict.error
      const visible = visibleTo(principal, target.resource)
      return { target, principal, rule, where: whereOf(verdict), visible } as Admission
    },
    permit<O extends Operation>(admission: Admission, operation: O) {
      const { principal, target, rule, where } = admission
      const refusal = refusalOf(rule, settings)
      const { reads } = factsOf(target.operation)
      const existing = refusal.open ? always : readable(principal, target.resource)
      return {
        operation,
        principal,
        visible: admission.visible,
        read: reads ? where : existing,
        write: reads ? always : where,
        refusal: refusal.error,
        steps: (operation.under?.steps ?? []).map((step: Step) => readable(principal, step.resource)),
        guarded: fieldsBy(principal, target.resource, 'write'),
        writers: writers.get(target.resource),
      } as unknown as Permitted<O>
    },
  }
}
