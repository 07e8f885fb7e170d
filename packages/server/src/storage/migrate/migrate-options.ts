/** What the caller of a migration may say, and what a plan tells. */
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
  /** What may be lost: a resource by its name, or `resource.field`. */
  readonly allowed?: readonly string[]
  /** Where an export of what is dropped goes. */
  readonly losses?: LossFile | undefined
  /** Takes what the version before cannot live with, whoever is connected. */
  readonly contract?: boolean
}

export type StepWithSql = { readonly step: MigrationStep; readonly sql: readonly string[] }
export type PlannedMigration = {
  readonly steps: readonly MigrationStep[]
  /** What waits until no instance of the version before is connected. */
  readonly later: readonly MigrationStep[]
  /**
   * All steps, those that wait last, with the SQL of this database; a line of comment where values
   * are computed row by row.
   */
  readonly sql: readonly StepWithSql[]
  /** What the operator is told of values that stay. */
  readonly notes: readonly string[]
}

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
