/**
 * Runs the steps of a plan, and stores the new model after each. Consecutive short steps share a
 * transaction; a step over all rows of a table runs in batches. After an interruption the next
 * start plans from the stored model.
 */
import type { Catalog } from '../../resource/catalog.ts'
import type { StoredCheck } from '../../resource/code/stored-check.ts'
import { losesNothing, type ModelColumn, type ModelTable, modelOf, type SchemaModel } from '../model/model.ts'
import { storeModel } from '../model/stored-model.ts'
import { quote, textLiteral } from '../sql/ddl-words.ts'
import { brokenIn, describeBroken, requirementsMark, requirementsText } from './broken-records.ts'
import { countTable } from './count-table.ts'
import { catchUp, fillingMark, fillTable } from './fill-table.ts'
import { linkRest, linkRows } from './links/link-rows.ts'
import { type LossFile, writeLosses } from './loss-file.ts'
import type { MigrationDatabase } from './migration-database.ts'
import { numberTable } from './number-table.ts'
import { placeTable } from './places/place-table.ts'
import { afterStep, type MigrationStep, tableNameOf } from './steps.ts'

export type StepRun = {
  readonly catalog: Catalog
  /** The model before the first step. */
  readonly state: SchemaModel
  readonly steps: readonly MigrationStep[]
  /** Receives a line for the operator about work that takes long. */
  readonly report?: ((message: string) => void) | undefined
  /** Where the migration saves the data that it drops. */
  readonly losses?: LossFile | undefined
  /** The checks of records. The database remembers those that it counted records by. */
  readonly checks?: readonly StoredCheck[] | undefined
}

const wordRows = 5_000

async function writeState(database: MigrationDatabase, state: SchemaModel): Promise<void> {
  const { model, meanings } = storeModel(state)
  await database.meta.set('model', model)
  await database.meta.set('meanings', meanings)
}

/** The statement that renames words in one batch of rows; it changes none when all are done. */
export function renameWordsSql(
  { table, column, words }: Extract<MigrationStep, { kind: 'rename-words' }>,
  key: string,
): string {
  const cases = Object.entries(words).map(([from, to]) => `WHEN ${textLiteral(from)} THEN ${textLiteral(to)}`)
  const known = Object.keys(words).map(textLiteral).join(', ')
  const batch = `SELECT ${quote(key)} FROM ${quote(table)} WHERE ${quote(column)} IN (${known}) LIMIT ${wordRows}`
  return `UPDATE ${quote(table)} SET ${quote(column)} = CASE ${quote(column)} ${cases.join(' ')} END WHERE ${quote(key)} IN (${batch})`
}

/** Steps that visit all rows of a table in batches. */
export function isBatched({ kind }: MigrationStep): boolean {
  return ['fill', 'refill', 'number', 'place', 'count', 'link', 'rename-words'].includes(kind)
}

/** Steps that visit all rows of a table in transactions of their own. */
function isLong(database: MigrationDatabase, step: MigrationStep, made: ReadonlySet<string>): boolean {
  if (made.has(tableNameOf(step))) return false
  return database.isApart(step) || isBatched(step)
}

async function takeLong(database: MigrationDatabase, step: MigrationStep, { catalog, state }: StepRun): Promise<void> {
  const table = state.tables.find(({ name }) => name === tableNameOf(step)) as ModelTable
  if (step.kind === 'fill' || step.kind === 'refill') await fillTable(database, { catalog, state, step })
  else if (step.kind === 'number') await numberTable(database, { catalog, state, step })
  else if (step.kind === 'place') await placeTable(database, { catalog, state, step })
  else if (step.kind === 'count') await countTable(database, { catalog, state, step })
  else if (step.kind === 'link') await linkRows(database, { catalog, state, step })
  else if (step.kind === 'rename-words') {
    const sql = renameWordsSql(step, table.primaryKey)
    while ((await database.transaction(async () => database.executor.run({ sql, parameters: [] }))) > 0)
      await database.breathe()
  } else await database.takeApart(step, state)
}

async function takeShort(
  database: MigrationDatabase,
  step: MigrationStep,
  { catalog, state, losses }: StepRun,
): Promise<void> {
  if (step.kind === 'swap-column') {
    await database.lock(step.table)
    const filler = { column: step.from, by: 'convert', from: step.old, kind: step.meant } as const
    const fill: MigrationStep = { kind: 'fill', table: step.table, fillers: [filler] }
    await catchUp(
      database,
      { catalog, state, step: fill },
      `${quote(step.from)} IS NULL AND ${quote(step.old)} IS NOT NULL`,
    )
  }
  if (step.kind === 'drop-column' && step.linked) {
    await database.lock(step.table)
    await linkRest(database, { catalog, state, step: { ...step, linked: step.linked } })
  }
  const isLoss = step.kind === 'drop-table' || (step.kind === 'drop-column' && step.heir === undefined)
  if (isLoss && !(step.kind === 'drop-column' && losesNothing(step.column)))
    await writeLosses(database, step, { state, losses })
  for (const statement of database.statementsOf(step, state)) await database.execute(statement)
}

/** Returns the model after the last step. */
export async function runSteps(database: MigrationDatabase, taking: StepRun): Promise<SchemaModel> {
  const { steps, report } = taking
  const made = new Set(steps.filter(({ kind }) => kind === 'create-table').map(tableNameOf))
  let { state } = taking
  for (let at = 0; at < steps.length; ) {
    const step = steps[at] as MigrationStep
    const group: MigrationStep[] = [step]
    if (isLong(database, step, made)) {
      await takeLong(database, step, { ...taking, state })
    } else
      for (let next = steps[at + 1]; next && !isLong(database, next, made); next = steps[at + group.length])
        group.push(next)
    const isTaken = isLong(database, step, made)
    state = await database.transaction(async () => {
      let now = state
      for (const one of group) {
        if (one.kind === 'create-index' && !made.has(one.table)) report?.(`Making the index ${one.index.name}`)
        if (!isTaken) await takeShort(database, one, { ...taking, state: now })
        now = afterStep(now, one)
      }
      await writeState(database, now)
      await database.meta.remove(fillingMark)
      return now
    })
    at += group.length
  }
  return state
}

/** Instances of the version before may go on writing the old words. */
function wordsKept(steps: readonly MigrationStep[], table: ModelTable, column: ModelColumn): ModelColumn {
  const kept = steps.flatMap((step) =>
    step.kind === 'rename-words' && step.table === table.name && step.column === column.name
      ? Object.keys(step.words)
      : [],
  )
  const { means } = column
  return means && kept.length > 0
    ? { ...column, means: { ...means, words: [...(means.words ?? []), ...kept] } }
    : column
}

/** The declared model, with the parts that a database still keeps for the version before. */
function settledModel({ state, catalog, steps, beside }: StepRunEnd): SchemaModel {
  const declared = modelOf(catalog)
  const tables = declared.tables.map((table) => {
    const known = state.tables.find(({ name }) => name === table.name)
    if (!known) return table
    const columns = table.columns.map((column) => {
      const stored = known.columns.find(({ name }) => name === column.name)
      const kept = beside ? wordsKept(steps, table, column) : column
      return stored ? { ...kept, notNull: stored.notNull, references: stored.references } : kept
    })
    const kept = known.columns.filter(({ leaving }) => leaving)
    const indexes = known.indexes.filter(({ name }) => !table.indexes.some((index) => index.name === name))
    return {
      ...table,
      ...(known.alias !== undefined && { alias: known.alias }),
      columns: [...columns, ...kept],
      indexes: [...table.indexes, ...indexes],
    }
  })
  return { tables: [...tables, ...state.tables.filter(({ leaving }) => leaving)] }
}

/** `isLess`: the stored model listed more than the database had. */
type StepRunEnd = StepRun & { readonly beside: boolean; readonly isLess: boolean }

/**
 * Stores the declared model. It writes the model's tables only after steps: otherwise the version
 * before can still start.
 */
export async function settle(database: MigrationDatabase, settling: StepRunEnd): Promise<void> {
  const { model, meanings } = storeModel(settledModel(settling))
  if (settling.steps.length > 0 || settling.isLess) await database.meta.set('model', model)
  if ((await database.meta.get('meanings')) !== meanings) await database.meta.set('meanings', meanings)
  await settleChecks(database, settling)
}

/** Tells of the records that break checks which are new to the database. */
async function settleChecks(database: MigrationDatabase, { catalog, checks, report, state }: StepRunEnd) {
  if (!checks) return
  const known = await database.meta.get(requirementsMark)
  const text = requirementsText({ catalog, checks })
  if (known === text) return
  const broken = state.tables.length === 0 ? [] : await brokenIn(database, { catalog, checks, known })
  for (const one of broken) report?.(describeBroken(one))
  await database.meta.set(requirementsMark, text)
}
