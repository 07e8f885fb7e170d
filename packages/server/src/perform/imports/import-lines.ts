/**
 * Imports records line by line. Good lines are stored, several in one transaction; bad lines are
 * reported with their number and reason. A line with the id of a record changes that record, so an
 * export can be edited and imported again.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError, errorCodes } from '../../errors.ts'
import { checkBody, checkObject } from '../../operation/body.ts'
import { notFound } from '../../operation/not-found.ts'
import type { ImportLine, ImportOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, equal } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { takesValues } from '../../resource/fields/field-facts.ts'
import { isAtConsole } from '../../resource/principal.ts'
import type { Row } from '../../storage/storage.ts'
import { checkChangedFields } from '../changed-fields.ts'
import { createOne, prepareOne } from '../create.ts'
import type { Engine } from '../engine.ts'
import { judgeAgain } from '../judge-again.ts'
import { LostRightsError } from '../lost-rights.ts'
import { parseId } from '../read/find.ts'
import { completeRecords } from '../read/read.ts'
import { makeRequestStageRunner, type RequestStageRunner } from '../request-stages.ts'
import type { ImportProblem } from '../result.ts'
import { checkFixed, type DraftValues, resolveDefaults } from '../values.ts'
import { writePart } from '../write-transaction.ts'
import { makePendingInserts, type PendingInserts } from './pending-inserts.ts'
import { makeYieldWhenLong, type YieldWhenLong } from './yield-when-long.ts'

/** After so many lines a transaction ends when another write waits for it. */
const batchLines = 500
/**
 * More lines in one transaction write fewer pages a line: what two of them change is written once.
 * At a million products, 2,000 lines write 25 kB each where 500 write 44.
 */
const batchLinesMax = 2_000
/**
 * Work such as a hash takes 45 ms, inside the transaction, and other writers may have to wait for
 * it.
 */
const batchLinesWithWork = 10
/** Of the lines that wait together in memory, in characters. */
const batchLengthMax = 1_000_000
/** A fault of the service itself, such as a broken disk, meets every line: the import then ends. */
const faultsInRowMax = 100

type ImportContext = {
  permitted: Permitted<ImportOperation>
  stages: RequestStageRunner
  readonly engine: Engine
  readonly yieldWhenLong: YieldWhenLong
  /** The most lines of one transaction. */
  linesMax: number
  /** The lines since the last stored one that a fault rejected. */
  faultsInRow: number
}
type LineBatch = { readonly tx: RecordTransaction; readonly pending: PendingInserts | undefined }
export type LineResult =
  | { readonly line: number; readonly done: 'created' | 'updated' }
  | (ImportProblem & { readonly done: 'rejected' })

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

/**
 * Writes only what differs: importing a file again changes nothing, and importing an export leaves
 * its source records untouched.
 */
async function change(
  { engine, permitted, stages }: ImportContext,
  tx: RecordTransaction,
  { before, input }: { readonly before: Row; readonly input: Record<string, unknown> },
): Promise<void> {
  const { visible, visibleWhere } = permitted
  const { resource } = permitted.operation
  const { restored, rest } = restoredValues(permitted, input)
  if (resource.updatedField) delete restored[resource.updatedField]
  const body = checkBody({ resource, kind: 'update', visible, visibleWhere, isLine: true }, rest)
  const values = { ...resolveDefaults(resource, body, tx.defaults), ...restored }
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
  await tx.change(resource, before, changed)
}

/** Stores a new record, or queues it with others of the batch. */
async function create(
  { engine, permitted, stages }: ImportContext,
  { tx, pending }: LineBatch,
  input: Record<string, unknown>,
): Promise<void> {
  const { resource } = permitted.operation
  const { restored, rest } = restoredValues(permitted, input)
  // An export holds no secrets: what is imported without one is of no use for that until it is set.
  const missing = resource.requiredNames.filter(
    (name) =>
      isAtConsole(permitted.principal) && withoutValue(resource, name) !== undefined && rest[name] === undefined,
  )
  const stand = Object.fromEntries(missing.map((name) => [name, 'a value that is not stored']))
  const { visible, visibleWhere } = permitted
  const body = checkBody({ resource, kind: 'create', visible, visibleWhere }, { ...rest, ...stand })
  const values = { ...resolveDefaults(resource, body, tx.defaults), ...restored }
  for (const name of missing) delete values[name]
  await stages.check(values)
  await stages.work({ values })
  for (const name of missing) values[name] = withoutValue(resource, name)
  if (pending) pending.add(await prepareOne(permitted, tx, values))
  else await createOne(permitted, { engine, tx, stages }, values)
}

async function importOne(
  importing: ImportContext,
  batch: LineBatch,
  input: Record<string, unknown>,
): Promise<'created' | 'updated'> {
  const { resource } = importing.permitted.operation
  const sentId = input[resource.idField]
  if (sentId === undefined) {
    await create(importing, batch, input)
    return 'created'
  }
  const id = parseId(resource, String(sentId))
  const { read, write, refusal } = importing.permitted
  if (batch.pending?.mayHold(id)) await batch.pending.store()
  const found =
    id === undefined
      ? undefined
      : await batch.tx.lock(resource, all(equal(resource.idField, id), read), { test: write })
  if (found) {
    if (!found.passes) throw refusal()
    await batch.pending?.store() // earlier lines must not take a unique key that this change frees
    await change(importing, batch.tx, { before: found.row, input })
    return 'updated'
  }
  if (!isAtConsole(importing.permitted.principal)) throw notFound(resource, 'update')
  await create(importing, batch, input)
  return 'created'
}

function rejected({ line, text }: ImportLine, error: ApiError): LineResult {
  return { line, text, error: error.message, done: 'rejected' }
}

/** Whether all other lines would fail alike. */
function endsImport(error: unknown): boolean {
  return error instanceof LostRightsError || (error instanceof ApiError && error.code === 'unavailable')
}

/**
 * The result of a line that failed alone. A fault, such as a hook that throws, rejects its line
 * too. Rethrows the error where the next lines would fail alike.
 */
function failed(importing: ImportContext, line: ImportLine, error: unknown): LineResult {
  if (error instanceof ApiError) {
    if (endsImport(error)) throw error
    return rejected(line, error)
  }
  importing.faultsInRow += 1
  if (importing.faultsInRow > faultsInRowMax) throw error
  return { line: line.line, text: line.text, error: errorCodes.internal.title, fault: error, done: 'rejected' }
}

function isFaultOfLine(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 'bad-request' || error.code === 'not-found')
}

/**
 * Imports lines in one transaction: all of them, or the first ones where other writes wait for its
 * end. New records are stored many rows in one statement.
 */
function importTogether(importing: ImportContext, lines: readonly ImportLine[]): Promise<LineResult[]> {
  const { engine, permitted, yieldWhenLong } = importing
  return writePart(engine, permitted, async (tx) => {
    await importing.stages.begin(tx)
    const done: LineResult[] = []
    const batch = { tx, pending: makePendingInserts(engine, permitted, tx) }
    for (const line of lines) {
      await yieldWhenLong()
      try {
        const input = checkObject(line.parse())
        done.push({ line: line.line, done: await importOne(importing, batch, input) })
      } catch (error) {
        // A fault of the line is found before anything of it is written, so the transaction is
        // intact; other errors may break it.
        if (lines.length === 1 || !isFaultOfLine(error)) throw error
        done.push(rejected(line, error))
      }
      if (batch.pending?.isFull()) await batch.pending.store()
      if (done.length % batchLines === 0 && tx.isAwaited()) break
    }
    await batch.pending?.store()
    return done
  })
}

/**
 * Imports all lines, or the first ones, and yields the results of each transaction when it has
 * ended. When a line violates a rule of the database or meets a fault, each half is tried again,
 * down to the single line. Later lines may do the same, so this import then keeps its transactions
 * short, and repeats less work.
 */
async function* importBatch(importing: ImportContext, lines: readonly ImportLine[]): AsyncGenerator<LineResult[]> {
  let done: LineResult[] | undefined
  try {
    done = await importTogether(importing, lines)
  } catch (error) {
    if (lines.length === 1) return yield [failed(importing, lines[0] as ImportLine, error)]
    if (endsImport(error)) throw error
  }
  if (done) {
    importing.faultsInRow = 0
    return yield done
  }
  importing.linesMax = Math.min(importing.linesMax, batchLines)
  const few = lines.slice(0, importing.linesMax)
  if (few.length < lines.length) return yield* importBatch(importing, few)
  const middle = Math.ceil(few.length / 2)
  yield* importBatch(importing, few.slice(0, middle))
  yield* importBatch(importing, few.slice(middle))
}

function lengthOf(lines: readonly ImportLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0)
}

/** Yields what became of each line, as it happens. */
export async function* importLines(engine: Engine, permitted: Permitted<ImportOperation>): AsyncGenerator<LineResult> {
  const { work } = engine.stagesOf(permitted.operation.resource)
  const linesMax = work.length > 0 ? batchLinesWithWork : batchLinesMax
  const importing = {
    engine,
    permitted,
    stages: makeRequestStageRunner(engine, permitted),
    yieldWhenLong: makeYieldWhenLong(),
    linesMax,
    faultsInRow: 0,
  }
  let waiting: ImportLine[] = []
  let length = 0
  async function* importWaiting(): AsyncGenerator<LineResult> {
    const judged = await judgeAgain(engine, importing.permitted)
    if (judged !== importing.permitted)
      Object.assign(importing, { permitted: judged, stages: makeRequestStageRunner(engine, judged) })
    for await (const done of importBatch(importing, waiting.slice(0, importing.linesMax))) {
      waiting = waiting.slice(done.length)
      length = lengthOf(waiting)
      yield* done
    }
  }
  for await (const line of permitted.operation.lines) {
    waiting.push(line)
    length += line.text.length
    while (waiting.length >= importing.linesMax || length >= batchLengthMax) yield* importWaiting()
  }
  while (waiting.length > 0) yield* importWaiting()
}
