/**
 * Compares the model that a database stores with its real tables: a manual restore or another
 * program may have dropped some. Derived parts, such as indexes, leave the model, so that the plan
 * creates them again. A missing part that held data is refused, with the commands to go on with or
 * without it.
 */
import { StartError } from '../../errors.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { earlierNames } from '../../resource/fields/field-facts.ts'
import { named } from '../finding.ts'
import {
  hasPrimaryKey,
  isThere,
  type PresentIndex,
  type PresentSchema,
  referenceOf,
  unboundColumns,
} from '../model/drift.ts'
import { columnOf, isMadeColumn, type ModelColumn, type ModelTable, type SchemaModel } from '../model/model.ts'
import type { MigrationStep } from './steps.ts'

export type CurrentSchema = {
  readonly model: SchemaModel | undefined
  /** Tables that are created again, empty: rows that referred to their rows may still be there. */
  readonly lost: ReadonlySet<string>
  /** Whether the stored model lists more than the database has. */
  readonly isLess: boolean
}

type CurrentSchemaOptions = {
  readonly present: PresentSchema
  readonly catalog: Catalog
  /** Data that may be lost: a resource by its name, or `resource.field`. */
  readonly allowed: ReadonlySet<string>
  /** The name of the search index of a table, for databases that have one. */
  readonly searchIndexOf?: (table: string, tenant?: string) => string
}

type MissingPart = { readonly line: string; readonly allow: string | undefined }

function resourceOf({ resources }: Catalog, table: ModelTable): Resource | undefined {
  return [...resources.values()].find(
    ({ name, renamedFrom, table: of }) =>
      of === table.name ||
      name === table.resource ||
      (table.resource !== undefined && renamedFrom.includes(table.resource)),
  )
}

/** Columns without a declared field may be missing: nothing is reported. */
function isDeclared(resource: Resource, { name, means }: ModelColumn): boolean {
  if (!means) return true
  return resource.storedNames.some(
    (field) =>
      field === means.field ||
      columnOf(field) === name ||
      earlierNames(resource.fields[field] as Field).includes(means.field),
  )
}

function indexesOf(table: ModelTable, indexes: ReadonlyMap<string, PresentIndex>): ModelTable['indexes'] {
  return table.indexes.flatMap((index) => {
    const found = indexes.get(index.name)
    if (!found) return []
    // Another index has this name: the plan drops it before it creates the right one.
    return isThere(index, found) ? [index] : [{ ...index, ...found, columns: ['?', ...found.columns] }]
  })
}

/** The table without its missing keys. Returns the same object if none is missing. */
function withoutKeys(table: ModelTable, present: PresentSchema): ModelTable {
  const keys = present.get(table.name)?.keys
  if (!keys || table.leaving) return table
  const unbound = unboundColumns(table, keys, present)
  const isWhole = hasPrimaryKey(table, keys)
  if (isWhole && unbound.length === 0) return table
  const columns = table.columns.map((column) => {
    if (!unbound.includes(column)) return column
    const { references: _, ...rest } = column
    const references = referenceOf(column, keys)
    return references ? { ...rest, references } : rest
  })
  return { ...table, columns, ...(!isWhole && { keyless: true }) }
}

function goneColumn(table: ModelTable, resource: Resource | undefined, column: ModelColumn): MissingPart | undefined {
  const { name, leaving, means } = column
  if (leaving || isMadeColumn(name) || !resource || !isDeclared(resource, column)) return undefined
  const line = `column ${table.name}.${name}`
  if (name === table.primaryKey) return { line, allow: undefined }
  return { line, allow: `${table.resource ?? table.name}.${means?.field ?? name}` }
}

function refuse(gone: readonly MissingPart[]): void {
  if (gone.length === 0) return
  const names = gone.flatMap(({ allow }) => allow ?? [])
  const restore = 'Restore a backup: bindery restore --help.'
  const without = `To go on without it, empty, where records that refer to it lead nowhere: bindery migrate --allow-loss ${names.join()}`
  throw new StartError(
    `The database remembers what is no longer there: something else dropped it, with all that was in it. Nothing was changed:\n${gone.map(({ line }) => `  ${line}`).join('\n')}\n${names.length === gone.length ? `${restore} ${without}` : restore}`,
  )
}

/** Throws `StartError` for lost rows or values, unless the operator allowed the loss. */
export function readCurrentSchema(remembered: SchemaModel | undefined, looking: CurrentSchemaOptions): CurrentSchema {
  if (!remembered) return { model: undefined, lost: new Set(), isLess: false }
  const { present, catalog, allowed, searchIndexOf } = looking
  const gone: MissingPart[] = []
  const lost = new Set<string>()
  let isLess = false
  const note = (one: MissingPart | undefined) => {
    if (one && !(one.allow !== undefined && allowed.has(one.allow))) gone.push(one)
  }
  const tables = remembered.tables.flatMap((known): ModelTable[] => {
    const table = withoutKeys(known, present)
    isLess ||= table !== known
    const there = present.get(table.name)
    const resource = resourceOf(catalog, table)
    if (!there) {
      isLess = true
      if (table.leaving || !resource) return []
      lost.add(resource.table)
      note({ line: `table ${table.name}`, allow: table.resource ?? table.name })
      return []
    }
    const missing = table.columns.filter(({ name }) => !there.columns.has(name))
    for (const column of missing) note(goneColumn(table, resource, column))
    const indexes = indexesOf(table, there.indexes)
    const isGone = (column: string | undefined, tenant?: string) =>
      column !== undefined && searchIndexOf && !there.indexes.has(searchIndexOf(table.name, tenant))
    const isSearchGone = isGone(table.search)
    const isTenantGone = isGone(table.searchTenant, table.searchTenant)
    if (
      missing.length === 0 &&
      !isSearchGone &&
      !isTenantGone &&
      indexes.every((index) => table.indexes.includes(index))
    )
      if (indexes.length === table.indexes.length) return [table]
    isLess = true
    const { search, searchTenant, ...rest } = table
    const columns = table.columns.filter((column) => !missing.includes(column))
    return [
      {
        ...rest,
        columns,
        indexes,
        ...(search !== undefined && !isSearchGone && { search }),
        ...(searchTenant !== undefined && !isTenantGone && { searchTenant }),
      },
    ]
  })
  refuse(gone)
  return { model: { tables }, lost, isLess }
}

/**
 * Throws `StartError` where a table to create exists already: the stored model lost it, or it is
 * another program's.
 */
export function refuseStrangers(steps: readonly MigrationStep[], present: PresentSchema): void {
  const there = steps.flatMap((step) => (step.kind === 'create-table' && present.has(step.table.name) ? [step] : []))
  if (there.length === 0) return
  throw new StartError(
    `The database has tables that it does not remember (in bindery_meta), and nothing was changed: ${named(there.map(({ table }) => table.name))}. If they are Bindery's, restore a backup: bindery restore --help. If they are another program's, let DATABASE_URL name an empty database`,
  )
}
