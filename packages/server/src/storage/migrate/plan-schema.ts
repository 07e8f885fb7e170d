/**
 * Plans a migration from the stored model to the current declarations. It is a pure function:
 * checks and trials that come with the plan examine the stored rows. Each database turns the steps
 * into its own SQL.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { pluralOf, snakeOf } from '../../resource/words/names.ts'
import { tableNameOf } from '../../resource/words/sql-names.ts'
import { type ModelTable, modelOf, type SchemaModel } from '../model/model.ts'
import { type LinkedColumns, linkedColumns } from './links/linked-columns.ts'
import type { MigrationPlan, PlanOptions } from './plan.ts'
import { besideRefusal, emptySteps } from './plan.ts'
import { planTable } from './plan-table.ts'
import { type MigrationStep, searchSteps } from './steps.ts'

/** The tables that a resource of this name may have, by this version and by earlier ones. */
function namesIn(name: string): readonly string[] {
  return [pluralOf(name), name].flatMap((one) => [tableNameOf(one), snakeOf(one)])
}

/**
 * The stored table of a resource: by its name, by the stored resource name, or by an earlier name.
 */
function storedOf(before: SchemaModel | undefined, resource: Resource, after: SchemaModel): ModelTable | undefined {
  const tables = before?.tables ?? []
  const named = tables.find(({ name }) => name === resource.table)
  if (named && !named.leaving) return named
  const free = tables.filter(({ name, leaving }) => !leaving && !after.tables.some((table) => table.name === name))
  const names = [resource.name, ...resource.renamedFrom]
  return (
    free.find((table) => table.resource === resource.name) ??
    free.find((table) => names.some((name) => table.resource === name || namesIn(name).includes(table.name))) ??
    named
  )
}

function stepsToMake(table: ModelTable, { lost }: PlanOptions): MigrationStep[] {
  const again = lost?.has(table.name) && ({ again: true } as const)
  const indexes = table.indexes.map((index) => ({ kind: 'create-index', table: table.name, index }) as const)
  return [{ kind: 'create-table', table, ...again }, ...indexes, ...searchSteps('create-search', table)]
}

/** The table with current names of tables in its references and derived columns. */
function underNewNames(table: ModelTable, names: ReadonlyMap<string, string>): ModelTable {
  const columns = table.columns.map((column) => {
    const target = column.references && names.get(column.references.table)
    return column.references && target ? { ...column, references: { ...column.references, table: target } } : column
  })
  return { ...table, columns }
}

type PlanDraft = { readonly [K in keyof MigrationPlan]: MigrationPlan[K][number][] } & {
  /** They need other tables, so they come behind all steps of tables. */
  readonly links: MigrationStep[]
  readonly counts: MigrationStep[]
}

type TablePair = {
  readonly resource: Resource
  readonly stored: ModelTable
  readonly after: ModelTable
  readonly storedTable: (name: string) => ModelTable | undefined
  readonly linked: LinkedColumns
}

/** The key comes before all other steps, because other tables may refer to it. */
function planKey({ resource, stored, after }: TablePair, { steps, checks, trials }: PlanDraft): void {
  const { name: table, primaryKey: column } = stored
  steps.unshift({ kind: 'create-key', table, column })
  const line = `${resource.writtenIn}: ${resource.name}: ${table}.${column} is the primary key, which another program dropped`
  checks.push({ kind: 'no-nulls', table: stored, column, blank: 'a value', line, advice: 'give those records an id' })
  const uniques = [{ name: column, columns: [after.primaryKey], unique: true }]
  trials.push({ before: stored, after, resource, fillers: [], uniques })
}

/** A stored table, under its current name. */
function planStored(tables: TablePair, planning: PlanOptions, into: PlanDraft): void {
  const { resource, stored, after, storedTable } = tables
  const { steps, later, links, counts } = into
  const waiting = planning.beside ? later : steps
  if (stored.name !== after.name) {
    if (planning.beside && after.columns.some(({ means }) => means?.numbers))
      into.refusals.push(
        besideRefusal(`${resource.writtenIn}: ${resource.name}:`, 'has another name, and counts its records'),
      )
    steps.push({ kind: 'rename-table', table: after, from: stored, keep: planning.beside })
    if (planning.beside) later.push({ kind: 'drop-alias', table: after.name, alias: stored.name })
  } else if (stored.alias !== undefined) waiting.push({ kind: 'drop-alias', table: after.name, alias: stored.alias })
  if (stored.leaving) steps.push({ kind: 'return-table', table: after.name })
  if (stored.keyless) planKey(tables, into)
  const from = tables.linked.get(resource.name) ?? []
  const change = { resource, stored, declared: after, planning, into: emptySteps(), storedTable, links: from }
  const plan = planTable(change, after)
  steps.push(...plan.steps)
  links.push(...change.into.links)
  counts.push(...change.into.counts)
  into.trials.push(...plan.trials)
  later.push(...change.into.later)
  into.refusals.push(...change.into.refusals)
  into.checks.push(...change.into.checks)
  into.narrowed.push(...change.into.narrowed)
}

/** A table that is no longer declared. */
function planGoneTable(table: ModelTable, { beside, allowed }: PlanOptions, { steps, later, checks }: PlanDraft): void {
  const drop: MigrationStep = { kind: 'drop-table', table: table.name }
  const name = table.resource ?? table.name
  if (!table.leaving && !allowed.has(name))
    checks.push({
      kind: 'no-rows',
      table,
      allow: name,
      line: `table ${table.name} is no longer declared: its rows would be lost`,
      advice: `if the resource has a new name, write in it: renamedFrom: '${name}'; to drop it: bindery migrate --allow-loss ${name}`,
    })
  if (!beside) return void steps.push(drop)
  if (!table.leaving) steps.push({ kind: 'leave-table', table: table.name })
  later.push(drop)
}

export function planSchema(before: SchemaModel | undefined, catalog: Catalog, planning: PlanOptions): MigrationPlan {
  const after = modelOf(catalog)
  const draft: PlanDraft = {
    links: [],
    counts: [],
    steps: [],
    later: [],
    refusals: [],
    checks: [],
    trials: [],
    narrowed: [],
  }
  const resourceOf = new Map([...catalog.resources.values()].map((resource) => [resource.table, resource]))
  const found = new Map(
    after.tables.map(({ name }) => [name, storedOf(before, resourceOf.get(name) as Resource, after)]),
  )
  const names = new Map(
    [...found].flatMap(([name, old]) => (old && old.name !== name ? [[old.name, name] as const] : [])),
  )
  const linked = linkedColumns(catalog)
  for (const table of after.tables) {
    const old = found.get(table.name)
    const resource = resourceOf.get(table.name) as Resource
    const storedTable = (name: string) => found.get(name)
    if (old)
      planStored({ resource, stored: underNewNames(old, names), after: table, storedTable, linked }, planning, draft)
    else draft.steps.push(...stepsToMake(table, planning))
  }
  const { links, counts, ...plan } = draft
  plan.steps.push(...links, ...counts)
  const kept = new Set(found.values())
  // In reverse order, so that a table goes before those that it refers to.
  for (const table of [...(before?.tables ?? [])].reverse()) if (!kept.has(table)) planGoneTable(table, planning, draft)
  return plan
}
