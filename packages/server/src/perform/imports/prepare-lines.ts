/**
 * Prepares the writes of lines before their transaction, by the hooks of the declaration. A line is
 * prepared once, also where its transaction runs again.
 */
import { checkObject } from '../../operation/body.ts'
import type { ImportLine } from '../../operation/operation.ts'
import { all } from '../../resource/condition.ts'
import { defaultContext } from '../values.ts'
import { aimOfLine, changesOfLine, type LineContext, type PreparedLine, valuesOfLine } from './store-line.ts'

type PreparedOutcome = { readonly prepared: PreparedLine | undefined } | { readonly error: unknown }
export type PreparedLines = WeakMap<ImportLine, PreparedOutcome>

async function prepareLine(importing: LineContext, line: ImportLine): Promise<PreparedOutcome> {
  const { engine, permitted, stages } = importing
  const { read, write, operation } = permitted
  const defaults = defaultContext(engine, permitted)
  let prepare: () => ReturnType<typeof stages.prepare>
  let isNew = true
  try {
    const { input, where } = aimOfLine(permitted, checkObject(line.parse()))
    const found = where && (await engine.storage.find(operation.resource, all(where, read), write))
    if (found && !found.passes) return { prepared: undefined }
    isNew = found === undefined
    const { values } = found ? changesOfLine(permitted, input, defaults) : valuesOfLine(permitted, input, defaults)
    prepare = () => stages.prepare(values, found?.row)
  } catch {
    return { prepared: undefined } // the transaction finds the same mistake, and tells it
  }
  try {
    return { prepared: { isNew, give: await prepare() } }
  } catch (error) {
    return { error }
  }
}

/** Nothing where no hook prepares such writes. */
export async function prepareLines(
  importing: LineContext & { readonly prepared: PreparedLines },
  lines: readonly ImportLine[],
): Promise<void> {
  const { stages, prepared } = importing
  if (!stages.prepares) return
  const missing = lines.filter((line) => !prepared.has(line))
  await Promise.all(missing.map(async (line) => void prepared.set(line, await prepareLine(importing, line))))
}

/** Throws the error of its hook. */
export function preparedLine(prepared: PreparedLines, line: ImportLine): PreparedLine | undefined {
  const outcome = prepared.get(line)
  if (outcome && 'error' in outcome) throw outcome.error
  return outcome?.prepared
}
