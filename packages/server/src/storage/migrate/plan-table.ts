/** Plans the changes to the columns, indexes and searched texts of one table. */

import { jsonText } from '../../base/json-text.ts'
import { earlierNames } from '../../resource/fields/field-facts.ts'
import { snakeOf } from '../../resource/words/names.ts'
import {
  columnOf,
  isMadeColumn,
  losesNothing,
  type ModelColumn,
  type ModelIndex,
  type ModelTable,
} from '../model/model.ts'
import { orderComputed, planComputed } from './computed/plan-computed.ts'
import { planCounted } from './computed/plan-counted.ts'
import { planLinks } from './links/plan-links.ts'
import { planPlaces } from './places/plan-places.ts'
import { type ColumnChange, described, type FillTrial, type MigrationPlan, placeOf, type TableSteps } from './plan.ts'
import { fieldOf, planColumn, planRequired } from './plan-column.ts'
import { type MigrationStep, searchSteps } from './steps.ts'

function isSame(a: unknown, b: unknown): boolean {
  return jsonText(a) === jsonText(b)
}

/** Names of the field's column in earlier versions, in any spelling that the database gave them. */
function earlierVersionNames({ means }: ModelColumn): readonly string[] {
  return means ? [snakeOf(means.field)] : []
}

/**
 * The stored column with the values of this one, under this name or an earlier one that is no
 * longer declared.
 */
function sourceOf({ stored, resource, declared }: ColumnChange, column: ModelColumn): ModelColumn | undefined {
  const named = stored.columns.find(({ name }) => name === column.name)
  if (named && !named.unfilled) return named
  const field = fieldOf(resource, column)
  const isDeclared = (name: string) => declared.columns.some((one) => one.name === name)
  const names = field ? earlierNames(field).flatMap((one) => [columnOf(one), snakeOf(one)]) : []
  const earlier = [...names, ...earlierVersionNames(column)].filter((name) => !isDeclared(name))
  // The operator went back to an earlier version: triggers have kept its column the same as the one
  // that replaced it.
  const isFree = ({ leaving }: ModelColumn) => !leaving || (named !== undefined && leaving.heir === named.name)
  return stored.columns.find((one) => earlier.includes(one.name) && isFree(one)) ?? named
}

/** The engine counts the values, or places the records. */
function isByEngine({ resource }: ColumnChange, column: ModelColumn): boolean {
  const { counted, type } = fieldOf(resource, column) ?? {}
  return counted !== undefined || type?.series !== undefined || type?.places !== undefined
}

function planMade(change: ColumnChange, column: ModelColumn): void {
  if (column.means?.places === undefined) planCounted(change, column)
  else planPlaces(change, column)
}

function planNew(change: ColumnChange, column: ModelColumn): void {
  const { resource, stored, planning, into } = change
  const { table } = resource
  const field = fieldOf(resource, column)
  const add = (one: ModelColumn) => into.shape.push({ kind: 'add-column', table, column: one })
  const hasFill = column.fill !== null && column.fill !== undefined
  if (isMadeColumn(column.name)) add({ ...column, unfilled: true })
  else if (field?.computed) {
    add({ ...column, unfilled: true })
    planComputed(change, column)
  } else if (field?.counted) {
    add({ ...column, unfilled: true })
    planCounted(change, column)
  } else if (field?.type.series || field?.type.places) {
    add({ ...column, notNull: false, unfilled: true })
    planMade(change, column)
  } else if (typeof field?.backfill === 'function') {
    add({ ...column, notNull: false, unfilled: true })
    into.fillers.push({ column: column.name, by: 'backfill' })
    if (column.notNull)
      (planning.beside ? into.later : into.settle).push({ kind: 'require', table, column: column.name })
  } else if (!column.notNull || hasFill) add(column)
  else {
    into.checks.push({
      kind: 'no-rows',
      table: stored,
      line: `${placeOf(resource, column)} is new and required, and the rows that are there have no value for it`,
      advice:
        'write one for them, backfill: a constant, or (row) => …, or make it optional (a default is only for what callers leave out)',
    })
    add({ ...column, notNull: false })
    ;(planning.beside ? into.later : into.settle).push({ kind: 'require', table, column: column.name })
  }
}

function planGone({ resource, stored, planning, into }: ColumnChange, column: ModelColumn): void {
  const { table } = resource
  const heir = column.leaving?.heir
  const drop: MigrationStep = { kind: 'drop-column', table, column: column.name, heir }
  if (column.leaving) return void (planning.beside ? into.later : into.drop).push(drop)
  const field = column.means?.field ?? column.name
  const allow = `${resource.name}.${field}`
  if (!losesNothing(column.name) && !planning.allowed.has(allow))
    into.checks.push({
      kind: 'no-values',
      table: stored,
      column: column.name,
      allow,
      line: `${resource.writtenIn}: ${resource.name}: ${stored.name}.${column.name} (${described(column)}) is no longer declared: its values would be lost`,
      advice: `if it has a new name, write in the field: renamedFrom: '${field}'; to drop it: bindery migrate --allow-loss ${allow}`,
    })
  if (!planning.beside) return void into.drop.push(drop)
  into.drop.push({ kind: 'leave-column', table, column: column.name })
  into.later.push(drop)
}

function planReturned(change: ColumnChange, column: ModelColumn, before: ModelColumn): void {
  const { resource, into } = change
  const isComputed = column.means?.computed !== undefined
  const texts = (isMadeColumn(column.name) || isComputed) && ({ unfilled: true } as const)
  into.shape.push({ kind: 'return-column', table: resource.table, column: { ...column, ...texts } })
  if (isComputed) planComputed(change, column)
  else if (isByEngine(change, column)) planMade(change, column)
  else if (column.notNull && !before.notNull)
    into.settle.push({ kind: 'require', table: resource.table, column: column.name })
}

/** A stored column, under this name or an earlier one. */
function planFound(change: ColumnChange, source: ModelColumn, column: ModelColumn): void {
  const { stored, into } = change
  if (source.leaving && source.name === column.name) {
    planReturned(change, column, source)
    const heir = stored.columns.find(({ name }) => name === source.leaving?.heir)
    if (heir) into.later.push({ kind: 'drop-column', table: stored.name, column: heir.name, heir: column.name })
  } else if (source.unfilled && isMadeColumn(column.name)) {
    // The refill that follows is still due.
  } else if (source.unfilled && isByEngine(change, column)) {
    planMade(change, column)
  } else if (source.unfilled && column.means?.computed === undefined) {
    into.fillers.push({ column: column.name, by: 'backfill' })
    if (column.notNull) planRequired(change, { ...source, notNull: false }, column)
  } else planColumn(change, source, column)
}

/** Columns that are no longer declared, except those that a step of this plan changes. */
function planRest(change: ColumnChange, after: ModelTable, used: ReadonlySet<ModelColumn>): void {
  const { resource, stored, into } = change
  const isDeclared = (name: string) => after.columns.some((one) => one.name === name)
  for (const column of stored.columns) {
    const isFilled = column.name.endsWith('__next') && into.fillers.some((filler) => filler.column === column.name)
    if (used.has(column) || into.mirrored.has(column.name) || isDeclared(column.name) || isFilled) continue
    const returned = stored.columns.find(({ leaving, name }) => leaving?.heir === column.name && isDeclared(name))
    if (returned)
      into.drop.push({ kind: 'leave-column', table: resource.table, column: column.name, heir: returned.name })
    else if (!planLinks(change, column)) planGone(change, column)
  }
}

/** Returns the current names of the columns that were stored under others. */
function planColumns(change: ColumnChange, after: ModelTable): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>()
  const used = new Set<ModelColumn>()
  for (const column of after.columns) {
    const source = sourceOf(change, column)
    if (source) used.add(source)
    if (source && source.name !== column.name) renamed.set(source.name, column.name)
    if (source) planFound(change, source, column)
    else planNew(change, column)
  }
  orderComputed(change)
  planRest(change, after, used)
  return renamed
}

/** Checks the keys of a new index before the first step, if all its columns are stored already. */
function checkKeys(
  { stored, resource, into }: ColumnChange,
  index: ModelIndex,
  renamed: ReadonlyMap<string, string>,
): void {
  const earlier = new Map([...renamed].map(([from, to]) => [to, from]))
  const columns = index.columns.flatMap(
    (column) => stored.columns.find(({ name }) => name === (earlier.get(column) ?? column)) ?? [],
  )
  const text = columns.find(({ type, name }) => type === 'text' && name !== stored.primaryKey)
  if (!text) return
  into.checks.push({
    kind: 'fits-index',
    table: stored,
    columns: columns.map(({ name }) => name),
    line: `${placeOf(resource, text)} gets an index, and there are texts that are too long for one`,
    advice: 'shorten them, or name the field in unindexed of its list',
  })
}

type IndexSteps = { readonly dropped: MigrationStep[]; readonly made: MigrationStep[]; readonly uniques: ModelIndex[] }

function planIndexes(change: ColumnChange, after: ModelTable, renamed: ReadonlyMap<string, string>): IndexSteps {
  const { stored, planning, into } = change
  const table = after.name
  const isKept = (index: ModelIndex) =>
    index.columns.some((column) => stored.columns.some(({ name, leaving }) => name === column && leaving))
  const named = (columns: readonly string[]) => columns.map((column) => renamed.get(column) ?? column)
  const isDirect = !planning.beside && into.mirrors.length === 0
  const left = [...after.indexes]
  const dropped: MigrationStep[] = []
  const made: MigrationStep[] = []
  for (const index of stored.indexes) {
    const isTouched = index.columns.some((column) => into.anew.has(column))
    const columns = isDirect ? named(index.columns) : index.columns
    const same = left.findIndex((one) => !isTouched && one.unique === index.unique && isSame(one.columns, columns))
    if (same >= 0) {
      const [twin] = left.splice(same, 1)
      if (twin && twin.name !== index.name) made.push({ kind: 'rename-index', table, index: twin, from: index.name })
      continue
    }
    const isMirrored = planning.beside && index.columns.some((column) => renamed.has(column))
    if (!isMirrored && !(planning.beside && isKept(index)))
      dropped.push({ kind: 'drop-index', table, index: index.name })
  }
  for (const index of left) {
    made.push({ kind: 'create-index', table, index })
    checkKeys(change, index, renamed)
  }
  const uniques = left.filter(
    (index) => index.unique && !stored.indexes.some((old) => old.unique && isSame(named(old.columns), index.columns)),
  )
  return { dropped, made, uniques }
}

type TenantChange = {
  readonly after: ModelTable
  readonly renamed: ReadonlyMap<string, string>
  readonly into: Pick<TableSteps, 'anew'>
}

/** Whether the stored index of each tenant's words serves on. */
function hasTenant({ searchTenant: tenant }: ModelTable, { after, renamed, into }: TenantChange): boolean {
  if (tenant === undefined || into.anew.has(tenant)) return false
  return after.searchTenant === (renamed.get(tenant) ?? tenant)
}

function planTexts(
  { stored, into }: ColumnChange,
  after: ModelTable,
  renamed: ReadonlyMap<string, string>,
): IndexSteps['made'] {
  const steps: MigrationStep[] = []
  const waits = stored.columns.some(({ name, unfilled }) => unfilled && isMadeColumn(name) && !name.endsWith('__next'))
  const isText = (name: string) => isMadeColumn(name) && !name.endsWith('__next')
  const added = into.shape.some(
    (step) => (step.kind === 'add-column' || step.kind === 'return-column') && isText(step.column.name),
  )
  const follows = after.columns.some(({ name }) => isText(name)) && into.fillers.length > 0
  const searched = stored.searched?.map((column) => renamed.get(column) ?? column)
  const isOther = stored.search !== undefined && after.search !== undefined && !isSame(searched, after.searched)
  if (after.search && !stored.search) steps.push({ kind: 'create-search', table: after })
  if (after.searchTenant !== undefined && !hasTenant(stored, { after, renamed, into }))
    steps.push({ kind: 'create-search', table: after, tenant: after.searchTenant })
  const isFoldedAnew = after.columns.some(({ name, fold }) =>
    stored.columns.some((one) => one.name === name && one.fold !== fold),
  )
  if (waits || added || isOther || follows || isFoldedAnew)
    steps.push({ kind: 'refill', table: after.name, searched: after.searched })
  return steps
}

/** `change.stored`: the table in its stored form, under its stored name. */
export function planTable(change: ColumnChange, after: ModelTable): Pick<MigrationPlan, 'steps' | 'trials'> {
  const { stored, resource, into } = change
  const renamed = planColumns(change, after)
  const { dropped, made, uniques } = planIndexes(change, after, renamed)
  const texts = planTexts(change, after, renamed)
  const { shape, mirrors, fillers, settle, numbers, drop } = into
  const fill: MigrationStep[] = fillers.length > 0 ? [{ kind: 'fill', table: after.name, fillers }] : []
  const gone = { ...stored, name: after.name }
  const search = searchSteps('drop-search', {
    ...gone,
    search: after.search ? undefined : stored.search,
    searchTenant: hasTenant(stored, { after, renamed, into }) ? undefined : stored.searchTenant,
  })
  const tried = fillers.some(({ by }) => by !== 'copy') || uniques.length > 0
  const trials: FillTrial[] = tried ? [{ before: stored, after, resource, fillers, uniques }] : []
  return {
    steps: [...search, ...dropped, ...shape, ...mirrors, ...fill, ...settle, ...texts, ...made, ...numbers, ...drop],
    trials,
  }
}
