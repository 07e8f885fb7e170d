/**
 * Creates records: the values of the body, and those that the path and the caller add. `record/`
 * adds ids, times and defaults. The database decides conflicts by its unique keys.
 */
import { ApiError } from '../errors.ts'
import type { CreateOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { PreparedRecord } from '../record/prepared-record.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import { isAtConsole } from '../resource/principal.ts'
import { conflictOver, type Row } from '../storage/storage.ts'
import { checkSetFields } from './changed-fields.ts'
import type { Engine } from './engine.ts'
import { resolveUnder } from './read/find.ts'
import { completeRecords } from './read/read.ts'
import { type GivePrepared, givesNothing, makeRequestStageRunner, type RequestStageRunner } from './request-stages.ts'
import type { RecordResult } from './result.ts'
import { makeSinglesAbove } from './single.ts'
import { setTenant } from './tenant-of-new.ts'
import { checkGuarded, checkSameParent, type DraftValues, defaultContext, resolveDefaults } from './values.ts'
import { writePermitted } from './write-transaction.ts'

/**
 * The values of the body, with those that the path and the caller give a new record: its parent,
 * its owner.
 */
async function givenValues(permitted: Permitted, tx: RecordTransaction, sent: DraftValues): Promise<DraftValues> {
  const { operation, principal, steps } = permitted
  const { resource } = operation
  const values: DraftValues = { ...sent }
  for (const name of resource.storedNames) {
    if (resource.fields[name]?.setBy !== 'principal' || Object.hasOwn(sent, name)) continue
    // the console has no user id
    values[name] = (principal.kind === 'user' && principal.userId) || null
  }
  const found = operation.under && (await resolveUnder(tx, operation.under, steps))
  if (operation.under && found) {
    const { by, parent } = found
    const above = operation.under.steps.at(-1)?.resource as Resource
    checkSameParent(sent, by, parent[above.idField])
    values[by] = parent[above.idField]
  }
  if (resource.scope) setTenant(permitted, { catalog: tx.catalog, values }, found)
  return values
}

/**
 * The record with the same unique fields, when the declaration adds to it instead of refusing
 * (`addOnCreate`).
 */
async function findSame(tx: RecordTransaction, { resource, values }: PreparedRecord): Promise<Row | undefined> {
  if (resource.addOnCreate.length === 0) return undefined
  for (const key of resource.unique) {
    if (key.some((name) => (values[name] ?? null) === null)) continue // it is like no other
    const found = await tx.lock(resource, all(...key.map((name) => equal(name, values[name] as Scalar))))
    if (found) return found.row
  }
  return undefined
}

function addTo(tx: RecordTransaction, row: Row, { resource, values }: PreparedRecord): Promise<Row> {
  const sums = resource.addOnCreate.map((name) => [name, (row[name] as number) + (values[name] as number)])
  return tx.change(resource, row, Object.fromEntries(sums))
}

/** A new record that is not stored yet; `sent` holds values that were checked and worked on. */
export async function prepareOne(
  permitted: Permitted,
  tx: RecordTransaction,
  sent: DraftValues,
): Promise<PreparedRecord> {
  checkGuarded(permitted, sent, undefined)
  return tx.prepare(permitted.operation.resource, await givenValues(permitted, tx, sent))
}

/**
 * Throws `conflict` where a record that shows such records in its own has as many as it may. The
 * operator may restore what there was.
 */
async function checkRoom(
  { principal }: Permitted,
  tx: RecordTransaction,
  { resource, values }: PreparedRecord,
): Promise<void> {
  if (isAtConsole(principal)) return
  for (const { resource: whole, by, max } of resource.embeddedIn) {
    const id = values[by] as Scalar | null | undefined
    if (id === null || id === undefined || (await tx.count(resource, equal(by, id))) < max) continue
    throw new ApiError('conflict', `${whole.label} has ${max} ${resource.plural}, which is the most that it may have`)
  }
}

type CreateContext = {
  readonly engine: Engine
  readonly tx: RecordTransaction
  readonly stages: RequestStageRunner
  readonly give?: GivePrepared
}

/**
 * Stores one new record inside a transaction; `sent` holds values that were checked and worked on.
 */
export async function createOne(
  permitted: Permitted,
  { engine, tx, stages, give = givesNothing }: CreateContext,
  sent: DraftValues,
): Promise<Row> {
  const prepared = await prepareOne(permitted, give(tx), sent)
  const same = await findSame(tx, prepared)
  if (same) {
    const added = await addTo(tx, same, prepared)
    await checkSetFields({ engine, reader: tx }, permitted, { row: added, sent })
    return added
  }
  await checkRoom(permitted, tx, prepared)
  const row = await tx.insert(prepared)
  await checkSetFields({ engine, reader: tx }, permitted, { row, sent })
  await stages.created(tx, row, sent)
  return row
}

/**
 * Only saves the work of a hash: the unique key decides, when the record is stored. Only callers
 * who may store the record learn of the conflict.
 */
async function refuseTaken(engine: Engine, { operation, result }: Permitted, sent: DraftValues): Promise<void> {
  if (result) return
  const { resource } = operation
  for (const key of resource.unique) {
    if (!key.every((name) => sent[name] !== undefined && sent[name] !== null)) continue
    const taken = await engine.storage.find(resource, all(...key.map((name) => equal(name, sent[name] as Scalar))))
    if (taken) throw conflictOver(resource, key)
  }
}

export async function performCreate(engine: Engine, permitted: Permitted<CreateOperation>): Promise<RecordResult> {
  const { resource, body } = permitted.operation
  const sent = resolveDefaults(resource, body, defaultContext(engine, permitted))
  checkGuarded(permitted, sent, undefined)
  const stages = makeRequestStageRunner(engine, permitted)
  await stages.check(sent)
  const give = await stages.prepare(sent)
  const revealed = await stages.work({ values: sent, first: () => refuseTaken(engine, permitted, sent) })
  await makeSinglesAbove(engine, permitted)
  return writePermitted(engine, permitted, async (tx) => {
    await stages.begin(tx)
    const row = await createOne(permitted, { engine, tx, stages, give }, sent)
    const [completed] = await completeRecords({ engine, reader: tx, permitted }, resource, [row])
    const record = completed as Row
    return { kind: 'record', resource, record, created: true, revealed }
  })
}
