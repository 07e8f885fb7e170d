/**
 * Fills columns in all rows of a table, in batches. Each batch is one transaction, which also
 * stores the progress: writers wait for one batch at most, and an interrupted fill resumes. A row
 * that changes meanwhile is left to a later batch.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import { isMadeColumn, type ModelTable, modelOf, type SchemaModel } from '../model/model.ts'
import { type FillRow, makeFillRow, makeTextsRow } from './fillers.ts'
import type { MigrationDatabase } from './migration-database.ts'
import type { MigrationStep } from './steps.ts'
import { nextRows, type RowReadRequest, type StoredRecord } from './stored-rows.ts'

/** The name in `bindery_meta` under which a fill stores its progress. */
export const fillingMark = 'filling'
type FillProgress = { readonly what: string; readonly after: Scalar }

export type FillStep = Extract<MigrationStep, { kind: 'fill' | 'refill' }>
export type FillOf = { readonly catalog: Catalog; readonly state: SchemaModel; readonly step: FillStep }

function partsOf(database: MigrationDatabase, { catalog, state, step }: FillOf) {
  const table = state.tables.find(({ name }) => name === step.table) as ModelTable
  const resource = [...catalog.resources.values()].find((one) => one.table === step.table) as Resource
  const after = modelOf(catalog).tables.find(({ name }) => name === step.table) as ModelTable
  const fill: FillRow =
    step.kind === 'fill' ? makeFillRow(resource, after, step.fillers) : makeTextsRow(database.dialect, resource)
  return { table, resource, fill }
}

type FillTarget = { readonly table: ModelTable; readonly fill: FillRow }

async function write(
  database: MigrationDatabase,
  { table, fill }: FillTarget,
  rows: readonly StoredRecord[],
): Promise<void> {
  const filled = rows.flatMap((record) => {
    const { columns } = fill(record)
    return columns.size > 0 ? [{ id: record.id, version: record.version, columns }] : []
  })
  // Rows that keep their own value in one column may need one in another, so there are several
  // forms.
  const forms = Map.groupBy(filled, ({ columns }) => [...columns.keys()].join())
  for (const same of forms.values()) {
    const names = [...(same[0]?.columns.keys() ?? [])]
    const columns = names.map((name) => table.columns.find((one) => one.name === name) as ModelTable['columns'][number])
    const cells = same.map(({ id, version, columns: values }) => ({
      id,
      version,
      values: columns.map(({ name, type }) => {
        const value = values.get(name) ?? null
        // Folded and searched texts are in the database's form already.
        return value === null || isText(name) ? value : database.dialect.encode(type, value)
      }),
    }))
    await database.update(table, columns, cells)
  }
}

function isText(column: string): boolean {
  return isMadeColumn(column) && !column.endsWith('__next')
}

/** Resolves when the fill has visited all rows. */
export async function fillTable(database: MigrationDatabase, of: FillOf): Promise<void> {
  const { table, resource, fill } = partsOf(database, of)
  const { step } = of
  const what = `${step.kind} ${step.table} ${step.kind === 'fill' ? step.fillers.map(({ column, meaning = '' }) => `${column}${meaning && ` ${meaning}`}`).join() : ''}`
  const noted = await database.meta.get(fillingMark)
  const before = noted === undefined ? undefined : (JSON.parse(noted) as FillProgress)
  for (let after = before?.what === what ? before.after : undefined; ; ) {
    const last = await database.transaction(async () => {
      const rows = await nextRows(database, { table, resource }, after)
      const end = rows.at(-1)?.id
      if (end === undefined) return undefined
      await write(database, { table, fill }, rows)
      await database.meta.set(fillingMark, JSON.stringify({ what, after: end } satisfies FillProgress))
      return end
    })
    if (last === undefined) return
    after = last
    await database.breathe()
  }
}

/**
 * In a transaction: fills the rows that were written after the fill had visited them, or without
 * the new columns.
 */
export async function catchUp(database: MigrationDatabase, of: FillOf, only: RowReadRequest['only']): Promise<void> {
  const { table, resource, fill } = partsOf(database, of)
  for (let after: Scalar | undefined; ; ) {
    const rows = await nextRows(database, { table, resource, only }, after)
    if (rows.length === 0) return
    await write(database, { table, fill }, rows)
    after = rows.at(-1)?.id
  }
}
