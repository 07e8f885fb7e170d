/**
 * Explains an access: whether a caller may do an operation to a record, which rule decides, at
 * which clause, and with which values. It performs and stores nothing.
 */
import type { ApiError } from '../../errors.ts'
import { notFound } from '../../operation/not-found.ts'
import type { ParentPath, RecordBody } from '../../operation/operation.ts'
import { type AccessRule, type AccessRules, accessRules } from '../../policy/access-rules.ts'
import { secondsOf } from '../../policy/judge.ts'
import { printCaller } from '../../policy/permissions.ts'
import type { OperationTarget } from '../../policy/rule-of.ts'
import { withPrevious } from '../../record/row-holds.ts'
import { all, equal, never } from '../../resource/condition.ts'
import type { Json } from '../../resource/fields/field.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import type { Principal } from '../../resource/principal.ts'
import { fieldsOf, makeMatcher } from '../../storage/derived/match.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { representRecord } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import { parseId, resolveUnder } from '../read/find.ts'
import { type ClauseVerdict, decidingClauses, type ExplainedClause, printClause } from './clause.ts'
import { type ExplainContext, explainClause, outcomeOnRow } from './explain-clause.ts'
import { changedFields, type PlannedWrite, plannedRecord } from './planned-record.ts'

export type AccessQuestion = {
  /** The caller to whom the explanation is shown. Records and fields are hidden by its rules. */
  readonly asker: Principal
  /** The caller whose access is explained. */
  readonly caller: Principal
  readonly target: OperationTarget
  /** The text of an id. Undefined where the operation names no record, or one by its path alone. */
  readonly id: string | undefined
  readonly under: ParentPath | undefined
  /** The body of a write, where one was sent. */
  readonly body?: RecordBody | undefined
}

/** `null`: it depends on the record, or on what a write makes of it. */
type Outcome = boolean | null

type ParentFound = Awaited<ReturnType<typeof resolveUnder>> | undefined

/** The records above in the path, where they exist for the asker. Throws `not-found` otherwise. */
async function findParent({ policy, storage }: Engine, { asker, under }: AccessQuestion): Promise<ParentFound> {
  if (!under) return undefined
  const views = under.steps.map((step) => policy.viewOfParts(asker, step.resource).where)
  return resolveUnder(storage, under, views)
}

/** The record, where it exists for the asker. Throws `not-found` otherwise, as reading it does. */
async function findShown(engine: Engine, { asker, target, id }: AccessQuestion, parent: ParentFound): Promise<Row> {
  const { policy, storage } = engine
  const { resource } = target
  const conditions = [policy.viewOfChildren(asker, resource).where, ...(parent ? [parent.condition] : [])]
  if (id !== undefined) {
    const parsed = parseId(resource, id)
    conditions.push(parsed === undefined ? never : equal(resource.idField, parsed))
  }
  const found = await storage.find(resource, all(...conditions))
  if (!found) throw notFound(resource, 'get')
  return found.row
}

/** The fields that a write would change, and the record that it would make; none without a body. */
function planOf(engine: Engine, { caller, target, body, under }: AccessQuestion, known: KnownRows) {
  if (!body) return { planned: undefined, sent: [] }
  const { before, parent } = known
  const above = under?.steps.at(-1)?.resource
  const write: PlannedWrite = {
    resource: target.resource,
    principal: caller,
    body,
    parent: parent && above && { by: under.by, row: parent.parent, resource: above },
  }
  return { planned: plannedRecord(engine, write, before), sent: changedFields(engine, write, before) }
}
type KnownRows = { readonly before: Row | undefined; readonly parent: ParentFound }

/** The outcome of a rule by its verdict. A list shows the records on which its rule holds. */
function outcomeOf(verdict: ClauseVerdict, isList: boolean): Outcome {
  if (verdict === 'depends' || verdict === 'hidden') return isList ? true : null
  return verdict === 'holds'
}

/** The rule has judged the record before the write, and no field that it reads changes. */
function isSettled({ isRepeated, node }: AccessRule, sent: readonly string[]): boolean {
  const read = [node.holds, node.fails].flatMap((where) => [...fieldsOf(node.resource, where)])
  return isRepeated === true && !read.some((name) => sent.includes(name))
}

type ExplainedRule = AccessRule & { readonly clause: ExplainedClause; readonly outcome: Outcome }

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
async function explainRule(
  context: ExplainContext,
  rule: AccessRule,
  { before, planned, isList }: { before: Row | undefined; planned: Values | undefined; isList: boolean },
): Promise<ExplainedRule> {
  const { row, node } = judgedBy(rule, before, planned)
  const shown = await explainClause(context, node, row)
  const verdict = shown.verdict === 'hidden' ? await outcomeOnRow(context, node, row) : shown.verdict
  return { ...rule, clause: { ...shown, verdict }, outcome: outcomeOf(verdict, isList) }
}

function allowedBy(rules: readonly ExplainedRule[]): Outcome {
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

function refusalOf(rules: readonly ExplainedRule[], target: OperationTarget): ApiError | undefined {
  const refused = rules.find(({ outcome }) => outcome === false)
  if (!refused) return undefined
  return refused.judges === 'existence' ? notFound(target.resource, 'get') : refused.error()
}

function printRule({ judges, field, clause }: ExplainedRule) {
  return { judges, ...(field !== undefined && { field }), ...printClause(clause) }
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
}

/** Throws `not-found` for a record that the asker may not read. */
export async function explainAccess(engine: Engine, question: AccessQuestion): Promise<ExplainedAccess> {
  const { asker, caller, target } = question
  const { resource, operation } = target
  const { on, reads } = factsOf(operation)
  const parent = await findParent(engine, question)
  const before = on === 'record' ? await findShown(engine, question, parent) : undefined
  const { planned, sent } = planOf(engine, question, { before, parent })
  const judging = { ...engine, now: secondsOf(engine.clock) }
  const access: AccessRules = accessRules(judging, caller, { target, sent })
  const context: ExplainContext = { ...engine, ...judging, reader: engine.storage, matching: makeMatcher(), asker }
  const rules: ExplainedRule[] = []
  const isList = on !== 'record' && reads
  for (const rule of access.rules)
    if (!isSettled(rule, sent)) rules.push(await explainRule(context, rule, { before, planned, isList }))
  const allowed = allowedBy(rules)
  const refusal = allowed === false ? refusalOf(rules, target) : undefined
  const id = before && (representRecord(resource, [resource.idField], before)[resource.idField] as Json)
  return {
    allowed,
    operation,
    resource: resource.slug,
    ...(id !== undefined && { record: id }),
    caller: printCaller(caller),
    ...(access.missingScope !== undefined && { missingScope: access.missingScope }),
    ...(refusal && { refusal: { code: refusal.code, message: refusal.message } }),
    decidedBy: decidedBy(rules, allowed, access.missingScope),
    declaredIn: resource.writtenAt,
    rules: rules.map(printRule),
  }
}
