/**
 * The authorization of every operation. Only this file can make a `Permitted`, and `perform/`
 * accepts nothing else, so code without authorization does not compile. `admit` judges the caller
 * before any part of the request is read; `permit` ties the parsed operation to that judgement.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import type { ApiError } from '../errors.ts'
import type { GetOperation, Operation } from '../operation/operation.ts'
import type { ResultRule } from '../operation/result-rule.ts'
import type { VisibleFields } from '../operation/visible-fields.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { always, type Condition } from '../resource/condition.ts'
import { factsOf } from '../resource/operation-kind.ts'
import type { Principal } from '../resource/principal.ts'
import type { Rule, ServiceSettings } from '../resource/rule.ts'
import { existingForWrite, existingRecords, recordsInScope } from './existing-records.ts'
import { type FieldSets, type GuardedFields, makeFieldSets, type RolesByField } from './field-sets.ts'
import { type PolicyContext, refusalOf, secondsOf, whereOf } from './judge.ts'
import { checkReads, judgeScoped } from './judge-scoped.ts'
import { makeReadsClock, type ReadsClock } from './reads-clock.ts'
import { makeResponseFacts, type ResponseFacts } from './response-facts.ts'
import { resultOf } from './result-rule-of.ts'
import { checkIsOf, type OperationTarget, ruleOfTarget } from './rule-of.ts'
import { existingAbove } from './tenants/above-in-path.ts'
import { makeTryAdmit, reachOf } from './tenants/reach.ts'
import { makeRequestTenants, type RequestTenants } from './tenants/request-tenants.ts'
import { type AllowedView, viewOf } from './views.ts'
import { makeWriteBounds, type WriteBounds } from './write-bounds.ts'

export type { AllowedView } from './views.ts'

type AdmissionFacts = AllowedView & {
  readonly target: OperationTarget
  readonly rule: Rule
  readonly asking: Principal
  readonly result: ResultRule | undefined
}

/**
 * The facts are private, so a spread or a copy has none of them and no code can write them. An
 * admission does not lead back to this class. So only this file can make an admission or a
 * permission.
 */
class MadeAdmission {
  readonly #facts: AdmissionFacts
  static {
    Reflect.deleteProperty(MadeAdmission.prototype, 'constructor')
  }
  constructor(facts: AdmissionFacts) {
    this.#facts = facts
  }
  static is(value: object): boolean {
    return #facts in value
  }
  get target(): OperationTarget {
    return this.#facts.target
  }
  get principal(): Principal {
    return this.#facts.principal
  }
  /**
   * The caller with all scopes: other records that the request shows are judged by their own rules.
   */
  get asking(): Principal {
    return this.#facts.asking
  }
  get rule(): Rule {
    return this.#facts.rule
  }
  /** The records that the rule allows. */
  get where(): Condition {
    return this.#facts.where
  }
  /** The condition on the records that it writes; undefined where there is none. */
  get result(): ResultRule | undefined {
    return this.#facts.result
  }
  get visible(): ReadonlySet<string> {
    return this.#facts.visible
  }
  get visibleWhere(): VisibleFields['visibleWhere'] {
    return this.#facts.visibleWhere
  }
}
export type Admission = MadeAdmission

type PermissionFacts<O extends Operation> = VisibleFields &
  GuardedFields & {
    readonly operation: O
    readonly target: OperationTarget
    readonly principal: Principal
    readonly asking: Principal
    readonly read: Condition
    readonly write: Condition
    readonly refusal: () => ApiError
    readonly result: ResultRule | undefined
    readonly bounds: WriteBounds | undefined
    readonly steps: readonly Condition[]
  }

class MadePermission<O extends Operation> {
  readonly #facts: PermissionFacts<O>
  static {
    Reflect.deleteProperty(MadePermission.prototype, 'constructor')
  }
  constructor(facts: PermissionFacts<O>) {
    Object.freeze(facts.operation)
    this.#facts = facts
  }
  static is(value: object): boolean {
    return #facts in value
  }
  get operation(): O {
    return this.#facts.operation
  }
  get target(): OperationTarget {
    return this.#facts.target
  }
  get principal(): Principal {
    return this.#facts.principal
  }
  /**
   * The caller with all scopes: other records that the request shows are judged by their own rules.
   */
  get asking(): Principal {
    return this.#facts.asking
  }
  get visible(): ReadonlySet<string> {
    return this.#facts.visible
  }
  get visibleWhere(): VisibleFields['visibleWhere'] {
    return this.#facts.visibleWhere
  }
  /** The records that exist for this caller. */
  get read(): Condition {
    return this.#facts.read
  }
  /** Those of them on which the operation is allowed. */
  get write(): Condition {
    return this.#facts.write
  }
  /** Makes the error for the others. */
  get refusal(): () => ApiError {
    return this.#facts.refusal
  }
  /** The condition on the records that the operation writes; undefined where there is none. */
  get result(): ResultRule | undefined {
    return this.#facts.result
  }
  /** Undefined where nothing bounds its writes but the rule. */
  get bounds(): WriteBounds | undefined {
    return this.#facts.bounds
  }
  /** One condition for each step of the path: the records above must also exist for the caller. */
  get steps(): readonly Condition[] {
    return this.#facts.steps
  }
  /** Fields that the caller must not change on any record. */
  get guarded(): ReadonlySet<string> {
    return this.#facts.guarded
  }
  /** The records on which the caller may change a field, where that depends on the record. */
  get guardedWhere(): GuardedFields['guardedWhere'] {
    return this.#facts.guardedWhere
  }
  /**
   * The roles that may change each field with a `write` rule; undefined where no role is enough.
   */
  get writers(): RolesByField {
    return this.#facts.writers
  }
}
export type Permitted<O extends Operation = Operation> = MadePermission<O>

/** Throws an `Error` for a value that no policy made: a bug in the calling code. */
export function checkPermitted(value: Permitted): void {
  if (typeof value !== 'object' || !MadePermission.is(value)) throw new Error('only what policy permitted is performed')
}

export type Policy = {
  /** Throws `unauthenticated` or `forbidden` by the rule and the role, before anything is read. */
  admit(principal: Principal, target: OperationTarget): Admission
  /** The same for a description of what a caller may do: it knows no token that only reads. */
  describe(principal: Principal, target: OperationTarget): Admission
  /** The same without throwing: undefined where the caller is refused whatever the record is. */
  tryAdmit(principal: Principal, target: OperationTarget): Admission | undefined
  /** The records on which an admitted operation finds what it needs, and its rule holds before. */
  reach(admission: Admission): Condition
  /** Throws an `Error` when the operation is not the one that was admitted. */
  permit<O extends Operation>(admission: Admission, operation: O): Permitted<O>
  /**
   * Permission to get the single record that this step of the path names, by the rule of its own
   * resource. The path needs that record anyway.
   */
  narrow(permitted: Permitted, step: number): Permitted<GetOperation>
  /**
   * The records that the caller may get one by one, by the rule of `get` and the scopes of a key.
   * Empty when there is no `get`.
   */
  view(principal: Principal, resource: Resource): AllowedView
  /** The records that a list under another record shows the caller, wherever that record is. */
  viewOfChildren(principal: Principal, resource: Resource): AllowedView
  /**
   * The records that are shown as parts of another: those that exist for the caller, whatever the
   * scopes are.
   */
  viewOfParts(principal: Principal, resource: Resource): AllowedView
  /** The records of the caller's tenants, whatever the rules are. */
  scopeOf(principal: Principal, resource: Resource): Condition
  /** Undefined in an application without tenants. */
  readonly tenants: RequestTenants | undefined
  visibleFields(principal: Principal, resource: Resource): VisibleFields
  guardedFields(principal: Principal, resource: Resource): GuardedFields
  /** The fields that some callers may read and others may not, or that only some records show. */
  differing(resource: Resource): ReadonlySet<string>
  readonly readsClock: ReadsClock
  readonly facts: ResponseFacts
}

function makeAdmit(context: PolicyContext, fields: FieldSets, readsClock: ReadsClock): Policy['admit'] {
  /**
   * Only the clock changes while a principal lives. So the same request of one principal is judged
   * once, unless it is refused or a rule reads the clock.
   */
  const admitted = new WeakMap<Principal, WeakMap<OperationTarget, Admission>>()

  function judged(asking: Principal, target: OperationTarget): Admission {
    const { resource, operation } = target
    const rule = ruleOfTarget(target)
    const { verdict, principal } = judgeScoped(context, asking, { resource, operation, rule })
    if (verdict.kind === 'refuse') throw verdict.error
    const where = whereOf(verdict)
    const result = resultOf(context, target, { principal, rule, where })
    const seen = fields.visible(principal, resource)
    return new MadeAdmission({ target, principal, asking, rule, where, ...seen, result })
  }

  return (asking, target) => {
    const own = admitted.get(asking) ?? new WeakMap<OperationTarget, Admission>()
    const known = own.get(target)
    if (known) return known
    const admission = judged(asking, target)
    if (!readsClock(target.resource)) admitted.set(asking, own.set(target, admission))
    return admission
  }
}

export function makePolicy(catalog: Catalog, settings: ServiceSettings, clock: Clock = systemClock): Policy {
  const context: PolicyContext = { catalog, settings, now: secondsOf(clock) }
  const readsClock = makeReadsClock(context)
  const fields = makeFieldSets(context)

  const tenants = makeRequestTenants(context)
  const boundsOf = makeWriteBounds(context, tenants)
  const describe = makeAdmit(context, fields, readsClock)

  return {
    tenants,
    scopeOf: (principal, resource) => recordsInScope(context, principal, resource),
    visibleFields: fields.visible,
    guardedFields: fields.guarded,
    differing: fields.differing,
    facts: makeResponseFacts(context, fields),
    view: (asking, resource) => viewOf({ context, fields }, { asking, resource, operation: 'get' }),
    viewOfChildren: (asking, resource) => viewOf({ context, fields }, { asking, resource, operation: 'list' }),
    viewOfParts(principal, resource) {
      return { principal, where: existingRecords(context, principal, resource), ...fields.visible(principal, resource) }
    },
    readsClock,
    describe,
    admit: (asking, target) => describe(checkReads(asking, target), target),
    tryAdmit: makeTryAdmit(describe),
    reach: (admission) => reachOf(context, admission),
    permit(admission, operation) {
      if (!MadeAdmission.is(admission)) throw new Error('only what was admitted is permitted')
      const { principal, asking, target, rule, where, visible, visibleWhere, result } = admission
      checkIsOf(target, operation)
      const refusal = refusalOf(context, rule, target.resource)
      const { reads } = factsOf(target.operation)
      return new MadePermission({
        operation,
        target,
        principal,
        asking,
        visible,
        visibleWhere,
        read: reads ? where : existingForWrite(context, admission, { operation, isOpen: refusal.open }),
        write: reads ? always : where,
        refusal: refusal.error,
        result,
        bounds: boundsOf(principal, operation),
        steps: (operation.under?.steps ?? []).map((step) => existingAbove(context, admission, step.resource)),
        ...fields.guarded(principal, target.resource),
      })
    },
    narrow(permitted, at) {
      checkPermitted(permitted)
      const { operation, principal, steps, refusal } = permitted
      const { under } = operation
      const step = under?.steps[at]
      const read = steps[at]
      if (!under || !step?.by || !read) throw new Error('no single record stands there in the path')
      const { resource, by } = step
      return new MadePermission({
        operation: {
          kind: 'get',
          resource,
          id: undefined,
          under: { steps: under.steps.slice(0, at), by },
          select: null,
        },
        target: { resource, operation: 'get', nested: true },
        principal,
        asking: permitted.asking,
        ...fields.visible(principal, resource),
        read,
        write: always,
        refusal,
        result: undefined,
        bounds: permitted.bounds,
        steps: steps.slice(0, at),
        ...fields.guarded(principal, resource),
      })
    },
  }
}
