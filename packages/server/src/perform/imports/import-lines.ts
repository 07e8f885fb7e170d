/**
 * Imports records line by line. Good lines are stored, several in one transaction; bad lines are
 * reported with their number and reason. A line with the id of a record changes that record, so an
 * export can be edited and imported again (`store-line.ts`).
 */
import { ApiError, errorCodes } from '../../errors.ts'
import { checkObject } from '../../operation/body.ts'
import type { ImportLine, ImportOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Engine } from '../engine.ts'
import { makeRequestStageRunner } from '../request-stages.ts'
import type { ImportProblem } from '../result.ts'
import { judgeAgain } from '../rights/judge-again.ts'
import { LostRightsError } from '../rights/lost-rights.ts'
import { writePart } from '../write-transaction.ts'
import { makePendingInserts } from './pending-inserts.ts'
import { type PreparedLines, preparedLine, prepareLines } from './prepare-lines.ts'
import { type LineContext, OvertakenLineError, storeLine } from './store-line.ts'
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

type ImportContext = LineContext & {
  readonly yieldWhenLong: YieldWhenLong
  readonly prepared: PreparedLines
  /** The most lines of one transaction. */
  linesMax: number
  /** The lines since the last stored one that a fault rejected. */
  faultsInRow: number
}
export type LineResult =
  | { readonly line: number; readonly done: 'created' | 'updated' }
  | (ImportProblem & { readonly done: 'rejected' })

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

/** Another request has made the record of a key meanwhile: the line finds it at its next try. */
const triesMax = 4

function isOvertaken({ permitted }: ImportContext, lines: readonly ImportLine[], error: unknown): boolean {
  return (
    permitted.operation.on !== undefined && lines.length === 1 && error instanceof ApiError && error.code === 'conflict'
  )
}

function isFaultOfLine(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 'bad-request' || error.code === 'not-found')
}

/**
 * Imports lines in one transaction: all of them, or the first ones where other writes wait for its
 * end. New records are stored many rows in one statement.
 */
async function importTogether(importing: ImportContext, lines: readonly ImportLine[]): Promise<LineResult[]> {
  await prepareLines(importing, lines)
  const { engine, permitted, yieldWhenLong } = importing
  return writePart(engine, permitted, async (tx) => {
    await importing.stages.begin(tx)
    const done: LineResult[] = []
    const batch = { tx, pending: makePendingInserts(engine, permitted, tx) }
    for (const line of lines) {
      await yieldWhenLong()
      try {
        const input = checkObject(line.parse())
        const prepared = preparedLine(importing.prepared, line)
        done.push({ line: line.line, done: await storeLine(importing, batch, { line: input, prepared }) })
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
async function* importBatch(
  importing: ImportContext,
  lines: readonly ImportLine[],
  tries = 1,
): AsyncGenerator<LineResult[]> {
  let done: LineResult[] | undefined
  try {
    done = await importTogether(importing, lines)
  } catch (error) {
    if (error instanceof OvertakenLineError) for (const line of lines) importing.prepared.delete(line)
    if (tries < triesMax && isOvertaken(importing, lines, error)) return yield* importBatch(importing, lines, tries + 1)
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
  const { work, prepare } = engine.stagesOf(permitted.operation.resource)
  const linesMax = work.length + prepare.length > 0 ? batchLinesWithWork : batchLinesMax
  const importing = {
    engine,
    permitted,
    stages: makeRequestStageRunner(engine, permitted),
    yieldWhenLong: makeYieldWhenLong(),
    prepared: new WeakMap() as PreparedLines,
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
