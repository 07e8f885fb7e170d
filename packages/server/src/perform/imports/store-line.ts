/**
 * Stores one line of an import: it changes the record that it names, or creates one. A line with
 * the values of a record changes nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import { checkBody } from '../../operation/body.ts'
import { notFound } from '../../operation/not-found.ts'
import type { ImportOperation, RecordBody } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition } from '../../resource/condition.ts'
import type { DefaultContext, Field } from '../../resource/fields/field.ts'
import { takesValues } from '../../resource/fields/field-facts.ts'
import { namesNeighbour } from '../../resource/fields/places/place-change.ts'
import { isAtConsole } from '../../resource/principal.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import type { Row } from '../../storage/storage.ts'
import { checkChangedFields } from '../changed-fields.ts'
import { createOne, prepareOne } from '../create.ts'
import type { Engine } from '../engine.ts'
import { completeRecords } from '../read/read.ts'
import { type GivePrepared, givesNothing, type RequestStageRunner } from '../request-stages.ts'
import { checkFixed, type DraftValues, resolveDefaults } from '../values.ts'
import type { PendingInserts } from './pending-inserts.ts'
import { idOfLine, keyOfLine } from './record-of-line.ts'

export type LineContext = {
  permitted: Permitted<ImportOperation>
  stages: RequestStageRunner
  readonly engine: Engine
}
/** `before`: the record that the line changes; undefined where it makes one. */
export type PreparedLine = { readonly isNew: boolean; readonly give: GivePrepared }
export type LineBatch = { readonly tx: RecordTransaction; readonly pending: PendingInserts | undefined }

/**
 * The stored value of a record without a value of this field, which is required and which no export
 * holds.
 */
function withoutValue(resource: Resource, name: string): string | undefined {
  return resource.fields[name]?.type.withoutValue
}

/**
 * The operator at the console imports records that were exported elsewhere, and may restore their
 * ids, times and references.
 */
function restoredValues(
  permitted: Permitted,
  input: Record<string, unknown>,
): { restored: DraftValues; rest: Record<string, unknown> } {
  const { resource } = permitted.operation
  if (!isAtConsole(permitted.principal)) return { restored: {}, rest: input }
  const restored: DraftValues = {}
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    const field = Object.hasOwn(resource.fields, name) ? (resource.fields[name] as Field) : undefined
    // Recomputed from the values that it follows.
    if (field && (!takesValues(field) || field.counted || field.computed)) continue
    if (!field?.setBy || !permitted.visible.has(name)) rest[name] = value
    else if (value !== null) restored[name] = field.type.check(value, name, field)
    else if (field.nullable) restored[name] = null
  }
  return { restored, rest }
}

/** The values of a line that changes a record. Throws `bad-request`. */
export function changesOfLine(
  permitted: Permitted<ImportOperation>,
  input: Record<string, unknown>,
  defaults: DefaultContext,
): { readonly body: RecordBody; readonly values: DraftValues } {
  const { visible, visibleWhere, operation } = permitted
  const { resource } = operation
  const { restored, rest } = restoredValues(permitted, input)
  if (resource.updatedField) delete restored[resource.updatedField]
  const body = checkBody({ resource, kind: 'update', visible, visibleWhere, isLine: true }, rest)
  return { body, values: { ...resolveDefaults(resource, body, defaults), ...restored } }
}

/** The values of a line that makes a record, and the fields that no export holds. */
export function valuesOfLine(
  permitted: Permitted<ImportOperation>,
  input: Record<string, unknown>,
  defaults: DefaultContext,
): { readonly values: DraftValues; readonly missing: readonly string[] } {
  const { visible, visibleWhere, operation } = permitted
  const { resource } = operation
  const { restored, rest } = restoredValues(permitted, input)
  // An export holds no secrets: what is imported without one is of no use for that until it is set.
  const missing = resource.requiredNames.filter(
    (name) =>
      isAtConsole(permitted.principal) && withoutValue(resource, name) !== undefined && rest[name] === undefined,
  )
  const stand = Object.fromEntries(missing.map((name) => [name, 'a value that is not stored']))
  const body = checkBody({ resource, kind: 'create', visible, visibleWhere }, { ...rest, ...stand })
  const values = { ...resolveDefaults(resource, body, defaults), ...restored }
  for (const name of missing) delete values[name]
  return { values, missing }
}

type LineWrite = { readonly tx: RecordTransaction; readonly give: GivePrepared }

/**
 * Writes only what differs: importing a file again changes nothing, and importing an export leaves
 * its source records untouched.
 */
async function change(
  { engine, permitted, stages }: LineContext,
  { tx, give }: LineWrite,
  { before, input }: { readonly before: Row; readonly input: Record<string, unknown> },
): Promise<void> {
  const { resource } = permitted.operation
  const { body, values } = changesOfLine(permitted, input, tx.defaults)
  const [shown] = await completeRecords({ engine, reader: tx, permitted }, resource, [before])
  checkFixed(resource, body, shown as Row)
  await checkChangedFields({ engine, reader: tx }, permitted, { before, values })
  await stages.check(values, before)
  await stages.locked(tx, before, values)
  const same = resource.linkNames.length === 0 ? [] : await tx.sameLinks(resource, before, values)
  const changed = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !same.includes(name) && !isDeepStrictEqual(value, before[name])),
  )
  if (Object.keys(changed).length === 0) return
  await stages.work({ values: changed, before })
  await give(tx, before).change(resource, before, changed)
}

/** Stores a new record, or queues it with others of the batch. */
async function create(
  { engine, permitted, stages }: LineContext,
  { tx, pending, give }: LineBatch & LineWrite,
  input: Record<string, unknown>,
): Promise<void> {
  const { resource } = permitted.operation
  const { values, missing } = valuesOfLine(permitted, input, tx.defaults)
  await stages.check(values)
  await stages.work({ values })
  for (const name of missing) values[name] = withoutValue(resource, name)
  if (!pending) return void (await createOne(permitted, { engine, tx, stages, give }, values))
  // The record beside it may be one of those that wait.
  if (resource.placed && namesNeighbour(values[resource.placed.name])) await pending.store()
  pending.add(await prepareOne(permitted, tx, values))
}

/** The line of the only record, or of that of a tenant, whatever id it had elsewhere. */
function ofSingle(resource: Resource, { [resource.idField]: _, ...input }: Record<string, unknown>) {
  const own = ownTenantField(resource)
  return { on: own === undefined ? [] : [own], input }
}

type AimedLine = {
  readonly input: Record<string, unknown>
  readonly sentId: unknown
  /** Undefined for a line that names no record. */
  readonly where: Condition | undefined
}

/** The record that the line names. Throws `bad-request`. */
export function aimOfLine(permitted: Permitted<ImportOperation>, line: Record<string, unknown>): AimedLine {
  const { operation } = permitted
  const { resource } = operation
  const { on, input } = resource.single ? ofSingle(resource, line) : { on: operation.on, input: line }
  const sentId = input[resource.idField]
  if (sentId === undefined && !on) return { input, sentId, where: undefined }
  const where = sentId === undefined ? keyOfLine(permitted, { key: on ?? [], input }) : idOfLine(resource, sentId)
  return { input, sentId, where }
}

/** A line before it in the file, or another request, has made the record or removed it. */
export class OvertakenLineError extends ApiError {}

function giveOf(prepared: PreparedLine | undefined, isNew: boolean): GivePrepared {
  if (prepared && prepared.isNew !== isNew)
    throw new OvertakenLineError('conflict', 'The record of this line has come or gone: import the line again')
  return prepared?.give ?? givesNothing
}

/** Throws what is wrong with the line, or with storing it. */
export async function storeLine(
  importing: LineContext,
  batch: LineBatch,
  { line, prepared }: { readonly line: Record<string, unknown>; readonly prepared?: PreparedLine | undefined },
): Promise<'created' | 'updated'> {
  const { read, write, refusal, operation } = importing.permitted
  const { resource } = operation
  const { input, sentId, where } = aimOfLine(importing.permitted, line)
  const creating = async (): Promise<'created'> => {
    await create(importing, { ...batch, give: giveOf(prepared, true) }, input)
    return 'created'
  }
  if (!where) return creating()
  const mayWait = sentId === undefined ? batch.pending?.mayHoldKey(input) : batch.pending?.mayHold(sentId)
  if (mayWait) await batch.pending?.store()
  const found = await batch.tx.lock(resource, all(where, read), { test: write })
  if (found) {
    if (!found.passes) throw refusal()
    await batch.pending?.store() // earlier lines must not take a unique key that this change frees
    await change(importing, { tx: batch.tx, give: giveOf(prepared, false) }, { before: found.row, input })
    return 'updated'
  }
  if (sentId !== undefined && !isAtConsole(importing.permitted.principal)) throw notFound(resource, 'update')
  return creating()
}
