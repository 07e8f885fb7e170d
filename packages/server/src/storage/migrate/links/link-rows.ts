/**
 * Makes a link of each value of a reference, in batches. A link of which one record is in the trash
 * goes to the trash of the links, and comes back with that record. An interrupted step goes on with
 * the values that have no link.
 */
import { createHash } from 'node:crypto'
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import type { Scalar } from '../../../resource/condition.ts'
import type { Field } from '../../../resource/fields/field.ts'
import { trashFields } from '../../../resource/made/declared-trash.ts'
import { linkFields } from '../../../resource/made/link-table.ts'
import type { ModelTable, SchemaModel } from '../../model/model.ts'
import { quote, textLiteral } from '../../sql/ddl-words.ts'
import { groupsOf } from '../../sql/insert-groups.ts'
import { columnWriter } from '../../sql/row.ts'
import { makeStatements } from '../../sql/statements.ts'
import type { Values } from '../../storage.ts'
import type { MigrationDatabase } from '../migration-database.ts'
import type { MigrationStep } from '../steps.ts'
import { nextRows, type StoredRecord } from '../stored-rows.ts'
import { type LinkTarget, linkColumns } from './linked-columns.ts'

/** One statement takes so many rows. */
const insertRows = 500

type LinkingStep = {
  readonly table: string
  readonly column: string
  readonly linked: LinkTarget
}
export type LinkingOf = { readonly catalog: Catalog; readonly state: SchemaModel; readonly step: LinkingStep }
export type LinkStep = Extract<MigrationStep, { kind: 'link' }>

type Linking = LinkingOf & {
  readonly table: ModelTable
  /** The table of the links, and their trash. */
  readonly into: Resource
  readonly trash: Resource | undefined
  /** The linked records, and their trash. */
  readonly target: Resource
}

function linkingOf(of: LinkingOf): Linking {
  const { catalog, state, step } = of
  const named = (table: string | undefined) => [...catalog.resources.values()].find((one) => one.table === table)
  const into = named(step.linked.into) as Resource
  const to = into.fields[linkFields.to] as Field
  return {
    ...of,
    table: state.tables.find(({ name }) => name === step.table) as ModelTable,
    into,
    trash: named(step.linked.trash),
    target: catalog.get(to.reference?.resource as string),
  }
}

/** The rows with a value that is no link yet. */
function leftSql({ table, step: { column, linked } }: Linking): string {
  const own = (name: string) => `${quote(table.name)}.${quote(name)}`
  const isNone = (links: string) =>
    `NOT EXISTS (SELECT 1 FROM ${quote(links)} AS l WHERE l.${quote(linkColumns.from)} = ${own(table.primaryKey)} AND l.${quote(linkColumns.to)} = ${own(column)})`
  const tables = [linked.into, ...(linked.trash === undefined ? [] : [linked.trash])]
  return [`${own(column)} IS NOT NULL`, ...tables.map(isNone)].join(' AND ')
}

/** The same for the same two records, and before all ids that come later. */
function idOf(table: string, from: Scalar, to: Scalar): string {
  const hex = createHash('sha256').update(`${table} ${from} ${to}`).digest('hex')
  return `00000000-0000-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}

/** The records of the resource with these ids; none where it has no table yet. */
async function recordsIn(
  database: MigrationDatabase,
  { state }: Linking,
  { resource, ids }: { readonly resource: Resource | undefined; readonly ids: readonly Scalar[] },
): Promise<ReadonlyMap<Scalar, StoredRecord>> {
  const table = state.tables.find(({ name }) => name === resource?.table)
  if (!table) return new Map()
  const known = ids.map((id) => (typeof id === 'string' ? textLiteral(id) : String(id)))
  const only = `${quote(table.primaryKey)} IN (${known.join(', ')})`
  const rows = await nextRows(database, { table, only }, undefined)
  return new Map(rows.map((record) => [record.id, record]))
}

function trashValues({ row }: StoredRecord): Values {
  const { at, by, group, root } = trashFields
  return { [at]: row[at], [by]: row[by], [group]: row[group], [root]: false }
}

async function insertLinks(
  database: MigrationDatabase,
  { catalog }: Linking,
  { resource, all }: { readonly resource: Resource; readonly all: readonly Values[] },
): Promise<void> {
  const { dialect, executor } = database
  const statements = makeStatements(catalog, dialect)
  for (const { columns, rows } of groupsOf(columnWriter(dialect, resource), resource, all))
    for (let at = 0; at < rows.length; at += insertRows)
      await executor.all(statements.insert(resource, columns, rows.slice(at, at + insertRows)))
}

async function linkBatch(database: MigrationDatabase, linking: Linking, rows: readonly StoredRecord[]): Promise<void> {
  const { step, into, trash, target } = linking
  const ids = [...new Set(rows.map((record) => record.cellOf(step.column) as Scalar))]
  const present = await recordsIn(database, linking, { resource: target, ids })
  const trashed = await recordsIn(database, linking, { resource: target.trash?.resource, ids })
  const defaults = Object.fromEntries(into.storedNames.map((name) => [name, into.fields[name]?.default ?? null]))
  const [links, gone]: [Values[], Values[]] = [[], []]
  for (const record of rows) {
    const to = record.cellOf(step.column) as Scalar
    const isTrash = Object.hasOwn(record.row, trashFields.group)
    const other = trashed.get(to)
    if (isTrash && !other && !present.has(to)) continue
    const { id, from, to: toId } = linkFields
    const link = { ...defaults, [id]: idOf(into.table, record.id, to), [from]: record.id, [toId]: to }
    const mark = isTrash ? record : other
    if (mark && trash) gone.push({ ...link, ...trashValues(mark) })
    else links.push(link)
  }
  await insertLinks(database, linking, { resource: into, all: links })
  if (trash) await insertLinks(database, linking, { resource: trash, all: gone })
}

/** Resolves when every value has its link. */
export async function linkRows(database: MigrationDatabase, of: LinkingOf): Promise<void> {
  const linking = linkingOf(of)
  const { table } = linking
  const only = leftSql(linking)
  for (let after: Scalar | undefined; ; ) {
    const last = await database.transaction(async () => {
      const rows = await nextRows(database, { table, only }, after)
      if (rows.length > 0) await linkBatch(database, linking, rows)
      return rows.at(-1)?.id
    })
    if (last === undefined) return
    after = last
    await database.breathe()
  }
}

/** In a transaction: links the values that were written after the step had visited their rows. */
export async function linkRest(database: MigrationDatabase, of: LinkingOf): Promise<void> {
  const linking = linkingOf(of)
  const only = leftSql(linking)
  for (let after: Scalar | undefined; ; ) {
    const rows = await nextRows(database, { table: linking.table, only }, after)
    if (rows.length === 0) return
    await linkBatch(database, linking, rows)
    after = rows.at(-1)?.id
  }
}
