/**
 * Saves the data that a migration is about to drop, as NDJSON files. Each line is one dropped
 * record, or a record's id with the dropped value.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { timestampOf } from '../../base/clock.ts'
import { jsonText } from '../../base/json-text.ts'
import { StartError } from '../../errors.ts'
import type { ModelTable, SchemaModel } from '../model/model.ts'
import type { MigrationDatabase } from './migration-database.ts'
import type { MigrationStep } from './steps.ts'
import { allRows } from './stored-rows.ts'

export type LossFile = {
  readonly folder: string
  /** Tells the files of one run from those of another. */
  readonly stamp: string
  /** Receives a line for the operator about each file. */
  readonly report?: ((message: string) => void) | undefined
}

/** `20261122T101500` in the names of the files. */
export function lossFileIn(folder: string, nowMs: number, report?: LossFile['report']): LossFile {
  return { folder, stamp: timestampOf(nowMs).replace(/[-:]|\..*/g, ''), report }
}

function openLossFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, 'w', 0o600)
  } catch (error) {
    throw new StartError(`Cannot write ${path}, where what is dropped would be kept: ${(error as Error).message}`)
  }
}

/**
 * Writes no file where no data is dropped. Throws `StartError` where the file cannot be written.
 */
export async function writeLosses(
  database: MigrationDatabase,
  step: Extract<MigrationStep, { kind: 'drop-table' | 'drop-column' }>,
  { state, losses }: { readonly state: SchemaModel; readonly losses?: LossFile | undefined },
): Promise<void> {
  const table = state.tables.find(({ name }) => name === step.table) as ModelTable
  const key = table.columns.find(({ name }) => name === table.primaryKey)?.means?.field ?? table.primaryKey
  const column = step.kind === 'drop-column' ? step.column : undefined
  const what = column === undefined ? table.name : `${table.name}.${column}`
  let file: number | undefined
  let path = ''
  let count = 0
  for await (const records of allRows(database, { table })) {
    const lines = records.flatMap(({ id, row, cellOf }) => {
      if (column === undefined) return [jsonText(row)]
      const value = cellOf(column) ?? null
      const field = table.columns.find(({ name }) => name === column)?.means?.field ?? column
      return value === null ? [] : [jsonText({ [key]: id, [field]: value })]
    })
    if (lines.length === 0) continue
    if (!losses) throw new StartError(`Nothing was dropped: there is no folder for an export of ${what}`)
    path ||= join(losses.folder, `lost-${what}-${losses.stamp}.ndjson`)
    file ??= openLossFile(path)
    writeSync(file, `${lines.join('\n')}\n`)
    count += lines.length
  }
  if (file === undefined) return
  fsyncSync(file)
  closeSync(file)
  const [values, they] = count === 1 ? [`1 value of ${what} was`, 'it'] : [`${count} values of ${what} were`, 'they']
  losses?.report?.(`${values} written to ${path} before ${they} went`)
}
