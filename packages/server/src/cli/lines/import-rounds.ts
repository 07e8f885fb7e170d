/**
 * Imports lines that name records by natural keys, in rounds. Each round stores the lines whose
 * references are resolved; lines that waited for them follow. The import breaks a circle at an
 * optional reference, and sets that after all other lines.
 */
import { ApiError } from '../../errors.ts'
import type { ImportLine } from '../../operation/operation.ts'
import type { LineResult } from '../../perform/imports/import-lines.ts'
import type { Resource } from '../../resource/catalog.ts'
import { findKeys, type NaturalKey, ownKeys } from './natural-keys.ts'
import {
  type ImportContext,
  missingError,
  parseLine,
  rejected,
  resolveLines,
  resolveReferences,
} from './resolve-lines.ts'
import { makeWaitingLines, type PendingLine } from './waiting-lines.ts'

const roundLines = 500
const roundCharactersMax = 1_000_000
/** The memory limit of waiting lines. */
const waitingCharactersMax = 50_000_000

type ImportState = Pick<ImportContext, 'engine' | 'resource' | 'match'> & {
  readonly lines: AsyncIterable<ImportLine>
  readonly stop: AbortSignal
  /** Stores lines like an import without natural keys. */
  store(lines: readonly ImportLine[]): AsyncIterable<LineResult>
}

/** A line of a circle that was stored with empty references. */
type IncompleteLine = { readonly line: PendingLine; readonly empty: readonly string[]; readonly done: LineResult }
type RoundState = ImportState & ImportContext & { readonly halves: IncompleteLine[] }

/** Makes a function that returns the next lines of the file, and an empty list at its end. */
function makeReader(lines: AsyncIterable<ImportLine>) {
  const iterator = lines[Symbol.asyncIterator]()
  let ended = false
  return async (had: readonly PendingLine[]): Promise<ImportLine[]> => {
    const taken: ImportLine[] = []
    let characters = had.reduce((sum, { line }) => sum + line.text.length, 0)
    while (!ended && had.length + taken.length < roundLines && characters < roundCharactersMax) {
      const next = await iterator.next()
      ended = next.done === true
      if (next.done) break
      taken.push(next.value)
      characters += next.value.text.length
    }
    return taken
  }
}

async function* storeRound(
  state: RoundState,
  lines: readonly PendingLine[],
  empty: readonly string[] = [],
): AsyncGenerator<LineResult> {
  const sent = new Map<number, PendingLine>()
  const inputs: ImportLine[] = []
  for (const one of await resolveLines(state, lines, empty)) {
    const { line, text } = one.line.line
    const parse = () => {
      if ('fault' in one) throw new ApiError('bad-request', one.fault)
      return { ...one.input }
    }
    sent.set(line, one.line)
    inputs.push({ line, text, parse })
  }
  for await (const done of state.store(inputs)) {
    const line = sent.get(done.line) as PendingLine
    resolveReferences(state, line, done.done !== 'rejected')
    if (empty.length > 0 && done.done !== 'rejected') state.halves.push({ line, empty, done })
    else yield done
  }
}

/** Called when no line can proceed by itself. Returns whether it released one. */
async function* unblock(state: RoundState): AsyncGenerator<LineResult, boolean> {
  const hopeless = state.waiting.hopeless()
  for (const { line, field } of hopeless) {
    resolveReferences(state, line, false)
    yield rejected(line.line, missingError(field, line.references.get(field)))
  }
  const circle = state.ready.length > 0 ? undefined : state.waiting.breakCircle()
  if (!circle) return hopeless.length > 0
  const { line, empty, mayBeEmpty } = circle
  if (mayBeEmpty) yield* storeRound(state, [line], empty)
  else {
    resolveReferences(state, line, false)
    yield rejected(
      line.line,
      `${empty.join(' and ')} refers in a circle to lines that refer to this one, and is required`,
    )
  }
  return true
}

/**
 * A key of the record that a line of a circle created. It has one, since another line refers to it.
 */
function keyOfHalf(resource: Resource, { line: { plain } }: IncompleteLine): NaturalKey | undefined {
  return ownKeys(resource, plain)[0]
}

/** Sets the references that were left empty. */
async function* complete({ engine, resource, halves, store }: RoundState): AsyncGenerator<LineResult> {
  for (let at = 0; at < halves.length; at += roundLines) {
    const some = halves.slice(at, at + roundLines)
    const keys = some.flatMap((half) => [keyOfHalf(resource, half), ...half.line.references.values()])
    const found = await findKeys(
      engine,
      keys.filter((key) => key !== undefined && key !== null),
    )
    const inputs: ImportLine[] = []
    const faultOf = ({ empty }: IncompleteLine, error: string) =>
      `It was stored without ${empty.join(' and ')}: ${error}`
    for (const half of some) {
      const { line, empty } = half
      const fields = empty.map((field) => [field, found.get(line.references.get(field)?.text ?? '')] as const)
      const lost = fields.find(([, id]) => id === undefined)?.[0]
      if (lost !== undefined) yield rejected(line.line, faultOf(half, missingError(lost, line.references.get(lost))))
      const input = {
        [resource.idField]: found.get(keyOfHalf(resource, half)?.text ?? ''),
        ...Object.fromEntries(fields),
      }
      if (lost === undefined) inputs.push({ ...line.line, text: line.line.text, parse: () => input })
    }
    for await (const done of store(inputs)) {
      const half = some.find(({ line }) => line.line.line === done.line) as IncompleteLine
      yield done.done === 'rejected' ? rejected(half.line.line, faultOf(half, done.error)) : half.done
    }
  }
}

/** Yields the result of each line as it happens. */
export async function* importByKeys(importing: ImportState): AsyncGenerator<LineResult> {
  const { resource, stop } = importing
  const waiting = makeWaitingLines(resource, waitingCharactersMax)
  const state: RoundState = { ...importing, waiting, behind: new Map(), ready: [], halves: [] }
  const read = makeReader(importing.lines)
  for (;;) {
    const lines = state.ready.splice(0, roundLines)
    lines.push(...(await read(lines)).map((line) => parseLine(state, line)))
    if (lines.length > 0) yield* storeRound(state, lines)
    else if (stop.aborted || !(yield* unblock(state))) break
  }
  for (const { line } of waiting.rest())
    yield rejected(line, 'The import was stopped while it waited for a later line: import it again')
  yield* complete(state)
}
