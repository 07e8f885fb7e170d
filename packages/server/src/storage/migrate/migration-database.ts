/** What a migration asks of a database: its SQL for each step, transactions, and what it remembers. */
import type { Scalar } from '../../resource/condition.ts'
import type { Column, Model, Table } from '../model/model.ts'
import type { Step } from './steps.ts'
import type { RowsOf } from './stored-rows.ts'

export type FilledCells = { readonly id: Scalar; readonly version: number; readonly values: readonly unknown[] }

export type MigrationDatabase = RowsOf & {
  readonly meta: {
    get(name: string): Promise<string | undefined>
    set(name: string, value: string): Promise<void>
    remove(name: string): Promise<void>
  }
  /** The statements of one step; `state`: the model before it. Fills have none. */
  statementsOf(step: Step, state: Model): readonly string[]
  execute(sql: string): Promise<void>
  /** Commits all of the work or nothing. The work may run again from its beginning. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** In a transaction: nobody else writes to the table until it ends. */
  lock(table: string): Promise<void>
  /** In a transaction: writes these columns of the rows that still have the version. `values` are as the driver takes them. */
  update(table: Table, columns: readonly Column[], rows: readonly FilledCells[]): Promise<void>
  /** Whether the step holds up writers less in several transactions, or outside of any, than in one. */
  isApart(step: Step): boolean
  /** Takes such a step. What an interruption left of it is taken again. */
  takeApart(step: Step, state: Model): Promise<void>
  /** Between two batches: lets other work run. */
  breathe(): Promise<void>
}
