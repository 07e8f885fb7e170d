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
import type { Admission, Permitted, Policy } from '../../policy/policy.ts'
import type { ChildRelation } from '../../resource/catalog.ts'
import type { Principal } from '../../resource/principal.ts'
import { LostRightsError } from '../rights/lost-rights.ts'

export type BodyOperation = CreateOperation | ChangeOperation

export type ChildWrite = {
  readonly verb: NestedVerb
  /** The members of the whole body around it. */
  readonly within: readonly string[]
  readonly id: string | undefined
  readonly admission: Admission
  readonly body: RecordBody
  readonly children: readonly PlannedChildren[]
}
export type PlannedChildren = { readonly link: ChildRelation; readonly writes: readonly ChildWrite[] }

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

type Planning = {
  readonly policy: Policy
  readonly asking: Principal
  readonly mistakes: ProblemCollector
  /** Records that are planned so far. */
  count: number
}

const nothing: RecordBody = { values: new Map(), fixed: new Map() }

/** A caller who may not write such a child learns nothing of its values. */
function admitAll({ policy, asking }: Planning, { link, parts }: NestedChanges, around: readonly string[]) {
  const admissions = new Map<NestedVerb, Admission>()
  for (const { verb, within } of parts) {
    if (admissions.has(verb)) continue
    const target = { resource: link.resource, operation: verb, nested: true }
    admissions.set(
      verb,
      placing([...around, ...within], () => policy.admit(asking, target)),
    )
  }
  return admissions
}

type PartPlan = { readonly link: ChildRelation; readonly admission: Admission; readonly within: readonly string[] }

function planPart(planning: Planning, { verb, id, value }: NestedPart, { link, admission, within }: PartPlan) {
  planning.count += 1
  if (planning.count > bulkLimits.recordsMax) throw tooManyNested()
  const { resource, by } = link
  const { visible, visibleWhere } = admission
  let body = nothing
  if (verb !== 'delete')
    planning.mistakes.during(() => {
      const expected = { resource, kind: verb, visible, visibleWhere, given: by, nests: true } as const
      body = placing(within, () => checkBody(expected, value))
    })
  return { verb, within, id, admission, body, children: planBelow(planning, body, within) }
}

function planBelow(planning: Planning, { nested }: RecordBody, around: readonly string[]): PlannedChildren[] {
  return [...(nested?.values() ?? [])].map((changes) => {
    const admissions = admitAll(planning, changes, around)
    const { link } = changes
    const writes = changes.parts.map((part): ChildWrite => {
      const admission = admissions.get(part.verb) as Admission
      return planPart(planning, part, { link, admission, within: [...around, ...part.within] })
    })
    return { link, writes }
  })
}

/**
 * Throws the refusal of the first child that the caller may not write, and `bad-request` with the
 * mistakes of all.
 */
export function planChildren(policy: Policy, { operation, asking }: Permitted<BodyOperation>): PlannedChildren[] {
  const planning: Planning = { policy, asking, mistakes: collectProblems(), count: 1 }
  const planned = planBelow(planning, operation.body, [])
  planning.mistakes.end()
  return planned
}
