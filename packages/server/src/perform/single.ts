/**
 * Single records: the one that every parent has, such as a user's cart, and the only one of a
 * resource or of a tenant (`single: true`). The server makes it when a caller for whom it would
 * exist first requests it.
 */
import { ApiError } from '../errors.ts'
import { notFound } from '../operation/not-found.ts'
import type { Operation } from '../operation/operation.ts'
import type { ResultRule } from '../operation/result-rule.ts'
import type { Permitted } from '../policy/policy.ts'
import { authorOf } from '../record/author.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import { isMadeWithParent } from '../resource/relations/on-single.ts'
import { ownTenantField } from '../resource/tenancy/scope-resource.ts'
import type { Reader, Row, Values } from '../storage/storage.ts'
import type { Engine } from './engine.ts'
import { joinTransaction } from './join-transaction.ts'
import { isSingleByPath, resolveUnder, whereOf } from './read/find.ts'

type SingleCreation = {
  readonly resource: Resource
  readonly values: Values
  readonly where: Condition
}

/**
 * Throws `not-found`, and makes none, where the caller could not read it: `where` is what exists
 * for the caller.
 */
function make(tx: RecordTransaction, { resource, values, where }: SingleCreation): Promise<Row> {
  const refusal = () => notFound(resource, 'get')
  const rule: ResultRule = { resource, where, refusal, heldBefore: false, namesPrevious: false }
  return tx.judged(rule, async (judged) => judged.insert(await judged.prepare(resource, values)))
}

/** The values that make it the one of its parent, or of its tenant. */
async function keyOf(tx: RecordTransaction, { operation, principal, steps }: Permitted): Promise<Values> {
  const { under, resource } = operation
  if (under) {
    const { by, parent } = await resolveUnder(tx, under, steps)
    return { [by]: parent[(under.steps.at(-1)?.resource as Resource).idField] }
  }
  const own = ownTenantField(resource)
  if (own === undefined) return {}
  // A caller without a tenant finds none.
  if (!principal.tenant) throw notFound(resource, 'get')
  return { [own]: principal.tenant.id }
}

/**
 * Makes the single record of the operation itself, or returns the one that a concurrent request
 * made first.
 */
export async function makeSingle(engine: Engine, permitted: Permitted, where: Condition): Promise<Row | undefined> {
  const { operation, principal, read } = permitted
  const { resource, under } = operation
  if (under ? !isMadeWithParent({ resource, by: under.by }) : !isSingleByPath(operation)) return undefined
  const reread = async (reader: Reader) => (await reader.find(resource, where))?.row
  try {
    return await engine.records.transaction(authorOf(principal), async (tx) => {
      const values = await keyOf(tx, permitted)
      const known = await reread(tx)
      return known ?? make(tx, { resource, values, where: read })
    })
  } catch (error) {
    const made = error instanceof ApiError && error.code === 'conflict' ? await reread(engine.storage) : undefined
    if (made) return made
    throw error
  }
}

/**
 * Makes the single records among the steps above an operation, so that a first item finds its cart.
 */
export async function makeSinglesAbove(engine: Engine, permitted: Permitted<Operation>): Promise<void> {
  const { operation, steps } = permitted
  const at = operation.under?.steps.findIndex((step) => step.id === undefined) ?? -1
  if (!operation.under || at < 1) return
  const step = operation.under.steps[at]
  if (!step?.by || !isMadeWithParent({ resource: step.resource, by: step.by })) return
  const under = { steps: operation.under.steps.slice(0, at), by: step.by }
  const { condition } = await resolveUnder(engine.storage, under, steps)
  if (await engine.storage.find(step.resource, condition)) return
  await makeSingle(engine, engine.policy.narrow(permitted, at), condition)
}

type Single = Permitted<Operation & { readonly id: string | undefined }>

/**
 * Makes the single record that an operation names by its path alone, and those above it. A write
 * then finds every record that a read would find.
 */
export async function makeSingles(engine: Engine, permitted: Single): Promise<void> {
  await makeSinglesAbove(engine, permitted)
  if (permitted.operation.id !== undefined) return
  const where = await whereOf(engine.storage, permitted)
  if (!(await engine.storage.find(permitted.operation.resource, where))) await makeSingle(engine, permitted, where)
}

/** Whether an operation may have to make one first. */
export function needsSingle(operation: Operation): boolean {
  const { under } = operation
  const isSingle = 'id' in operation && operation.id === undefined
  if (isSingleByPath(operation)) return true
  return under !== undefined && (isSingle || under.steps.slice(1).some((step) => step.id === undefined))
}

/** Rolls back single records that were made for an explanation. */
class Undone extends Error {}

/** Makes the single records that the operation itself would make. */
async function makeNeeded(engine: Engine, permitted: Permitted): Promise<void> {
  const { operation } = permitted
  switch (operation.kind) {
    case 'create':
      return makeSinglesAbove(engine, permitted)
    case 'get':
    case 'replace':
    case 'update':
    case 'delete':
      return operation.id === undefined ? makeSingles(engine, permitted as Single) : undefined
    case 'act':
      return makeSingles(engine, permitted as Single)
    case 'list':
    case 'summary':
    case 'difference':
    case 'export':
    case 'import':
  }
}

/** Does the work with the single records that the operation would make, and undoes them. */
export async function withSingles<T>(
  engine: Engine,
  permitted: Permitted,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const { operation, principal } = permitted
  if (!needsSingle(operation)) return work(engine)
  const done: { value?: T } = {}
  try {
    await engine.records.transaction({ ...authorOf(principal), dry: 'undone' }, async (tx) => {
      const joined = joinTransaction(engine, tx).engine
      await makeNeeded(joined, permitted)
      done.value = await work(joined)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
  return done.value as T
}

const expected: ReadonlySet<string> = new Set(['conflict', 'bad-request', 'not-found'])
/** Transactions of one read that wait at once. */
const makingMax = 20

type MissingSingle = { readonly resource: Resource; readonly by: string; readonly ids: ReadonlySet<unknown> }

/** Makes the single records that these parents do not have yet, where the caller may see them. */
export async function makeMissing(
  engine: Engine,
  principal: Principal,
  { resource, by, ids }: MissingSingle,
): Promise<void> {
  const { where } = engine.policy.viewOfChildren(principal, resource)
  if (ids.size === 0 || where.kind === 'false' || !isMadeWithParent({ resource, by })) return
  const among: Condition = { kind: 'in', field: by, values: [...ids] as Scalar[] }
  const known = await engine.storage.list(resource, { where: among, sort: [], limit: ids.size })
  const having = new Set(known.map((row) => row[by]))
  const makeOne = async (id: unknown) => {
    try {
      await engine.records.transaction(authorOf(principal), (tx) => make(tx, { resource, values: { [by]: id }, where }))
    } catch (error) {
      // Another request made it first, the parent has gone, or it is not for the caller.
      if (!(error instanceof ApiError) || !expected.has(error.code)) throw error
    }
  }
  const missing = [...ids].filter((id) => !having.has(id))
  for (let at = 0; at < missing.length; at += makingMax)
    await Promise.all(missing.slice(at, at + makingMax).map(makeOne))
}
