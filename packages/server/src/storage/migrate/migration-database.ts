/**
 * The interface between a migration and its database: SQL for each step, transactions, and stored
 * state.
 */
import type { Scalar } from '../../resource/condition.ts'
import type { ModelColumn, ModelTable, SchemaModel } from '../model/model.ts'
import type { MigrationStep } from './steps.ts'
import type { RowReader } from './stored-rows.ts'

export type FilledCells = { readonly id: Scalar; readonly version: number; readonly values: readonly unknown[] }

export type MigrationDatabase = RowReader & {
  readonly meta: {
    get(name: string): Promise<string | undefined>
    set(name: string, value: string): Promise<void>
    remove(name: string): Promise<void>
  }
  /** The statements of one step; `state`: the model before it. Fills have none. */
  statementsOf(step: MigrationStep, state: SchemaModel): readonly string[]
  execute(sql: string): Promise<void>
  /** Commits all of the work or nothing. The work may run again from its beginning. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** In a transaction: locks the table against other writers until it ends. */
  lock(table: string): Promise<void>
  /**
   * In a transaction: writes these columns of the rows that still have the version. `values` are in
   * the driver's form.
   */
  update(table: ModelTable, columns: readonly ModelColumn[], rows: readonly FilledCells[]): Promise<void>
  /**
   * Whether the step blocks writers for less time in several transactions, or outside of any, than
   * in one.
   */
  isApart(step: MigrationStep): boolean
  /** Takes such a step. It repeats a step that was interrupted. */
  takeApart(step: MigrationStep, state: SchemaModel): Promise<void>
  /** Between two batches: lets other work run. */
  breathe(): Promise<void>
}
