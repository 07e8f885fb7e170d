/** New records: what was sent, what the engine sets, and the unique keys that decide. */

import type { CreateOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import { type Field, fieldError } from '../resource/fields/field.ts'
import { conflictOver, type Row, type Transaction } from '../storage/storage.ts'
import { checkCredentials, hashSecrets, makeTokens } from './credential-writes.ts'
import type { Engine } from './engine.ts'
import { resolveUnder } from './find.ts'
import { complete } from './read.ts'
import type { RecordResult } from './result.ts'
import { makeSinglesAbove } from './single.ts'
import { touchParents } from './touch.ts'
import {
  applyFollowing,
  checkGuarded,
  checkReferences,
  type Draft,
  defaultContext,
  initialValue,
  resolveDefaults,
} from './values.ts'

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

/** What is stored of a new record; `sent` are checked, hashed values. */
export async function draftOne(
  engine: Engine,
  permitted: Permitted,
  transaction: Transaction,
  sent: Draft,
): Promise<Draft> {
  const { resource } = permitted.operation
  checkGuarded(permitted, sent, undefined)
  const draft = await newRecord(engine, permitted, transaction, sent)
  applyFollowing(resource, draft)
  checkComplete(resource, draft)
  await checkReferences(engine, transaction, resource, sent)
  return draft
}

/** One new record inside a transaction; `sent` are checked, hashed values. */
export async function createOne(
  engine: Engine,
  permitted: Permitted,
  transaction: Transaction,
  sent: Draft,
): Promise<Row> {
  const { resource } = permitted.operation
  const draft = await draftOne(engine, permitted, transaction, sent)
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
    const [completed] = await complete({ engine, reader: transaction, permitted }, resource, [row])
    return completed as Row
  })
  return { kind: 'record', resource, record, created: true, revealed }
}
