/** The options of a migration, and the plan that it returns. */
import type { SchemaModel } from '../model/model.ts'
import { quote } from '../sql/ddl-words.ts'
import type { LossFile } from './loss-file.ts'
import type { MigrationPlan } from './plan.ts'
import { renameWordsSql } from './run-steps.ts'
import { afterStep, type MigrationStep, tableNameOf } from './steps.ts'

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
  /** Messages for the operator about values beyond the new limits. */
  readonly notes: readonly string[]
}

/** The plan of a database, whose notes are read from its rows only when they are asked for. */
export type PendingMigration = Omit<PlannedMigration, 'notes'> & { notes(): Promise<readonly string[]> }

/** `state`: the model before the step. */
export type StatementsOf = (step: MigrationStep, state: SchemaModel) => readonly string[]

function sqlOf(step: MigrationStep, state: SchemaModel, statementsOf: StatementsOf): readonly string[] {
  const table = state.tables.find(({ name }) => name === tableNameOf(step))
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
): Omit<PlannedMigration, 'notes'> {
  let state: SchemaModel = before ?? { tables: [] }
  const sql = [...plan.steps, ...plan.later].map((step) => {
    const found = { step, sql: sqlOf(step, state, statementsOf) }
    state = afterStep(state, step)
    return found
  })
  return { steps: plan.steps, later: plan.later, sql }
}
