/**
 * Create, replace, update, delete. The record is loaded and judged inside the transaction that changes it: not visible is not found,
 * visible but not allowed is forbidden, and nobody changes it between the judgement and the write.
 */
import { all, equal, type Scalar } from '../operation/condition.ts'
import type { ChangeOperation, CreateOperation, DeleteOperation, Operation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import { type Field, fieldError } from '../resource/fields/field.ts'
import { conflictOver, type Row, type Transaction } from '../storage/storage.ts'
import { afterSecretChange, checkCredentials, hashSecrets, makeTokens } from './credentials.ts'
import type { Engine } from './engine.ts'
import { notFound, resolveUnder, whereOf } from './find.ts'
import { complete } from './read.ts'
import type { NoResult, RecordResult } from './result.ts'
import { makeSinglesAbove } from './single.ts'
import {
  applyFollowing,
  checkFixed,
  checkGuarded,
  checkReferences,
  checkVersion,
  type Draft,
  defaultContext,
  initialValue,
  resolveDefaults,
} from './values.ts'

/** Every write to a child counts as one to the record that it is part of. */
export async function touchParents(
  engine: Engine,
  transaction: Transaction,
  resource: Resource,
  row: Row,
): Promise<void> {
  for (const name of resource.storedNames) {
    const reference = resource.fields[name]?.reference
    if (!reference?.touch || row[name] === null) continue
    const target = engine.catalog.get(reference.resource)
    const changes = target.updatedField ? { [target.updatedField]: new Date(engine.clock()).toISOString() } : {}
    await transaction.updateWhere(target, equal(target.idField, row[name] as Scalar), changes)
  }
}

/** What the engine sets on a new record: its id, its times, its parent, its owner. */
async function newRecord(engine: Engine, permitted: Permitted, transaction: Transaction, sent: Draft): Promise<Draft> {
  const { operation, principal, steps } = permitted
  const { resource } = operation
  const context = defaultContext(engine, permitted)
  const draft: Draft = {}
  for (const name of resource.storedNames) {
    const field = resource.fields[name] as Field
    if (Object.hasOwn(sent, name)) draft[name] = sent[name]
    else if (field.setBy === 'principal')
      draft[name] = (principal.kind === 'user' && principal.userId) || null // the console is nobody
    else draft[name] = initialValue(field, context)
  }
  if (resource.fields[resource.idField]?.type.column === 'text') draft[resource.idField] ??= engine.makeId()
  if (operation.under) {
    const { by, parent } = await resolveUnder(transaction, operation.under, steps)
    const above = operation.under.steps.at(-1)?.resource as Resource
    draft[by] = parent[above.idField]
  }
  return draft
}

/** The record whose unique fields the new one has, when the declaration adds instead of refusing. */
async function findSame(transaction: Transaction, resource: Resource, draft: Draft): Promise<Row | undefined> {
  if (resource.addOnCreate.length === 0) return undefined
  for (const key of resource.unique) {
    const found = await transaction.lock(resource, all(...key.map((name) => equal(name, draft[name] as Scalar))))
    if (found) return found.row
  }
  return undefined
}

async function addTo(transaction: Transaction, resource: Resource, row: Row, draft: Draft): Promise<Row> {
  const changes: Draft = {}
  for (const name of resource.addOnCreate) {
    const field = resource.fields[name] as Field
    changes[name] = field.type.check((row[name] as number) + (draft[name] as number), name, field)
  }
  return transaction.update(resource, row, changes)
}

/** Throws `bad-request` for a field that cannot be null, that the engine would have set from the path or the caller, and could not. */
function checkComplete(resource: Resource, draft: Draft): void {
  for (const name of resource.storedNames) {
    if ((draft[name] ?? null) !== null || name === resource.idField || resource.fields[name]?.nullable) continue
    throw fieldError(name, 'is required')
  }
}

/** One new record inside a transaction; `sent` are checked, hashed values. */
export async function createOne(
  engine: Engine,
  permitted: Permitted,
  transaction: Transaction,
  sent: Draft,
): Promise<Row> {
  const { resource } = permitted.operation
  checkGuarded(permitted, sent, undefined)
  const draft = await newRecord(engine, permitted, transaction, sent)
  applyFollowing(resource, draft)
  checkComplete(resource, draft)
  await checkReferences(engine, transaction, resource, sent)
  const same = await findSame(transaction, resource, draft)
  const row = same ? await addTo(transaction, resource, same, draft) : await transaction.insert(resource, draft)
  if (permitted.write.kind !== 'true') {
    const judged = await transaction.find(
      resource,
      equal(resource.idField, row[resource.idField] as Scalar),
      permitted.write,
    )
    if (!judged?.passes) throw permitted.refusal()
  }
  await touchParents(engine, transaction, resource, row)
  return row
}

/** Only to save the work of a hash: what decides is the unique key, when the record is stored. */
async function refuseTaken(engine: Engine, resource: Resource, sent: Draft): Promise<void> {
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
  checkCredentials(engine, permitted, sent)
  await hashSecrets(engine, resource, sent, () => refuseTaken(engine, resource, sent))
  const revealed = makeTokens(engine, resource, sent)
  await makeSinglesAbove(engine, permitted)
  const record = await engine.storage.transaction(async (transaction) => {
    const row = await createOne(engine, permitted, transaction, sent)
    const [completed] = await complete(engine, transaction, permitted, resource, [row])
    return completed as Row
  })
  return { kind: 'record', resource, record, created: true, revealed }
}

/** The record of a write, locked. Throws `not-found`, `forbidden`, `precondition-failed`. */
export async function lockForWrite(
  transaction: Transaction,
  permitted: Permitted<Operation & { id: string | undefined; ifVersion: readonly number[] | undefined }>,
): Promise<Row> {
  const { operation, read, write, refusal } = permitted
  const where = all(await whereOf(transaction, permitted), read)
  const found = await transaction.lock(operation.resource, where, write.kind === 'true' ? undefined : write)
  if (!found) throw notFound(operation.resource, operation.kind)
  if (!found.passes) throw refusal()
  checkVersion(found.row, operation.ifVersion)
  return found.row
}

/** The row with these values inside a transaction, with all that follows from them. */
export async function changeOne(
  engine: Engine,
  transaction: Transaction,
  resource: Resource,
  before: Row,
  values: Draft,
): Promise<Row> {
  const next: Draft = { ...before, ...values }
  applyFollowing(resource, next)
  if (resource.updatedField) next[resource.updatedField] = new Date(engine.clock()).toISOString()
  const changes: Draft = {}
  for (const name of resource.storedNames) {
    if (next[name] !== before[name]) changes[name] = next[name]
  }
  const row = await transaction.update(resource, before, changes)
  await touchParents(engine, transaction, resource, row)
  return row
}

export async function performChange(engine: Engine, permitted: Permitted<ChangeOperation>): Promise<RecordResult> {
  const { resource, body } = permitted.operation
  const sent = resolveDefaults(resource, body, defaultContext(engine, permitted))
  checkCredentials(engine, permitted, sent)
  await hashSecrets(engine, resource, sent)
  const record = await engine.storage.transaction(async (transaction) => {
    const before = await lockForWrite(transaction, permitted)
    if (body.fixed.size > 0) {
      const [shown] = await complete(
        engine,
        transaction,
        { ...permitted, operation: { ...permitted.operation, select: null } },
        resource,
        [before],
      )
      checkFixed(resource, body, shown as Row)
    }
    const values = { ...sent }
    checkGuarded(permitted, values, before)
    const changed = Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== before[name]))
    await checkReferences(engine, transaction, resource, changed)
    const row = await changeOne(engine, transaction, resource, before, values)
    await afterSecretChange(engine, permitted, transaction, row, sent)
    const [completed] = await complete(engine, transaction, permitted, resource, [row])
    return completed as Row
  })
  return { kind: 'record', resource, record, created: false }
}

/** What becomes of the records that refer to one that goes: some are deleted, the others lose the reference, and count it as a write. */
async function releaseReferences(transaction: Transaction, resource: Resource, id: Scalar): Promise<void> {
  for (const { resource: from, field, options } of resource.referencedBy) {
    const refers = equal(field, id)
    if (options.onDelete === 'delete') continue // the foreign key cascades
    if (typeof options.onDelete === 'object') {
      const conditions = Object.entries(options.onDelete.deleteWhere).map(([name, value]) => equal(name, value))
      await transaction.deleteWhere(from, all(refers, ...conditions))
    }
    await transaction.updateWhere(from, refers, { [field]: null })
  }
}

export async function deleteOne(engine: Engine, transaction: Transaction, resource: Resource, row: Row): Promise<void> {
  const id = row[resource.idField] as Scalar
  await releaseReferences(transaction, resource, id)
  await transaction.deleteWhere(resource, equal(resource.idField, id))
  await touchParents(engine, transaction, resource, row)
}

export async function performDelete(engine: Engine, permitted: Permitted<DeleteOperation>): Promise<NoResult> {
  const { resource } = permitted.operation
  await engine.storage.transaction(async (transaction) => {
    const row = await lockForWrite(transaction, permitted)
    await deleteOne(engine, transaction, resource, row)
  })
  return { kind: 'none' }
}
