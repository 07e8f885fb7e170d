/**
 * Explains an access with the children that its body writes. Each child is explained as an
 * operation of its own, below the record as the write would leave it.
 */
import { ApiError } from '../../errors.ts'
import { placeText } from '../../operation/nested/nested-body.ts'
import type { RecordBody } from '../../operation/operation.ts'
import { printCaller } from '../../policy/permissions.ts'
import type { Admission } from '../../policy/policy.ts'
import type { OperationTarget } from '../../policy/rule-of.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Values } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'
import { type ChildWrite, type PlannedChildren, placed, planAdmitted } from '../nested/plan-children.ts'
import type { AccessQuestion } from './asked-request.ts'
import {
  admissionOf,
  type ExplainedAccess,
  type ExplainedChild,
  type ExplainedRecord,
  explainAdmitted,
  explainRefused,
  type Outcome,
} from './explain-access.ts'
import { unusedId, withPlanned } from './with-planned.ts'

/** `sees`: whether the asker may have the rules of a child explained. */
export type BodyQuestion = AccessQuestion & { readonly sees: (resource: Resource) => boolean }

type MaybeAdmitted = Admission | ApiError
type Planned = PlannedChildren<MaybeAdmitted>
type Refusal = NonNullable<ExplainedAccess['refusal']>

const refusalOf = ({ code, message }: ApiError): Refusal => ({ code, message })

/** The refusal of the whole request by a child: the sentence has the place of the child. */
type RefusedBy = { readonly at: string; readonly refusal: Refusal }

/** The first child that the caller may write on no record: it refuses before all rules. */
function firstRefused(planned: readonly Planned[]): RefusedBy | undefined {
  for (const { writes } of planned)
    for (const { within, admission, children } of writes) {
      if (admission instanceof ApiError)
        return { at: placeText(within), refusal: refusalOf(placed(admission, within) as ApiError) }
      const below = firstRefused(children)
      if (below) return below
    }
  return undefined
}

type Above = { readonly resource: Resource; readonly row: Values | undefined }
type Explaining = {
  readonly question: BodyQuestion
  readonly found: ExplainedChild[]
  /** The child that refuses first, of those whose rules judge records. */
  refused: RefusedBy | undefined
  /** Whether something refuses the request before the next child is looked at. */
  isOver: boolean
}

function printChild(explaining: Explaining, resource: Resource, { at, ...own }: ExplainedChild): ExplainedChild {
  const { allowed, operation, resource: slug, refusal } = own
  if (explaining.question.sees(resource)) return { at, ...own }
  return { at, allowed, operation, resource: slug, ...(refusal && { refusal }) }
}

async function explainOne(
  engine: Engine,
  { question: { asker, caller } }: Explaining,
  {
    link,
    above,
    write,
  }: { readonly link: Planned['link']; readonly above: Above; readonly write: ChildWrite<MaybeAdmitted> },
): Promise<ExplainedRecord> {
  const { verb, id, admission, body } = write
  const target: OperationTarget = { resource: link.resource, operation: verb, nested: true }
  const parent = String(above.row?.[above.resource.idField] ?? unusedId(above.resource))
  const under = { steps: [{ resource: above.resource, id: parent }], by: link.by }
  const child = { asker, caller, target, id, under }
  if (admission instanceof ApiError) return explainRefused(engine, child, admission)
  return explainAdmitted(engine, child, { admission, body: verb === 'delete' ? undefined : body })
}

async function explainChild(
  engine: Engine,
  explaining: Explaining,
  one: { readonly link: Planned['link']; readonly above: Above; readonly write: ChildWrite<MaybeAdmitted> },
): Promise<void> {
  const { write, link } = one
  const { within } = write
  const at = placeText(within)
  const common = { at, operation: write.verb, resource: link.resource.slug }
  try {
    const { explained, row } = await explainOne(engine, explaining, one)
    const { caller: _caller, ...own } = explained
    explaining.found.push(printChild(explaining, link.resource, { ...own, at }))
    if (own.refusal && !explaining.isOver) {
      const message = `${at}: ${own.refusal.message}`
      explaining.refused = { at, refusal: { ...own.refusal, message } }
      explaining.isOver = true
    }
    if (row || write.verb === 'create')
      await explainBelow(engine, explaining, { planned: write.children, above: { resource: link.resource, row } })
  } catch (error) {
    if (!explaining.isOver || !(error instanceof ApiError)) throw placed(error, within)
    explaining.found.push({ ...common, allowed: false, refusal: refusalOf(error) })
  }
}

async function explainBelow(
  engine: Engine,
  explaining: Explaining,
  { planned, above }: { readonly planned: readonly Planned[]; readonly above: Above },
): Promise<void> {
  if (planned.length === 0) return
  const { resource, row } = above
  const known: Values = { ...row, [resource.idField]: (row?.[resource.idField] ?? unusedId(resource)) as Scalar }
  const below = withPlanned(engine, { resource, row: known })
  for (const { link, writes } of planned)
    for (const write of writes) await explainChild(below, explaining, { link, above: { resource, row: known }, write })
}

function together(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes(false)) return false
  return outcomes.includes(null) ? null : true
}

type NestedQuestion = {
  readonly body: RecordBody
  readonly admission: Admission
  readonly planned: readonly Planned[]
  readonly refused: RefusedBy | undefined
}

async function explainNested(
  engine: Engine,
  question: BodyQuestion,
  { body, admission, planned, refused }: NestedQuestion,
): Promise<ExplainedRecord> {
  const { resource } = question.target
  const then = async (within: Engine, { explained, row }: ExplainedRecord): Promise<ExplainedRecord> => {
    const isOver = refused !== undefined || explained.refusal !== undefined
    const explaining: Explaining = { question, found: [], refused, isOver }
    await explainBelow(within, explaining, { planned, above: { resource, row } })
    const by = explaining.refused
    const { rules, refusal, decidedBy, ...own } = explained
    const allowed = together([own.allowed, ...explaining.found.map((one) => one.allowed)])
    const said = by?.refusal ?? refusal
    const decided = by ? [by.at] : decidedBy
    const whole = { ...own, allowed, ...(said && { refusal: said }), decidedBy: allowed === null ? [] : decided, rules }
    return { explained: { ...whole, children: explaining.found }, row }
  }
  return explainAdmitted(engine, question, { admission, body, then })
}

/** Throws `not-found` and `bad-request` as the request itself does, once its caller is admitted. */
export async function explainAccess(engine: Engine, question: BodyQuestion): Promise<ExplainedAccess> {
  const { policy } = engine
  const { caller, target } = question
  const admission = admissionOf(policy, caller, target)
  if (admission instanceof ApiError) return (await explainRefused(engine, question, admission)).explained
  const body = await question.body?.()
  if (!body?.nested) return (await explainAdmitted(engine, question, { admission, body })).explained
  const by = {
    admit: (one: OperationTarget) => admissionOf(policy, caller, one),
    seenBy: (one: MaybeAdmitted) => (one instanceof ApiError ? undefined : one),
  }
  const { planned, mistakes } = planAdmitted<MaybeAdmitted>(by, body)
  const refused = firstRefused(planned)
  if (!refused) mistakes.end()
  try {
    return (await explainNested(engine, question, { body, admission, planned, refused })).explained
  } catch (error) {
    // A child that is refused on any record is so before the record above is looked for.
    if (!refused || !(error instanceof ApiError)) throw error
    const { resource, operation } = target
    return {
      allowed: false,
      operation,
      resource: resource.slug,
      caller: printCaller(caller),
      refusal: refused.refusal,
      decidedBy: [refused.at],
      declaredIn: resource.writtenAt,
      rules: [],
    }
  }
}
