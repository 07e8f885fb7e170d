/** The options of a migration, and the plan that it returns. */
import type { Catalog } from '../../resource/catalog.ts'
import type { StoredCheck } from '../../resource/code/stored-check.ts'
import type { SchemaModel } from '../model/model.ts'
import { quote } from '../sql/ddl-words.ts'
import { type BrokenRecords, brokenIn, describeBroken } from './broken-records.ts'
import type { LossFile } from './loss-file.ts'
import { narrowedIn } from './narrowed.ts'
import type { MigrationPlan } from './plan.ts'
import { renameWordsSql } from './run-steps.ts'
import { afterStep, type MigrationStep, tableNameOf } from './steps.ts'
import type { RowReader } from './stored-rows.ts'

export type MigrateOptions = {
  /** The caller is a copy into the database. */
  readonly forCopy?: boolean
  /** Receives a line for the operator about work that takes long. */
  readonly report?: ((message: string) => void) | undefined
  /**
   * Data that the caller allows the migration to drop: a resource by its name, or `resource.field`.
   */
  readonly allowed?: readonly string[]
  /** Where the migration saves the data that it drops. */
  readonly losses?: LossFile | undefined
  /** Takes the steps that the version before cannot work with, even while it is connected. */
  readonly contract?: boolean
  /** The checks of records. Without them, the migration counts no records that break a rule. */
  readonly checks?: readonly StoredCheck[] | undefined
  /** The plan also counts records by checks that the database has seen before. */
  readonly recount?: boolean
}

export type StepWithSql = { readonly step: MigrationStep; readonly sql: readonly string[] }
export type PlannedMigration = {
  readonly steps: readonly MigrationStep[]
  /** Steps that wait until no instance of the version before is connected. */
  readonly later: readonly MigrationStep[]
  /**
   * All steps in this database's SQL, waiting steps last; a comment line stands for values that the
   * service computes row by row.
   */
  readonly sql: readonly StepWithSql[]
  /** Messages for the operator about values and records that the declarations no longer take. */
  readonly notes: readonly string[]
  /** The records that break checks. Some of the messages are about them. */
  readonly broken: readonly BrokenRecords[]
}
export type PlanNotes = Pick<PlannedMigration, 'notes' | 'broken'>

/** The plan of a database, whose notes are read from its rows only when they are asked for. */
export type PendingMigration = Omit<PlannedMigration, keyof PlanNotes> & { told(): Promise<PlanNotes> }

type PlanNotesOf = {
  readonly plan: MigrationPlan
  readonly model: SchemaModel | undefined
  readonly catalog: Catalog
  /** The checks that the database remembers. */
  readonly known: string | undefined
}

/** The messages of a plan. A database without a model has no records. */
export async function planNotes(
  from: RowReader,
  { plan, model, catalog, known }: PlanNotesOf,
  { checks, recount }: MigrateOptions,
): Promise<PlanNotes> {
  const notes = await narrowedIn(from, plan)
  if (!model || !checks) return { notes, broken: [] }
  const broken = await brokenIn(from, { catalog, checks, known, recount, model })
  return { notes: [...notes, ...broken.map(describeBroken)], broken }
}

/** `state`: the model before the step. */
export type StatementsOf = (step: MigrationStep, state: SchemaModel) => readonly string[]

function sqlOf(step: MigrationStep, state: SchemaModel, statementsOf: StatementsOf): readonly string[] {
  const table = state.tables.find(({ name }) => name === tableNameOf(step))
  if (step.kind === 'number')
    return [
      `-- ${quote(step.table)}, a batch of rows in a transaction: ${quote(step.column)} counted in the order of creation`,
    ]
  if (step.kind === 'place')
    return [`-- ${quote(step.table)}, a batch of rows in a transaction: ${quote(step.column)} placed in their order`]
  if (step.kind === 'link')
    return [
      `-- ${quote(step.table)}, a batch of rows in a transaction: each ${quote(step.column)} one row of ${quote(step.linked.into)}`,
    ]
  if (step.kind === 'rename-words') return [renameWordsSql(step, table?.primaryKey ?? 'id')]
  if (step.kind !== 'fill' && step.kind !== 'refill') return statementsOf(step, state)
  const columns =
    step.kind === 'refill'
      ? ['folded and searched texts']
      : step.fillers.map(({ column, by }) => `${quote(column)} by ${by}`)
  return [`-- ${quote(step.table)}, a batch of rows in a transaction: ${columns.join(', ')}`]
}

export function withSql(
  plan: Pick<MigrationPlan, 'steps' | 'later'>,
  before: SchemaModel | undefined,
  statementsOf: StatementsOf,
): Omit<PlannedMigration, keyof PlanNotes> {
  let state: SchemaModel = before ?? { tables: [] }
  const sql = [...plan.steps, ...plan.later].map((step) => {
    const found = { step, sql: sqlOf(step, state, statementsOf) }
    state = afterStep(state, step)
    return found
  })
  return { steps: plan.steps, later: plan.later, sql }
}
