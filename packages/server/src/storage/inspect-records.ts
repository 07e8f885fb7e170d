/**
 * Inspects the rows of both databases: broken references, the change log beside the tables, the
 * clock, and lists that no index serves. The caller has opened one snapshot for all reads.
 */

import { timestampOf } from '../base/clock.ts'
import type { Catalog } from '../resource/catalog.ts'
import { followsOf } from '../resource/fields/following/followers.ts'
import { countedIdMax } from '../resource/fields/id.ts'
import { type Change, changesTable } from './changes.ts'
import { type Findings, named } from './finding.ts'
import { findLogGaps } from './log-replay.ts'
import type { PresentSchema } from './model/drift.ts'
import { columnOf, type ModelColumn, type ModelTable, type SchemaModel, versionColumn } from './model/model.ts'
import { changeColumns, isCut, readChange } from './sql/change-rows.ts'
import { quote } from './sql/ddl-words.ts'
import type { Executor } from './sql/reader.ts'

export type InspectContext = {
  readonly executor: Executor
  readonly catalog: Catalog
  /** The tables that are there. */
  readonly tables: readonly ModelTable[]
  /** Whether the change log is there: earlier versions had none. */
  readonly hasLog: boolean
  /** How a statement names its first parameter: `?` or `$1`. */
  readonly parameter: string
  /** The time of this machine's clock. */
  readonly nowMs: number
  /** The approximate number of rows of a table. */
  rowsOf(table: string): Promise<number>
  /** A command that runs a statement on this database. */
  run(sql: string): string
  /**
   * The last id that the database generated for a table, as its counter has it, and the statement
   * that sets the counter.
   */
  readonly counter: { last(table: ModelTable): Promise<number>; set(table: ModelTable, id: number): string }
}

const logRowsMax = 10_000
/** The accepted difference between two machines' clocks, or while one is being set. */
const clockMsMax = 5_000
/** Sorting fewer rows takes no noticeable time. */
const rowsSorted = 20_000

/** The remedy for rows whose column refers to nothing; `where` finds them. */
function letGoOf(
  { name: table }: ModelTable,
  { name, references, notNull }: ModelColumn,
  where: string,
): string | undefined {
  if (references?.onDelete === 'cascade') return `DELETE FROM ${quote(table)} WHERE ${where}`
  const mayClear = !notNull || references?.onDelete !== 'refuse'
  return mayClear ? `UPDATE ${quote(table)} SET ${quote(name)} = NULL WHERE ${where}` : undefined
}

async function inspectReferences({ about }: Findings, { executor, tables, run }: InspectContext): Promise<void> {
  let isFine = true
  for (const table of tables)
    for (const one of table.columns) {
      const { name, references } = one
      if (!references || !tables.some((each) => each.name === references.table)) continue
      const [id, column, target] = [table.primaryKey, name, references.column].map(quote)
      const from = `FROM ${quote(table.name)} AS c LEFT JOIN ${quote(references.table)} AS p ON p.${target} = c.${column}`
      const where = `WHERE c.${column} IS NOT NULL AND p.${target} IS NULL`
      const cells = await executor.first({ sql: `SELECT count(*), min(c.${id}) ${from} ${where}`, parameters: [] })
      const count = Number(cells?.[0] ?? 0)
      if (count === 0) continue
      isFine = false
      const orphan = `${column} IS NOT NULL AND ${column} NOT IN (SELECT ${target} FROM ${quote(references.table)})`
      const mend = letGoOf(table, one, orphan)
      const letGo = mend ? `let go of what referred to it: ${run(mend)}` : `name others in ${column}`
      about('references', `${table.name}.${name}`).bad(
        `${count} ${count === 1 ? 'row refers' : 'rows refer'} to a row of ${references.table} that is gone, first ${String(cells?.[1])}`,
        `Bring back what is gone from a backup, or ${letGo}`,
      )
    }
  if (isFine) about('references', 'all tables').ok('every reference leads to a row')
}

async function readLog({ executor, catalog }: InspectContext): Promise<readonly Change[]> {
  const sql = `SELECT sequence, ${changeColumns.join()} FROM ${changesTable} ORDER BY sequence DESC LIMIT ${logRowsMax}`
  const rows = await executor.all({ sql, parameters: [] })
  return rows.reverse().map((cells) =>
    readChange(
      catalog,
      cells.map((cell, i) => (i < 2 ? Number(cell) : cell)),
    ),
  )
}

/**
 * Another program deleted rows of the log, and their content is not known. `changes` shows when.
 */
function inspectCuts({ about }: Findings, changes: readonly Change[]): boolean {
  const cuts = changes.filter(isCut)
  if (cuts.length === 0) return true
  about('change log', changesTable).bad(
    `something else deleted its newest rows, last at ${timestampOf(Math.max(...cuts.map(({ atMs }) => atMs)))}`,
    "Servers that were running have read everything anew. Find out what did that: the log is the server's own, let nothing else write to it",
  )
  return false
}

async function inspectLog(findings: Findings, inside: InspectContext, changes: readonly Change[]): Promise<void> {
  const { executor, catalog, tables, parameter } = inside
  const tableOf = (name: string) => tables.find((one) => one.name === catalog.resources.get(name)?.table)
  const declared = changes.filter(({ resource }) => tableOf(resource))
  const gaps = await findLogGaps(declared, async (name, id) => {
    const table = tableOf(name) as ModelTable
    const key = catalog.get(name).hasCountedId ? Number(id) : id
    const sql = `SELECT ${versionColumn} FROM ${quote(table.name)} WHERE ${quote(table.primaryKey)} = ${parameter}`
    const cells = await executor.first({ sql, parameters: [key] })
    return cells && Number(cells[0])
  })
  const isWhole = inspectCuts(findings, changes)
  if (gaps.length > 0)
    findings.about('change log', changesTable).bad(
      named(
        gaps.map(({ resource, id, what }) => `${resource} ${id}: ${what}`),
        3,
      ),
      'Something wrote past Bindery. Restart every server, so that none keeps the old records; if that was not intended, restore a backup',
    )
  else if (isWhole) findings.about('change log', changesTable).ok(`${changes.length} changes agree with the tables`)
}

function ago(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} seconds`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.round(ms / 3_600_000)} hours`
}

/** `atMs`: the latest time stored in the database. */
function inspectClock({ about }: Findings, atMs: number, nowMs: number): void {
  const ahead = atMs - nowMs
  if (ahead <= clockMsMax) {
    about('clock', 'this machine').ok(timestampOf(nowMs))
    return
  }
  about('clock', 'this machine').bad(
    `it says ${timestampOf(nowMs)}, which is ${ago(ahead)} before the last write (${timestampOf(atMs)}): it was set back, or was ahead before`,
    'Set it right (timedatectl set-ntp true), then restart. Until then tokens and keys live too long, and new records sort before older ones',
  )
}

/** A list that clients may request in an order that no index has is sorted for each request. */
async function inspectLists({ about }: Findings, { catalog, tables, rowsOf }: InspectContext): Promise<void> {
  const slow: string[] = []
  for (const resource of catalog.resources.values()) {
    const table = tables.find(({ name }) => name === resource.table)
    if (!table || (await rowsOf(table.name)) < rowsSorted) continue
    const led = new Set([table.primaryKey, ...table.indexes.map(({ columns }) => columns[0])])
    for (const field of resource.list.sortable)
      if (!led.has(columnOf(followsOf(resource.fields[field])?.field ?? field)))
        slow.push(`${resource.slug}?sort=${field}`)
  }
  if (slow.length === 0) {
    about('lists', 'declarations').ok('large lists have an index for each order that they offer')
    return
  }
  about('lists', named(slow)).warn(
    'no index has this order: all rows are read and sorted for each page',
    `See what it costs: bindery explain 'GET /api/v1/${slow[0]}'; then declare an index, or take the field out of sortable`,
  )
}

/** The id counters must not be behind the rows. */
async function inspectCounters({ about }: Findings, { executor, tables, counter, run }: InspectContext): Promise<void> {
  let isFine = true
  for (const table of tables.filter(({ columns }) => columns.some(({ counted }) => counted))) {
    const id = quote(table.primaryKey)
    const sql = `SELECT max(${id}), min(${id}), max(CASE WHEN ${id} <= ${countedIdMax} THEN ${id} END) FROM ${quote(table.name)}`
    const cells = (await executor.first({ sql, parameters: [] })) ?? []
    const [highest = 0, lowest = 1, counted = 0] = cells.map((cell) => (cell === null ? undefined : Number(cell)))
    const given = await counter.last(table)
    const { bad, warn } = about('kept numbers', table.name)
    // Ids that an earlier version imported, or another program wrote.
    if (lowest < 1 || given > countedIdMax) {
      isFine = false
      const mend = `export the records with ids outside 1 to ${countedIdMax}, delete them, and import them again without their ids`
      if (given <= countedIdMax) warn(`there is a record with the id ${lowest}`, mend)
      else {
        const goOn = run(counter.set(table, Math.max(1, counted)))
        bad(`the last id given is ${given}: no id is left`, `${mend}; then ${goOn}`)
      }
    }
    if (given >= highest) continue
    isFine = false
    bad(
      `the last id given is kept as ${given}, and there is ${highest}: an id would be given twice, or creates refused`,
      run(counter.set(table, highest)),
    )
  }
  if (isFine) about('kept numbers', 'ids').ok('as the rows are')
}

/** Runs all of these. `knownMs`: the latest time that the database knows besides its log. */
export async function inspectRecords(findings: Findings, inside: InspectContext, knownMs = 0): Promise<void> {
  let changes: readonly Change[] = []
  await findings.part('kept numbers', 'ids', () => inspectCounters(findings, inside))
  await findings.part('references', 'all tables', () => inspectReferences(findings, inside))
  if (inside.hasLog)
    await findings.part('change log', changesTable, async () => {
      changes = await readLog(inside)
      await inspectLog(findings, inside, changes)
    })
  inspectClock(findings, Math.max(knownMs, ...changes.map(({ atMs }) => atMs)), inside.nowMs)
  await findings.part('lists', 'declarations', () => inspectLists(findings, inside))
}

/** The tables of the model of which every column is there, so that statements about them run. */
export function wholeTables({ tables }: SchemaModel, present: PresentSchema): readonly ModelTable[] {
  return tables.filter(({ name, columns }) => columns.every((column) => present.get(name)?.columns.has(column.name)))
}
