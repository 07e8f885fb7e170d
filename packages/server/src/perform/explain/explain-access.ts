/**
 * Explains an access to one record: whether a caller may do an operation to it, which rule decides,
 * at which clause, and with which values. It performs and stores nothing.
 */
import { ApiError } from '../../errors.ts'
import { notFound } from '../../operation/not-found.ts'
import type { RecordBody } from '../../operation/operation.ts'
import { type AccessRule, type AccessRules, accessRules } from '../../policy/access-rules.ts'
import { secondsOf } from '../../policy/judge.ts'
import { printCaller } from '../../policy/permissions.ts'
import type { Admission, Policy } from '../../policy/policy.ts'
import type { OperationTarget } from '../../policy/rule-of.ts'
import { withPrevious } from '../../record/row-holds.ts'
import type { Json } from '../../resource/fields/field.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import type { Principal } from '../../resource/principal.ts'
import { fieldsOf, makeMatcher } from '../../storage/derived/match.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { representRecord } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import { withSingles } from '../single.ts'
import { type AccessQuestion, type AskedRows, askedOperation, rowsOfAdmitted, rowsOfRefused } from './asked-request.ts'
import type { ExplainedLimit } from './caller-limits.ts'
import { type ClauseVerdict, decidingClauses, type ExplainedClause, printClause } from './clause.ts'
import { type ExplainContext, explainClause, outcomeOnRow } from './explain-clause.ts'
import { rulePlaces } from './rule-place.ts'

/** `null`: it depends on the record, or on what a write makes of it. */
export type Outcome = boolean | null

function outcomeOf(verdict: ClauseVerdict): Outcome {
  return verdict === 'depends' || verdict === 'hidden' ? null : verdict === 'holds'
}

/** The rule has judged the record before the write, and no field that it reads changes. */
function isSettled({ isRepeated, node }: AccessRule, sent: readonly string[]): boolean {
  const read = [node.holds, node.fails].flatMap((where) => [...fieldsOf(node.resource, where)])
  return isRepeated === true && !read.some((name) => sent.includes(name))
}

type ExplainedRule = Pick<AccessRule, 'judges' | 'field' | 'error'> & {
  /** Whether a write asks once the record is stored. */
  readonly isLast: boolean
  readonly clause: ExplainedClause
  readonly outcome: Outcome
}

/** The row that a rule judges, and the rule for it. */
function judgedBy(rule: AccessRule, before: Row | undefined, planned: Values | undefined) {
  if (rule.judges === 'caller') return { row: before ?? planned, node: rule.node }
  if (rule.judges !== 'result') return { row: before, node: rule.node }
  const { holds, fails } = rule.node
  const known = planned && {
    ...rule.node,
    holds: withPrevious(holds, before ?? {}),
    fails: withPrevious(fails, before ?? {}),
  }
  return { row: planned, node: known ?? rule.node }
}

/** The verdict on a record is the true one: the caller may learn it by trying. */
async function explainRule(context: ExplainContext, rule: AccessRule, rows: AskedRows): Promise<ExplainedRule> {
  const { row, node } = judgedBy(rule, rows.before, rows.planned)
  const shown = await explainClause(context, node, row)
  const verdict = shown.verdict === 'hidden' ? await outcomeOnRow(context, node, row) : shown.verdict
  const isLast = rule.field !== undefined && rows.asksLast.has(rule.field)
  return { ...rule, clause: { ...shown, verdict }, outcome: outcomeOf(verdict), isLast }
}

function explainLimit({ at, rule, isLast, refusal }: ExplainedLimit): ExplainedRule {
  const clause: ExplainedClause = { at, rule, verdict: refusal ? 'fails' : 'holds', compared: [], parts: [] }
  return { judges: 'caller', clause, outcome: refusal === undefined, isLast, error: () => refusal as ApiError }
}

/**
 * A caller that was not admitted is refused, and a list shows the records on which its rule holds.
 */
function allowedBy(rules: readonly ExplainedRule[], { refusal, isList }: Judged): Outcome {
  if (refusal) return false
  if (isList) return true
  if (rules.some(({ outcome }) => outcome === false)) return false
  return rules.some(({ outcome }) => outcome === null) ? null : true
}

function decidedBy(
  rules: readonly ExplainedRule[],
  allowed: Outcome,
  missingScope: string | undefined,
): readonly string[] {
  if (allowed === null) return []
  const decisive = allowed
    ? rules.filter(({ judges }) => judges !== 'existence')
    : rules.filter(({ outcome }) => outcome === false)
  const named = decisive.flatMap(({ clause }) => decidingClauses(clause, allowed))
  return [...new Set(!allowed && missingScope !== undefined ? ['scopes', ...named] : named)]
}

/** In the order in which a write asks. */
const judgings = ['existence', 'record', 'caller', 'result'] as const

const turnOf = ({ judges, isLast }: ExplainedRule) => (isLast ? judgings.length : judgings.indexOf(judges))

/** The rule that refuses first. */
function refusingOf(rules: readonly ExplainedRule[]): ExplainedRule | undefined {
  return rules.filter(({ outcome }) => outcome === false).toSorted((a, b) => turnOf(a) - turnOf(b))[0]
}

/** Throws the first mistake of a reference, unless a rule refuses before the write looks for it. */
function refuseMistakes({ mistakes }: AskedRows, refused: ExplainedRule | undefined): void {
  const [first] = mistakes
  if (first && (!refused || judgings.indexOf(first.after) < turnOf(refused))) throw first.error
}

function refusalOf(refused: ExplainedRule | undefined, target: OperationTarget): ApiError | undefined {
  if (!refused) return undefined
  return refused.judges === 'existence' ? notFound(target.resource, 'get') : refused.error()
}

/** `placeOf`: of a rule that is declared. A limit of the engine has no place. */
function printRule({ judges, field, clause }: ExplainedRule, placeOf?: (at: string) => string) {
  return {
    judges,
    ...(field !== undefined && { field }),
    ...(placeOf && { declaredIn: placeOf(clause.at) }),
    ...printClause(clause),
  }
}

export type ExplainedAccess = {
  readonly allowed: Outcome
  readonly operation: string
  readonly resource: string
  readonly record?: Json
  readonly caller: ReturnType<typeof printCaller>
  readonly missingScope?: string
  readonly refusal?: { readonly code: string; readonly message: string }
  /** The places of the clauses that decided. */
  readonly decidedBy: readonly string[]
  readonly declaredIn: string
  readonly rules: readonly ReturnType<typeof printRule>[]
  /** Those that the body writes. */
  readonly children?: readonly ExplainedChild[]
}

/**
 * `at`: its place in the body. A child whose rules the asker may not have explained has none here.
 */
export type ExplainedChild = { readonly at: string } & Partial<Omit<ExplainedAccess, 'caller'>> &
  Pick<ExplainedAccess, 'allowed' | 'operation' | 'resource'>

/** The refusal of a caller who may do it to no record. */
export function admissionOf(policy: Policy, caller: Principal, target: OperationTarget): Admission | ApiError {
  try {
    return policy.describe(caller, target)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** `refusal`: the error of a caller who is refused whatever the record is. */
type Judged = { readonly rows: AskedRows; readonly refusal: ApiError | undefined; readonly isList: boolean }

/** `row`: the record as it would be. */
export type ExplainedRecord = { readonly explained: ExplainedAccess; readonly row: Values | undefined }

function isOfList({ target }: AccessQuestion): boolean {
  const { on, reads } = factsOf(target.operation)
  return on !== 'record' && reads
}

/** For a caller who is refused whatever the record is. */
export async function explainRefused(
  engine: Engine,
  question: AccessQuestion,
  refusal: ApiError,
): Promise<ExplainedRecord> {
  const rows = await rowsOfRefused(engine, question)
  const own = await explained(engine, question, { rows, refusal, isList: isOfList(question) })
  return { explained: own, row: undefined }
}

type AdmittedQuestion = {
  readonly admission: Admission
  readonly body: RecordBody | undefined
  /** Explains more, by an engine that finds the single records that the request makes. */
  readonly then?: (engine: Engine, own: ExplainedRecord) => Promise<ExplainedRecord>
}

/** Throws `not-found` and `bad-request` as the request itself does. */
export function explainAdmitted(
  engine: Engine,
  question: AccessQuestion,
  { admission, body, then }: AdmittedQuestion,
): Promise<ExplainedRecord> {
  const permitted = engine.policy.permit(admission, askedOperation(question, body))
  return withSingles(engine, permitted, async (within) => {
    const rows = await rowsOfAdmitted(within, question, { permitted, body })
    const judged = { rows, refusal: undefined, isList: isOfList(question) }
    const own = { explained: await explained(within, question, judged), row: rows.planned ?? rows.before }
    return then ? then(within, own) : own
  })
}

async function explained(engine: Engine, question: AccessQuestion, judged: Judged): Promise<ExplainedAccess> {
  const { asker, caller, target } = question
  const { resource, operation } = target
  const { rows } = judged
  const { before, sent, isHidden } = rows
  const judging = { ...engine, now: secondsOf(engine.clock) }
  const access: AccessRules = accessRules(judging, caller, { target, sent })
  const context: ExplainContext = {
    ...engine,
    ...judging,
    reader: engine.storage,
    matching: makeMatcher(),
    asker,
    isHidden,
  }
  const rules: ExplainedRule[] = []
  for (const rule of access.rules) if (!isSettled(rule, sent)) rules.push(await explainRule(context, rule, rows))
  const limits = rows.limits.map(explainLimit)
  const all = [...rules, ...limits]
  const refused = refusingOf(all)
  refuseMistakes(rows, refused)
  const allowed = allowedBy(all, judged)
  const refusal = allowed === false ? (judged.refusal ?? refusalOf(refused, target)) : undefined
  const placeOf = await rulePlaces(resource)
  const id = before && !isHidden && (representRecord(resource, [resource.idField], before)[resource.idField] as Json)
  return {
    allowed,
    operation,
    resource: resource.slug,
    ...(id !== undefined && id !== false && { record: id }),
    caller: printCaller(caller),
    ...(access.missingScope !== undefined && { missingScope: access.missingScope }),
    ...(refusal && { refusal: { code: refusal.code, message: refusal.message } }),
    decidedBy: decidedBy(all, allowed, access.missingScope),
    declaredIn: resource.writtenAt,
    rules: [...rules.map((rule) => printRule(rule, placeOf)), ...limits.map((limit) => printRule(limit))],
  }
}
