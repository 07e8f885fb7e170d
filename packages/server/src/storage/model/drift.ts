/**
 * Compares the stored model of a database with its real tables: other programs may have dropped or
 * changed something.
 */
import type { Catalog } from '../../resource/catalog.ts'
import { earlierNames } from '../../resource/fields/field-facts.ts'
import { type Finding, named } from '../finding.ts'
import type { MigrationStep } from '../migrate/steps.ts'
import {
  columnOf,
  isMadeColumn,
  type ModelColumn,
  type ModelIndex,
  type ModelTable,
  modelOf,
  type SchemaModel,
} from './model.ts'

export type PresentIndex = { readonly columns: readonly string[]; readonly unique: boolean }
type References = NonNullable<ModelColumn['references']>
/**
 * The keys of a table: its primary key, and the foreign keys of its columns. A foreign key that
 * another program created may have an `ON DELETE` that no declaration has.
 */
export type PresentKeys = {
  readonly primary: readonly string[]
  readonly foreign: ReadonlyMap<string, readonly PresentReference[]>
}
export type PresentReference = Omit<References, 'onDelete'> & { readonly onDelete: References['onDelete'] | undefined }
/**
 * The real schema: columns by table, and the indexes by their names. `keys`: absent where a table
 * cannot lose them, as in SQLite.
 */
export type PresentSchema = ReadonlyMap<
  string,
  {
    readonly columns: ReadonlySet<string>
    readonly indexes: ReadonlyMap<string, PresentIndex>
    readonly keys?: PresentKeys
  }
>

export function hasPrimaryKey({ primaryKey }: ModelTable, keys: PresentKeys): boolean {
  return keys.primary.join() === primaryKey
}

/**
 * The reference of the column in the database; undefined without a foreign key, or where it differs
 * from the stored model.
 */
export function referenceOf({ name, references }: ModelColumn, keys: PresentKeys): References | undefined {
  if (!references) return undefined
  const there = (keys.foreign.get(name) ?? []).filter(
    ({ table, column }) => table === references.table && column === references.column,
  )
  if (there.some(({ onDelete }) => onDelete === references.onDelete)) return references
  const other = there[0]?.onDelete
  return other && { ...references, onDelete: other }
}

/**
 * The columns whose foreign keys are missing or different. The database dropped keys to a missing
 * table with it.
 */
export function unboundColumns(table: ModelTable, keys: PresentKeys, present: PresentSchema): readonly ModelColumn[] {
  return table.columns.filter(
    (column) =>
      column.references &&
      !column.leaving &&
      !column.unfilled &&
      present.has(column.references.table) &&
      referenceOf(column, keys) !== column.references,
  )
}

/**
 * Whether exactly this index is there: one that is not unique, or over other columns, does not
 * serve.
 */
export function isThere(index: ModelIndex, present: PresentIndex | undefined): boolean {
  return present?.columns.join() === index.columns.join() && (present.unique || !index.unique)
}

type DriftInput = {
  readonly remembered: SchemaModel
  readonly present: PresentSchema
  /** The statement that makes a table or an index again. */
  sqlOf(step: MigrationStep): readonly string[]
  /** A command that runs a statement on this database. */
  run(sql: string): string
}

const makeAgain = (command: string) =>
  `The next start makes it again, and so does bindery migrate; while it serves: ${command}`

function indexFindings(
  table: ModelTable,
  indexes: ReadonlyMap<string, PresentIndex>,
  { sqlOf, run }: DriftInput,
): Finding[] {
  return table.indexes.flatMap((index): Finding[] => {
    const found = indexes.get(index.name)
    if (isThere(index, found)) return []
    const sql = sqlOf({ kind: 'create-index', table: table.name, index })
    const isOther = found?.columns.join() !== index.columns.join()
    const other = isOther
      ? `is over ${found?.columns.join(', ')} and not over ${index.columns.join(', ')}`
      : 'is not unique'
    const again = found ? [`DROP INDEX "${index.name}"`, ...sql] : sql
    const harm = index.unique ? 'nothing keeps these values apart' : 'lists that it served read the whole table'
    return [
      {
        level: 'bad',
        check: 'indexes',
        where: `${table.name}.${index.name}`,
        what: `${found ? other : 'is not there'}: ${harm}`,
        todo: makeAgain(run(again.join('; '))),
      },
    ]
  })
}

function keyFindings(table: ModelTable, { present, sqlOf, run }: DriftInput): Finding[] {
  const keys = present.get(table.name)?.keys
  if (!keys || table.leaving) return []
  const missing: readonly { readonly where: string; readonly what: string; readonly step: MigrationStep }[] = [
    ...(hasPrimaryKey(table, keys)
      ? []
      : [
          {
            where: `${table.name}.${table.primaryKey}`,
            what: 'the primary key is not there: nothing keeps two records from one id',
            step: { kind: 'create-key', table: table.name, column: table.primaryKey } as const,
          },
        ]),
    ...unboundColumns(table, keys, present).map(({ name, references }) => ({
      where: `${table.name}.${name}`,
      what: `no foreign key to ${references?.table} (${references?.onDelete}) is there: other programs leave references that lead nowhere`,
      step: { kind: 'refer', table: table.name, column: name, references } as const,
    })),
  ]
  return missing.map(({ where, what, step }) => ({
    level: 'bad',
    check: 'keys',
    where,
    what,
    todo: makeAgain(run(sqlOf(step).join('; '))),
  }))
}

/** The names that permit going on without these columns. */
function lossesOf(table: ModelTable, names: readonly string[]): string[] {
  return table.columns
    .filter(({ name }) => names.includes(name))
    .map(({ name, means }) => `${table.resource ?? table.name}.${means?.field ?? name}`)
}

/** Tables, columns and indexes of the stored model that the database does not have. */
export function findDrift(drift: DriftInput): readonly Finding[] {
  const { remembered, present } = drift
  return remembered.tables.flatMap((table): Finding[] => {
    const there = present.get(table.name)
    if (!there && table.leaving) return []
    if (!there)
      return [
        {
          level: 'bad',
          check: 'schema',
          where: table.name,
          what: 'the table is not there, and the database remembers that it made it',
          todo: `Restore a backup: what was in it is gone. To go on with an empty one: bindery migrate --allow-loss ${table.resource ?? table.name}`,
        },
      ]
    const gone = table.columns.filter(({ name }) => !there.columns.has(name))
    const lost = gone.filter(({ name, leaving }) => !leaving && !isMadeColumn(name)).map(({ name }) => name)
    const findings = [...keyFindings(table, drift), ...indexFindings(table, there.indexes, drift)]
    if (lost.length === 0) return findings
    return [
      {
        level: 'bad',
        check: 'schema',
        where: table.name,
        what: `${lost.length === 1 ? 'a column is' : 'columns are'} not there that the database remembers: ${named(lost)}`,
        todo: `Restore a backup. To go on without those values: bindery migrate --allow-loss ${lossesOf(table, lost).join()}`,
      },
      ...findings,
    ]
  })
}

/**
 * Tables and fields that are stored but not declared: a later version of the application served the
 * database, or this version lost the declarations.
 */
export function undeclared(remembered: SchemaModel, catalog: Catalog): readonly string[] {
  const { tables } = modelOf(catalog)
  const earlier = new Set([...catalog.resources.values()].flatMap(({ name, renamedFrom }) => [name, ...renamedFrom]))
  return remembered.tables
    .filter(({ leaving }) => !leaving)
    .flatMap((table) => {
      const declared = tables.find(({ name }) => name === table.name)
      if (!declared) return table.resource !== undefined && earlier.has(table.resource) ? [] : [table.name]
      const resource = [...catalog.resources.values()].find((one) => one.table === table.name)
      const was = new Set(Object.values(resource?.fields ?? {}).flatMap((field) => earlierNames(field).map(columnOf)))
      return table.columns
        .filter(
          (column) => column.means && !column.leaving && !declared.columns.some(({ name }) => name === column.name),
        )
        .filter(({ name }) => !was.has(name))
        .map(({ name }) => `${table.name}.${name}`)
    })
}
