/**
 * Performs actions: transitions of a state and the declaration's own code, in one transaction with
 * the record locked.
 */
import { ApiError } from '../errors.ts'
import { filledIn } from '../operation/body.ts'
import { notFound } from '../operation/not-found.ts'
import type { ActOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import { authorOf } from '../record/author.ts'
import { runActionHook } from '../record/declared/hook-steps.ts'
import { type GuardedCall, limitMsDefault } from '../record/guard/guarded-code.ts'
import { guardedParts } from '../record/guard/guarded-parts.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { DraftValues, EngineActionResult } from '../record/requested-write.ts'
import type { ActionContext } from '../resource/action.ts'
import type { Resource } from '../resource/catalog.ts'
import { knownCaller } from '../resource/code/acting-caller.ts'
import { refuseInCode } from '../resource/code/refusal.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Fields } from '../resource/fields/field.ts'
import { representFields } from '../resource/fields/nested/object.ts'
import type { Transition } from '../resource/fields/transition.ts'
import type { AddedJob } from '../resource/jobs/job-context.ts'
import type { Roles } from '../resource/rules/role-order.ts'
import { inSentence } from '../resource/words/names.ts'
import type { Row, Values } from '../storage/storage.ts'
import { checkChangedFields, readableChanges } from './changed-fields.ts'
import type { Engine } from './engine.ts'
import { addJobOf, answerWithJob } from './jobs/added-job.ts'
import { completeRecords } from './read/read.ts'
import { makeRequestStageRunner, requestedWriteOf } from './request-stages.ts'
import type { OutputResult, RecordResult } from './result.ts'
import { makeSingles } from './single.ts'
import { judgeBeforeTransaction, lockForWrite } from './write.ts'
import { writePermitted } from './write-transaction.ts'

export type ActContext = {
  readonly engine: Engine
  readonly permitted: Permitted<ActOperation>
  readonly tx: RecordTransaction
}

/**
 * One action on a locked record. `input`: its checked values; `caller`: the caller, if there is
 * one.
 */
export type ActionCall = {
  readonly resource: Resource
  readonly name: string
  readonly record: Row
  readonly input: Readonly<Record<string, unknown>>
  readonly caller: ActionContext['caller']
}
type ActionResult = { readonly record: Row; readonly returned: unknown }

type RefusedTransition = { readonly name: string; readonly field: string; readonly state: string }

/** It names the state only where every record shows it. */
function transitionError(resource: Resource, { name, field, state }: RefusedTransition): ApiError {
  const what = `Cannot ${name} this ${inSentence(resource.label)}`
  if (resource.partlyShown.includes(field)) return new ApiError('conflict', `${what} in its present state`)
  const allowed = Object.entries(resource.transitions).filter(([, { transition }]) => transition.from.includes(state))
  const names = allowed.map(([one]) => one).join(', ')
  const rest = names === '' ? 'nothing more is allowed' : `allowed: ${names}`
  return new ApiError('conflict', `${what}, it is ${state}; ${rest}`)
}

async function makeTransition(
  tx: RecordTransaction,
  target: { resource: Resource; name: string; field: string; transition: Transition; record: Row },
  before: () => Promise<Values | undefined>,
): Promise<Row> {
  const { resource, name, field, transition, record } = target
  const state = record[field] as string
  if (transition.repeatable && state === transition.to) return record
  if (!transition.from.includes(state)) throw transitionError(resource, { name, field, state })
  const time = transition.stamp ? { [transition.stamp]: tx.defaults.now } : {}
  return tx.change(resource, record, { ...(await before()), [field]: transition.to, ...time })
}

function contextOf(
  { engine, tx, call }: Pick<ActContext, 'engine' | 'tx'> & { readonly call: GuardedCall },
  { resource, record, input, caller }: Omit<ActionCall, 'name'>,
): ActionContext {
  const context = tx.defaults
  const tenants = tx.codeTenants({ resource, row: record })
  return {
    record,
    input,
    caller,
    ...guardedParts({ tx, records: tx.codeRecords(tenants), tenants }, call),
    now: context.now,
    settings: engine.settings,
    refuse: refuseInCode,
  }
}

/**
 * Makes the transition and does the work. A record that is in the target state of a repeatable one
 * is returned as it is.
 */
export async function runAction(acting: Pick<ActContext, 'engine' | 'tx'>, taking: ActionCall): Promise<ActionResult> {
  const { resource, name, record } = taking
  const { engine, tx } = acting
  const found = resource.transitions[name]
  const input = filledIn(resource.actions[name]?.input ?? {}, taking.input, tx.defaults)
  const before = () => runActionHook({ guard: engine.guard, tx, resource, action: name, previous: record, input })
  const own = found ? undefined : await before()
  const changed = found
    ? await makeTransition(tx, { resource, name, ...found, record }, before)
    : await (own ? tx.change(resource, record, own) : record)
  if (found && changed === record) return { record, returned: undefined }
  const action = resource.actions[name]
  if (!action) return { record: changed, returned: undefined }
  const { limitMs = limitMsDefault, job } = action
  const code = { place: `${resource.writtenIn}: ${resource.name}: actions.${name}`, limitMs, elsewhere: 'an effect' }
  const returned: unknown = await engine.guard.run(code, (call): unknown => {
    const given = contextOf({ ...acting, call }, { ...taking, input, record: changed })
    return job ? addJobOf(job, given) : action.run(given as never)
  })
  return { record: changed, returned }
}

/** The console has no user either. */
function callerOf({ principal, asking }: Permitted, { lowest }: Roles): ActionContext['caller'] {
  const author = authorOf(principal, asking)
  if (principal.kind !== 'user') return knownCaller({ userId: null, role: lowest, isTrusted: false }, author)
  const { userId, role, via } = principal
  const isTrusted = via === 'console'
  return knownCaller({ userId: isTrusted ? userId || null : userId, role, isTrusted }, author)
}

/**
 * The record of this id that exists for the caller. An action may be sent the id of a record of
 * another tenant, and return it: that is no record of the caller's.
 */
async function findReturned({ engine, permitted, tx }: ActContext, target: Resource, id: Scalar): Promise<Row> {
  const { operation, principal } = permitted
  const scope = engine.policy.scopeOf(principal, target)
  const found = await tx.find(target, all(equal(target.idField, id), scope))
  if (found) return found.row
  if (scope.kind !== 'true') throw notFound(target, 'get')
  throw new Error(`action ${operation.action} of ${operation.resource.name} returned the id of no ${target.name}`)
}

/** The result of an action of the engine itself, as the operation shows it. */
async function resultOf(
  { engine, permitted, tx }: ActContext,
  acted: EngineActionResult,
): Promise<RecordResult | OutputResult> {
  if (acted.output) return { kind: 'output', values: acted.output }
  const { record, created = false, revealed, resource = permitted.operation.resource } = acted
  const [completed] = await completeRecords({ engine, reader: tx, permitted }, resource, [record])
  return { kind: 'record', resource, record: completed as Row, created, ...(revealed && { revealed }) }
}

/** The rules of fields and the steps of an update hold for the values that differ. */
async function changeAsAsked(acting: ActContext, before: Row, given: DraftValues): Promise<Row> {
  const { engine, permitted, tx } = acting
  const { resource } = permitted.operation
  const values = await readableChanges(acting, before, given)
  const stages = makeRequestStageRunner(engine, permitted)
  await checkChangedFields({ engine, reader: tx }, permitted, { before, values })
  await stages.check(values, before)
  await stages.locked(tx, before, values)
  return tx.change(resource, before, values)
}

/** The values of an action with an output. Throws an `Error` where one is missing. */
function outputOf(output: Fields, returned: unknown, where: string): OutputResult {
  try {
    return { kind: 'output', values: representFields(output, returned) }
  } catch (cause) {
    throw new Error(`${where} returned something else than its output: ${(cause as Error).message}`, { cause })
  }
}

async function performIn(acting: ActContext): Promise<RecordResult | OutputResult> {
  const { engine, permitted, tx } = acting
  const { operation } = permitted
  const { resource, action: name, input } = operation
  const action = resource.actions[name]
  const stages = makeRequestStageRunner(engine, permitted)
  await stages.begin(tx)
  const before = await lockForWrite({ engine, tx }, permitted)
  await stages.acting(tx, before)
  const own = engine.actions.get(action?.run)
  if (own)
    return resultOf(
      acting,
      await own.work({
        tx,
        requested: requestedWriteOf(engine, permitted),
        record: before,
        input,
        change: (values) => changeAsAsked(acting, before, values),
      }),
    )
  const { record, returned } = await runAction(acting, {
    resource,
    name,
    record: before,
    input,
    caller: callerOf(permitted, engine.catalog.roles),
  })
  if (action?.job) return answerWithJob(tx, returned as AddedJob)
  if (action?.output) return outputOf(action.output, returned, `action ${name} of ${resource.name}`)
  if (record === before && resource.transitions[name])
    return {
      kind: 'record',
      resource,
      record: (await completeRecords({ engine, reader: tx, permitted }, resource, [record]))[0] as Row,
      created: false,
    }
  const target = action?.returns ? engine.catalog.get(action.returns) : resource
  const id = returned ?? record[target.idField]
  const found = await findReturned(acting, target, id as Scalar)
  const [completed] = await completeRecords({ engine, reader: tx, permitted }, target, [found])
  return { kind: 'record', resource: target, record: completed as Row, created: action?.creates ?? false }
}

export async function performAct(
  engine: Engine,
  permitted: Permitted<ActOperation>,
): Promise<RecordResult | OutputResult> {
  await makeSingles(engine, permitted)
  const run = () => writePermitted(engine, permitted, (tx) => performIn({ engine, permitted, tx }))
  const { resource, action } = permitted.operation
  const around = engine.actions.get(resource.actions[action]?.run)?.around
  if (!around) return run()
  const { input } = permitted.operation
  return around({ ...requestedWriteOf(engine, permitted), input }, () => judgeBeforeTransaction(engine, permitted), run)
}
