/** Actions: state moves, and the declaration's own code, in one transaction with the record locked. */
import { ApiError } from '../errors.ts'
import { defaultOf, useDefault } from '../operation/body.ts'
import type { ActOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Acted } from '../record/asked.ts'
import { boundRecords } from '../record/bound-records.ts'
import type { Writing } from '../record/records.ts'
import type { ActionContext } from '../resource/action.ts'
import type { Resource } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { Move } from '../resource/fields/move.ts'
import type { Principal } from '../resource/principal.ts'
import type { Roles } from '../resource/rules/roles.ts'
import { inSentence } from '../resource/words/names.ts'
import type { Row } from '../storage/storage.ts'
import { askedOf, askedWrite } from './asked-write.ts'
import type { Engine } from './engine.ts'
import { complete } from './read/read.ts'
import type { RecordResult } from './result.ts'
import { makeSingles } from './single.ts'
import { judgeOutside, lockForWrite } from './write.ts'
import { writePermitted } from './write-transaction.ts'

export type Acting = { readonly engine: Engine; readonly permitted: Permitted<ActOperation>; readonly writing: Writing }

/** One action on a locked record. `input`: its checked values; `caller`: who asks, if anybody does. */
export type Taking = {
  readonly resource: Resource
  readonly name: string
  readonly record: Row
  readonly input: Readonly<Record<string, unknown>>
  readonly caller: ActionContext['caller']
}
type Taken = { readonly record: Row; readonly returned: unknown }

function moveError(resource: Resource, name: string, state: string): ApiError {
  const allowed = Object.entries(resource.moves).filter(([, { move }]) => move.from.includes(state))
  const names = allowed.map(([one]) => one).join(', ')
  const rest = names === '' ? 'nothing more is allowed' : `allowed: ${names}`
  return new ApiError('conflict', `Cannot ${name} this ${inSentence(resource.label)}, it is ${state}; ${rest}`)
}

async function makeMove(
  writing: Writing,
  target: { resource: Resource; name: string; field: string; move: Move; record: Row },
): Promise<Row> {
  const { resource, name, field, move, record } = target
  const state = record[field] as string
  if (move.repeatable && state === move.to) return record
  if (!move.from.includes(state)) throw moveError(resource, name, state)
  const time = move.stamp ? { [move.stamp]: writing.defaults.now } : {}
  return writing.change(resource, record, { [field]: move.to, ...time })
}

function contextOf(
  { engine, writing }: Pick<Acting, 'engine' | 'writing'>,
  { resource, name: action, record, input: sent, caller }: Taking,
): ActionContext {
  const context = writing.defaults
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(sent)) {
    const field = resource.actions[action]?.input?.[name]
    input[name] = value === useDefault && field ? defaultOf(field, context) : value
  }
  return {
    record,
    input,
    caller,
    records: boundRecords(writing) as ActionContext['records'],
    now: context.now,
    settings: engine.settings,
    refuse(sentence) {
      throw new ApiError('conflict', sentence)
    },
  }
}

/** Makes the move and does the work. A record that is where a repeatable move leads already is returned as it is. */
export async function takeAction(acting: Pick<Acting, 'engine' | 'writing'>, taking: Taking): Promise<Taken> {
  const { resource, name, record } = taking
  const moves = resource.moves[name]
  const moved = moves ? await makeMove(acting.writing, { resource, name, ...moves, record }) : record
  if (moves && moved === record) return { record, returned: undefined }
  const action = resource.actions[name]
  const returned: unknown = action
    ? await action.run(contextOf(acting, { ...taking, record: moved }) as never)
    : undefined
  return { record: moved, returned }
}

/** The console has no user either. */
function callerOf(principal: Principal, { lowest }: Roles): ActionContext['caller'] {
  if (principal.kind !== 'user') return { userId: null, role: lowest }
  const { userId, role, via } = principal
  return { userId: via === 'console' ? userId || null : userId, role }
}

/** The result of an action of the engine itself, as the operation shows it. */
async function resultOf({ engine, permitted, writing }: Acting, acted: Acted): Promise<RecordResult> {
  const { resource } = permitted.operation
  const { record, created = false, revealed } = acted
  const [completed] = await complete({ engine, reader: writing, permitted }, resource, [record])
  return { kind: 'record', resource, record: completed as Row, created, ...(revealed && { revealed }) }
}

async function performIn(acting: Acting): Promise<RecordResult> {
  const { engine, permitted, writing } = acting
  const { operation, principal } = permitted
  const { resource, action: name, input } = operation
  const action = resource.actions[name]
  await askedWrite(engine, permitted).begin(writing)
  const before = await lockForWrite({ engine, writing }, permitted)
  const own = engine.actions.get(action?.run)
  if (own)
    return resultOf(acting, await own.work({ writing, asked: askedOf(engine, permitted), record: before, input }))
  const { record, returned } = await takeAction(acting, {
    resource,
    name,
    record: before,
    input,
    caller: callerOf(principal, engine.catalog.roles),
  })
  if (record === before && resource.moves[name])
    return {
      kind: 'record',
      resource,
      record: (await complete({ engine, reader: writing, permitted }, resource, [record]))[0] as Row,
      created: false,
    }
  const target = action?.returns ? engine.catalog.get(action.returns) : resource
  const id = returned ?? record[target.idField]
  const found = await writing.find(target, equal(target.idField, id as Scalar))
  if (!found) throw new Error(`action ${name} of ${resource.name} returned the id of no ${target.name}`)
  const [completed] = await complete({ engine, reader: writing, permitted }, target, [found.row])
  return { kind: 'record', resource: target, record: completed as Row, created: action?.creates ?? false }
}

export async function performAct(engine: Engine, permitted: Permitted<ActOperation>): Promise<RecordResult> {
  await makeSingles(engine, permitted)
  const run = () => writePermitted(engine, permitted, (writing) => performIn({ engine, permitted, writing }))
  const { resource, action } = permitted.operation
  const around = engine.actions.get(resource.actions[action]?.run)?.around
  if (!around) return run()
  const { input } = permitted.operation
  return around({ ...askedOf(engine, permitted), input }, () => judgeOutside(engine, permitted), run)
}
