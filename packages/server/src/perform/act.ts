/** Actions: state moves, and work of the declaration's own, in one transaction with the record locked. */
import { ApiError } from '../errors.ts'
import { defaultOf, useDefault } from '../operation/body.ts'
import type { ActOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { ActionContext, Records } from '../resource/action.ts'
import type { Resource } from '../resource/catalog.ts'
import { equal, matching, type Scalar } from '../resource/condition.ts'
import type { Move } from '../resource/fields/field.ts'
import { inSentence } from '../resource/names.ts'
import type { Row, Transaction } from '../storage/storage.ts'
import type { Engine } from './engine.ts'
import { notFound, whereOf } from './find.ts'
import { complete } from './read.ts'
import type { RecordResult } from './result.ts'
import { makeSingle, makeSinglesAbove } from './single.ts'
import { touchParents } from './touch.ts'
import { applyFollowing, type Draft, defaultContext, initialValue } from './values.ts'
import { changeOne, lockForWrite } from './write.ts'

const listMax = 10_000

/** The door of an action to one resource. No rule is asked here: the action itself was permitted. */
function recordsOf(engine: Engine, permitted: Permitted, transaction: Transaction, resource: Resource): Records {
  const byId = (id: unknown) => equal(resource.idField, id as Scalar)
  const get = async (id: unknown): Promise<Row> => {
    const found = await transaction.lock(resource, byId(id))
    if (!found) throw notFound(resource, 'get')
    return found.row
  }
  return {
    get,
    async list(values) {
      const sort = [{ field: resource.idField, descending: false }]
      const rows = await transaction.lockAll(resource, { where: matching(values), sort, limit: listMax + 1 })
      if (rows.length > listMax)
        throw new ApiError('conflict', `More than ${listMax} records of ${resource.plural}: too many for one action`)
      return rows
    },
    async create(values) {
      const context = defaultContext(engine, permitted)
      const draft: Draft = {}
      for (const name of resource.storedNames) {
        const field = resource.fields[name]
        if (field) draft[name] = Object.hasOwn(values, name) ? values[name] : initialValue(field, context)
      }
      if (resource.fields[resource.idField]?.type.column === 'text') draft[resource.idField] ??= engine.makeId()
      applyFollowing(resource, draft)
      const row = await transaction.insert(resource, draft)
      await touchParents(engine, transaction, resource, row)
      return row
    },
    update: async (id, changes) => changeOne(engine, transaction, resource, await get(id), { ...changes }),
    async deleteWhere(values) {
      const sort = [{ field: resource.idField, descending: false }]
      const rows = await transaction.lockAll(resource, { where: matching(values), sort, limit: listMax })
      const count = await transaction.deleteWhere(resource, matching(values))
      const parents = new Map(
        rows.map((row) => [
          JSON.stringify(resource.storedNames.map((n) => resource.fields[n]?.reference?.touch && row[n])),
          row,
        ]),
      )
      for (const row of parents.values()) await touchParents(engine, transaction, resource, row)
      return count
    },
  }
}

function moveError(resource: Resource, name: string, state: string): ApiError {
  const allowed = Object.entries(resource.moves).filter(([, { move }]) => move.from.includes(state))
  const names = allowed.map(([one]) => one).join(', ')
  const rest = names === '' ? 'nothing more is allowed' : `allowed: ${names}`
  return new ApiError('conflict', `Cannot ${name} this ${inSentence(resource.label)}, it is ${state}; ${rest}`)
}

async function makeMove(
  engine: Engine,
  transaction: Transaction,
  target: { resource: Resource; name: string; field: string; move: Move; record: Row },
): Promise<Row> {
  const { resource, name, field, move, record } = target
  const state = record[field] as string
  if (move.repeatable && state === move.to) return record
  if (!move.from.includes(state)) throw moveError(resource, name, state)
  const stamp = move.stamp ? { [move.stamp]: new Date(engine.clock()).toISOString() } : {}
  return changeOne(engine, transaction, resource, record, { [field]: move.to, ...stamp })
}

function contextOf(
  engine: Engine,
  permitted: Permitted<ActOperation>,
  transaction: Transaction,
  record: Row,
): ActionContext {
  const { operation, principal } = permitted
  const context = defaultContext(engine, permitted)
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(operation.input)) {
    const field = operation.resource.actions[operation.action]?.input?.[name]
    input[name] = value === useDefault && field ? defaultOf(field, context) : value
  }
  return {
    record,
    input,
    caller: principal.kind === 'user' ? principal : { userId: '', role: 'USER' },
    records: ((declared: { name: string }) =>
      recordsOf(engine, permitted, transaction, engine.catalog.get(declared.name))) as ActionContext['records'],
    now: context.now,
    settings: engine.settings,
    refuse(sentence) {
      throw new ApiError('conflict', sentence)
    },
  }
}

async function performIn(
  engine: Engine,
  permitted: Permitted<ActOperation>,
  transaction: Transaction,
): Promise<RecordResult> {
  const { operation } = permitted
  const { resource, action: name } = operation
  const action = resource.actions[name]
  const moves = resource.moves[name]
  let record = await lockForWrite(transaction, permitted)
  if (moves) {
    const moved = await makeMove(engine, transaction, { resource, name, ...moves, record })
    if (moved === record)
      return {
        kind: 'record',
        resource,
        record: (await complete({ engine, reader: transaction, permitted }, resource, [record]))[0] as Row,
        created: false,
      }
    record = moved
  }
  const returned = action ? await action.run(contextOf(engine, permitted, transaction, record)) : undefined
  const target = action?.returns ? engine.catalog.get(action.returns) : resource
  const id = returned ?? record[target.idField]
  const found = await transaction.find(target, equal(target.idField, id as Scalar))
  if (!found) throw new Error(`action ${name} of ${resource.name} returned the id of no ${target.name}`)
  const [completed] = await complete({ engine, reader: transaction, permitted }, target, [found.row])
  return { kind: 'record', resource: target, record: completed as Row, created: action?.creates ?? false }
}

export async function performAct(engine: Engine, permitted: Permitted<ActOperation>): Promise<RecordResult> {
  await makeSinglesAbove(engine, permitted)
  if (permitted.operation.id === undefined) {
    const where = await whereOf(engine.storage, permitted)
    if (!(await engine.storage.find(permitted.operation.resource, where))) await makeSingle(engine, permitted, where)
  }
  return engine.storage.transaction((transaction) => performIn(engine, permitted, transaction))
}
