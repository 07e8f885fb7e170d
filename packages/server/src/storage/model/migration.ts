/**
 * The plan from the model that the database was last started with to the current one: additions are planned, and what would lose data is
 * refused with the exact change and what to do about it. Each database turns the steps into its own SQL.
 */
import { StartError } from '../../errors.ts'
import { type Column, type Index, isMadeColumn, type Model, type Table } from './model.ts'

export type Step =
  | { readonly kind: 'create-table'; readonly table: Table }
  | { readonly kind: 'add-column'; readonly table: string; readonly column: Column }
  | { readonly kind: 'drop-column'; readonly table: string; readonly column: string }
  | { readonly kind: 'allow-null'; readonly table: string; readonly column: string }
  | { readonly kind: 'create-index'; readonly table: string; readonly index: Index }
  | { readonly kind: 'drop-index'; readonly table: string; readonly index: string }
  | { readonly kind: 'create-search'; readonly table: Table }
  | { readonly kind: 'drop-search'; readonly table: Table }
  /** Recomputes folded and search columns from the fields that they derive from. */
  | { readonly kind: 'refill'; readonly table: string }

type Plan = { readonly steps: readonly Step[]; readonly losses: readonly string[] }

function typeOf({ type, counted }: Column): string {
  return counted ? `counted ${type}` : type
}

function describe(column: Column): string {
  return `${typeOf(column)}${column.notNull ? ' not null' : ''}`
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function compareColumn(table: string, before: Column, after: Column): string[] {
  const problems: string[] = []
  if (typeOf(before) !== typeOf(after)) {
    problems.push(`${table}.${after.name} changes from ${typeOf(before)} to ${typeOf(after)}`)
  } else if (!before.notNull && after.notNull) {
    problems.push(
      `${table}.${after.name} changes from ${describe(before)} to ${describe(after)}: rows without a value have none to take`,
    )
  }
  if (!isSame(before.references, after.references)) {
    const kept = (column: Column) =>
      column.references ? `a reference to ${column.references.table} (${column.references.onDelete})` : 'no reference'
    problems.push(`${table}.${after.name} changes from ${kept(before)} to ${kept(after)}`)
  }
  return problems
}

function planColumns(before: Table, after: Table): Plan {
  const steps: Step[] = []
  const losses: string[] = []
  for (const column of after.columns) {
    const old = before.columns.find((one) => one.name === column.name)
    if (old) {
      losses.push(...compareColumn(after.name, old, column))
      if (old.notNull && !column.notNull) steps.push({ kind: 'allow-null', table: after.name, column: column.name })
    } else if (column.notNull && (column.fill === null || column.fill === undefined)) {
      losses.push(
        `${after.name}.${column.name} is new and required, and the rows that are there have no value for it; give it a default`,
      )
    } else {
      steps.push({ kind: 'add-column', table: after.name, column })
    }
  }
  for (const column of before.columns) {
    if (after.columns.some((one) => one.name === column.name)) continue
    if (isMadeColumn(column.name)) steps.push({ kind: 'drop-column', table: after.name, column: column.name })
    else
      losses.push(`${after.name}.${column.name} (${describe(column)}) is no longer declared: its values would be lost`)
  }
  return { steps, losses }
}

function planTable(before: Table, after: Table): Plan {
  const { steps: columns, losses } = planColumns(before, after)
  const steps = [...columns]
  const refill =
    columns.some((step) => step.kind === 'add-column' && isMadeColumn(step.column.name)) ||
    (before.search !== undefined && after.search !== undefined && !isSame(before.searched, after.searched))
  const same = (a: Index) => (b: Index) => isSame(a, b)
  for (const index of before.indexes) {
    if (!after.indexes.some(same(index))) steps.unshift({ kind: 'drop-index', table: after.name, index: index.name })
  }
  if (before.search && !after.search) steps.unshift({ kind: 'drop-search', table: before })
  if (after.search && !before.search) steps.push({ kind: 'create-search', table: after })
  if (refill) steps.push({ kind: 'refill', table: after.name })
  for (const index of after.indexes) {
    if (!before.indexes.some(same(index))) steps.push({ kind: 'create-index', table: after.name, index })
  }
  return { steps, losses }
}

/** Pure: both models in, the plan out. */
function planMigration(before: Model | undefined, after: Model): Plan {
  const steps: Step[] = []
  const losses: string[] = []
  for (const table of after.tables) {
    const old = before?.tables.find((one) => one.name === table.name)
    if (!old) {
      steps.push({ kind: 'create-table', table })
      for (const index of table.indexes) steps.push({ kind: 'create-index', table: table.name, index })
      if (table.search) steps.push({ kind: 'create-search', table })
      continue
    }
    const plan = planTable(old, table)
    steps.push(...plan.steps)
    losses.push(...plan.losses)
  }
  for (const table of before?.tables ?? []) {
    if (!after.tables.some((one) => one.name === table.name))
      losses.push(`table ${table.name} is no longer declared: its rows would be lost`)
  }
  return { steps, losses }
}

/** Pure: the steps from one model to the other. Throws `StartError` when they would lose data. */
export function stepsTo(before: Model | undefined, after: Model): readonly Step[] {
  const { steps, losses } = planMigration(before, after)
  if (losses.length === 0) return steps
  const lines = losses.map((loss) => `  ${loss}`).join('\n')
  throw new StartError(
    `The declarations no longer fit the stored data, and nothing was changed:\n${lines}\n` +
      'Declare it as it was, or export the resource, start on an empty database and import it: npm run bindery -- export --help',
  )
}

/** The name in `bindery_meta` of the mark that a database carries while another one is copied into it. */
export const copyMark = 'copy'

/** Throws `StartError` when there is a mark: a copy into this database has not completed. */
export function refuseUnfinished(mark: string | undefined): void {
  if (mark === undefined) return
  const { from, command = 'bindery copy', begunAt } = JSON.parse(mark) as CopyMark
  throw new StartError(
    `This database is the target of a copy from ${from} (begun ${begunAt}) that is going on or was interrupted. ` +
      `Wait for its end, run the same ${command} again, or take another database`,
  )
}

/** `command` is absent in marks of earlier versions. */
export type CopyMark = { readonly from: string; readonly command?: string; readonly begunAt: string }
