/**
 * Replaces natural keys in import lines by ids, many lines with few queries. Lines that must wait
 * are set aside.
 */
import { ApiError } from '../../errors.ts'
import { checkObject } from '../../operation/body.ts'
import type { ImportLine } from '../../operation/operation.ts'
import type { Engine } from '../../perform/engine.ts'
import type { LineResult } from '../../perform/imports/import-lines.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import { inSentence } from '../../resource/words/names.ts'
import { findKeys, type NaturalKey, ownKey, ownKeys, splitLine } from './natural-keys.ts'
import type { PendingLine, WaitingLines } from './waiting-lines.ts'

/** State that lasts through an import. */
export type ImportContext = {
  readonly engine: Engine
  readonly resource: Resource
  /** The fields by which a line finds its record; undefined: by its id. */
  readonly match: readonly string[] | undefined
  readonly waiting: WaitingLines
  /** By match key: the line that is about to store that record, and the later lines for it. */
  readonly behind: Map<string, { readonly owner: ImportLine; readonly others: PendingLine[] }>
  /** Lines that waited and can proceed. */
  readonly ready: PendingLine[]
}

/** A line that can proceed, or the error that was found in it. */
export type ResolvedLine =
  | { readonly line: PendingLine; readonly input: Record<string, unknown> }
  | { readonly line: PendingLine; readonly fault: string }

export function rejected({ line, text }: ImportLine, error: string): LineResult {
  return { line, text, error, done: 'rejected' }
}

export function missingError(field: string, key: NaturalKey | null | undefined): string {
  if (!key) return `${field} names no record`
  if (key.names[0] === key.resource.idField)
    return `${field} refers to no ${inSentence(key.resource.label)} that exists`
  return `${field}: there is no ${inSentence(key.resource.label)} with the ${key.said}`
}

const refersToItself = (resource: Resource) => resource.referencedBy.some((link) => link.resource === resource)

/** An invalid line passes unchanged: the import reports what is wrong with it. */
export function parseLine({ engine, resource }: ImportContext, line: ImportLine): PendingLine {
  const isReferred = refersToItself(resource)
  try {
    const { plain, references } = splitLine(engine.catalog, resource, checkObject(line.parse()))
    const makes = isReferred ? ownKeys(resource, plain).map((key) => key.text) : []
    return { line, plain, references, makes, match: undefined, fault: undefined }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { line, plain: {}, references: new Map(), makes: [], match: undefined, fault: error.message }
  }
}

/** Sets the line aside when an earlier one with the same key must be stored first. */
function isQueued({ behind }: ImportContext, line: PendingLine): boolean {
  if (!line.match) return false
  const first = behind.get(line.match.text)
  if (!first) behind.set(line.match.text, { owner: line.line, others: [] })
  if (!first || first.owner === line.line) return false
  first.others.push(line)
  return true
}

/** Call it when a line is stored or rejected: lines that waited for it can proceed. */
export function resolveReferences({ waiting, behind, ready }: ImportContext, line: PendingLine, stored: boolean): void {
  if (stored) ready.push(...waiting.release(line.makes))
  const first = line.match && behind.get(line.match.text)
  if (!line.match || first?.owner !== line.line) return
  behind.delete(line.match.text)
  ready.push(...first.others)
}

/** A line that refers to a missing record waits when a later line may create it. */
function putAside(rounds: ImportContext, line: PendingLine, missing: ReadonlyMap<string, string>): ResolvedLine[] {
  const elsewhere = [...missing.keys()].find((field) => line.references.get(field)?.resource !== rounds.resource)
  if (elsewhere !== undefined) return [{ line, fault: missingError(elsewhere, line.references.get(elsewhere)) }]
  if (isQueued(rounds, line) || rounds.waiting.add(line, missing)) return []
  return [
    { line, fault: 'It refers to a later line, and too many lines wait for later ones: import it again afterwards' },
  ]
}

/** Adds the ids of the records that the lines change. */
async function withOwnIds(
  { engine, resource, match }: ImportContext,
  resolved: readonly ResolvedLine[],
): Promise<ResolvedLine[]> {
  if (!match) return [...resolved]
  const found = await findKeys(
    engine,
    resolved.flatMap((one) => ('input' in one && one.line.match ? one.line.match : [])),
  )
  return resolved.map((one) => {
    const id = 'input' in one && one.line.match ? found.get(one.line.match.text) : undefined
    return id === undefined || !('input' in one) ? one : { ...one, input: { ...one.input, [resource.idField]: id } }
  })
}

type MissingReferences = { readonly input: Record<string, unknown>; readonly missing: ReadonlyMap<string, string> }

/** The line with ids in place of the keys that were found. */
function withIds(
  { plain, references }: PendingLine,
  found: ReadonlyMap<string, Scalar>,
  empty: readonly string[],
): MissingReferences {
  const input = { ...plain }
  const missing = new Map<string, string>()
  for (const [field, key] of references) {
    if (empty.includes(field)) continue
    const id = key === null ? null : found.get(key.text)
    if (id !== undefined) input[field] = id
    else if (key) missing.set(field, key.text)
  }
  return { input, missing }
}

/** `empty`: references that stay empty for now. */
export async function resolveLines(
  rounds: ImportContext,
  lines: readonly PendingLine[],
  empty: readonly string[],
): Promise<ResolvedLine[]> {
  const { engine, resource, match } = rounds
  const finding = match ?? (refersToItself(resource) ? [resource.idField] : undefined)
  const keys = lines.flatMap(({ references }) => [...references.values()].filter((key) => key !== null))
  const found = await findKeys(engine, keys)
  const resolved = lines.flatMap((one): ResolvedLine[] => {
    if (one.fault !== undefined) return [{ line: one, fault: one.fault }]
    const { input, missing } = withIds(one, found, empty)
    const line: PendingLine = { ...one, match: finding && ownKey(resource, finding, input) }
    if (missing.size > 0) return putAside(rounds, line, missing)
    if (match && !line.match)
      return [{ line, fault: `--match finds the record by ${match.join(' and ')}, and the line has none` }]
    return isQueued(rounds, line) ? [] : [{ line, input }]
  })
  return withOwnIds(rounds, resolved)
}
