/**
 * Plans the children that a body writes, before its transaction. Each is admitted by the rule of
 * its own operation, and its values are checked as in a request to its path below the record.
 */
import { ApiError } from '../../errors.ts'
import { checkBody } from '../../operation/body.ts'
import { bulkLimits } from '../../operation/list-limits.ts'
import {
  mistakeWithin,
  type NestedChanges,
  type NestedPart,
  type NestedVerb,
  placeText,
  tooManyNested,
} from '../../operation/nested/nested-body.ts'
import { placeError } from '../../operation/nested/placed-error.ts'
import type { ChangeOperation, CreateOperation, RecordBody } from '../../operation/operation.ts'
import { collectProblems, type ProblemCollector } from '../../operation/problem-collector.ts'
import type { VisibleFields } from '../../operation/visible-fields.ts'
import type { Admission, Permitted, Policy } from '../../policy/policy.ts'
import type { OperationTarget } from '../../policy/rule-of.ts'
import type { ChildRelation } from '../../resource/catalog.ts'
import { LostRightsError } from '../rights/lost-rights.ts'

export type BodyOperation = CreateOperation | ChangeOperation

/** `A`: the admission of each child. An explanation has the refusal in its place. */
export type ChildWrite<A = Admission> = {
  readonly verb: NestedVerb
  /** The members of the whole body around it. */
  readonly within: readonly string[]
  readonly id: string | undefined
  readonly admission: A
  readonly body: RecordBody
  readonly children: readonly PlannedChildren<A>[]
}
export type PlannedChildren<A = Admission> = {
  readonly link: ChildRelation
  readonly writes: readonly ChildWrite<A>[]
}

/** The same error, with the place of the child. A right that was lost is the whole request's. */
export function placed(error: unknown, within: readonly string[]): unknown {
  if (!(error instanceof ApiError) || error instanceof LostRightsError || within.length === 0) return error
  const message = `${placeText(within)}: ${error.message}`
  return placeError(error, { message, place: (mistake) => mistakeWithin(within, mistake) })
}

function placing<T>(within: readonly string[], work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw placed(error, within)
  }
}

export type AdmitChildren<A> = {
  admit(target: OperationTarget): A
  /** Undefined where the values of a child are not read. */
  seenBy(admission: A): VisibleFields | undefined
}

type Planning<A> = {
  readonly by: AdmitChildren<A>
  readonly mistakes: ProblemCollector
  /** Records that are planned so far. */
  count: number
}

const nothing: RecordBody = { values: new Map(), fixed: new Map() }

/** A caller who may not write such a child learns nothing of its values. */
function admitAll<A>({ by }: Planning<A>, { link, parts }: NestedChanges, around: readonly string[]) {
  const admissions = new Map<NestedVerb, A>()
  for (const { verb, within } of parts) {
    if (admissions.has(verb)) continue
    const target = { resource: link.resource, operation: verb, nested: true }
    admissions.set(
      verb,
      placing([...around, ...within], () => by.admit(target)),
    )
  }
  return admissions
}

type PartPlan<A> = { readonly link: ChildRelation; readonly admission: A; readonly within: readonly string[] }

function planPart<A>(
  planning: Planning<A>,
  { verb, id, value }: NestedPart,
  { link, admission, within }: PartPlan<A>,
): ChildWrite<A> {
  planning.count += 1
  if (planning.count > bulkLimits.recordsMax) throw tooManyNested()
  const { resource, by } = link
  const seen = planning.by.seenBy(admission)
  let body = nothing
  if (verb !== 'delete' && seen)
    planning.mistakes.during(() => {
      const { visible, visibleWhere } = seen
      const expected = { resource, kind: verb, visible, visibleWhere, given: by, nests: true } as const
      body = placing(within, () => checkBody(expected, value))
    })
  return { verb, within, id, admission, body, children: planBelow(planning, body, within) }
}

function planBelow<A>(
  planning: Planning<A>,
  { nested }: RecordBody,
  around: readonly string[],
): readonly PlannedChildren<A>[] {
  return [...(nested?.values() ?? [])].map((changes) => {
    const admissions = admitAll(planning, changes, around)
    const { link } = changes
    const writes = changes.parts.map((part) => {
      const admission = admissions.get(part.verb) as A
      return planPart(planning, part, { link, admission, within: [...around, ...part.within] })
    })
    return { link, writes }
  })
}

/** The plan, and the mistakes of all bodies, which `end` throws. */
export function planAdmitted<A>(by: AdmitChildren<A>, body: RecordBody) {
  const planning: Planning<A> = { by, mistakes: collectProblems(), count: 1 }
  return { planned: planBelow(planning, body, []), mistakes: planning.mistakes }
}

/**
 * Throws the refusal of the first child that the caller may not write, and `bad-request` with the
 * mistakes of all.
 */
export function planChildren(
  policy: Policy,
  { operation, asking }: Permitted<BodyOperation>,
): readonly PlannedChildren[] {
  const by = { admit: (target: OperationTarget) => policy.admit(asking, target), seenBy: (one: Admission) => one }
  const { planned, mistakes } = planAdmitted(by, operation.body)
  mistakes.end()
  return planned
}
