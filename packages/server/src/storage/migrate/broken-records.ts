/**
 * Counts the stored records that break a requirement of the declarations. They stay, so the
 * migration continues, and the operator gets a message about each requirement that is new.
 */

import { jsonText } from '../../base/json-text.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { StoredCheck } from '../../resource/code/stored-check.ts'
import type { Scalar } from '../../resource/condition.ts'
import { columnOf, type ModelTable, modelOf, type SchemaModel } from '../model/model.ts'
import { quote } from '../sql/ddl-words.ts'
import { makeStatements } from '../sql/statements.ts'
import { idsNamed } from './duplicate-keys.ts'
import { namedRecords } from './examine.ts'
import { type Requirement, requirementsOf } from './requirements.ts'
import { allRows, type RowReader } from './stored-rows.ts'

/** The name in `bindery_meta` of the requirements that stored records were counted for. */
export const requirementsMark = 'checks'
/** A listing of broken records names so many of each requirement. */
const idsListed = 10_000

/** `count`: undefined where columns are missing that the steps create. */
export type BrokenRecords = Pick<Requirement, 'resource' | 'name' | 'line' | 'stays'> & {
  readonly count: number | undefined
  readonly ids: readonly Scalar[]
}

export type CountOptions = {
  readonly catalog: Catalog
  readonly checks: readonly StoredCheck[]
  /** The checks that the database remembers; undefined in one of an earlier version. */
  readonly known: string | undefined
  /** Counts all again, and names more of them. */
  readonly recount?: boolean | undefined
  /** The stored model; absent where it is the declared one. */
  readonly model?: SchemaModel | undefined
}

type Found = { readonly count: number; readonly ids: readonly Scalar[] }
type Counting = { readonly from: RowReader; readonly catalog: Catalog; readonly named: number }

/** A field and a check may have one name. */
function keyOf({ resource, name, breaking }: Requirement): string {
  return `${resource.name}.${breaking.by === 'sql' ? name : `checks.${name}`}`
}

function tableOf({ tables }: SchemaModel, { table }: Resource): ModelTable | undefined {
  return tables.find(({ name }) => name === table)
}

/** Whether the table has its declared columns, under their names and with their values. */
function isThere(stored: SchemaModel, declared: SchemaModel, resource: Resource): boolean {
  const [before, after] = [tableOf(stored, resource), tableOf(declared, resource)]
  return (after?.columns ?? []).every((column) =>
    before?.columns.some(({ name, type, unfilled }) => name === column.name && type === column.type && !unfilled),
  )
}

async function countByCode(
  { from, catalog, named }: Counting,
  resource: Resource,
  refuses: (record: Record<string, unknown>) => boolean,
): Promise<Found> {
  const found = { count: 0, ids: [] as Scalar[] }
  const table = tableOf(modelOf(catalog), resource) as ModelTable
  for await (const records of allRows(from, { table, resource }))
    for (const { id, row } of records) {
      if (!refuses(Object.fromEntries(resource.storedNames.map((name) => [name, row[name] ?? null])))) continue
      found.count += 1
      if (found.ids.length < named) found.ids.push(id)
    }
  return found
}

async function countOf(counting: Counting, { resource, breaking }: Requirement): Promise<Found> {
  const { from, catalog, named } = counting
  const { executor, dialect } = from
  if (breaking.by === 'code') return countByCode(counting, resource, breaking.refuses)
  if (breaking.by === 'sql') {
    const key = `own.${quote(columnOf(resource.idField))}`
    const sql = `SELECT ${key} ${breaking.sql} ORDER BY 1 LIMIT ${named}`
    const ids = (await executor.all({ sql, parameters: [] })).map(([id]) => id as Scalar)
    if (ids.length === 0) return { count: 0, ids }
    const [count] = (await executor.first({ sql: `SELECT count(*) ${breaking.sql}`, parameters: [] })) as [number]
    return { count, ids }
  }
  // The steps make the indexes of texts later.
  const without = { findWords: () => undefined, findPart: () => undefined }
  const { list, count } = makeStatements(catalog, { ...dialect, ...without })
  const sort = [{ field: resource.idField, descending: false }]
  const at = resource.storedNames.indexOf(resource.idField)
  const rows = await executor.all(list(resource, { where: breaking.where, sort, limit: named }, { plainly: true }))
  const ids = rows.map((cells) => cells[at] as Scalar)
  if (ids.length === 0) return { count: 0, ids }
  const [all] = (await executor.first(count(resource, breaking.where))) as [number]
  return { count: all, ids }
}

/** The requirements that are new to the database, and that stored records break. */
export async function brokenIn(from: RowReader, options: CountOptions): Promise<readonly BrokenRecords[]> {
  const { catalog, checks, known, recount = false, model } = options
  const remembered = known === undefined || recount ? {} : (JSON.parse(known) as Record<string, string>)
  const declared = modelOf(catalog)
  const broken: BrokenRecords[] = []
  for (const one of requirementsOf(catalog, checks)) {
    const { resource, name, line, stays, definition } = one
    if (remembered[keyOf(one)] === definition) continue
    if (model && !tableOf(model, resource)) continue
    const isStored = !model || one.reads.every((read) => isThere(model, declared, read))
    const found = isStored
      ? await countOf({ from, catalog, named: recount ? idsListed : idsNamed }, one)
      : { count: undefined, ids: [] }
    if (found.count !== 0) broken.push({ resource, name, line, stays, ...found })
  }
  return broken
}

/** The message for the operator. */
export function describeBroken({ line, stays, count, ids }: BrokenRecords): string {
  if (count === undefined)
    return `${line} is new or has changed; the records that break it are counted with the steps, which make their columns`
  const records = namedRecords(count, ids.slice(0, idsNamed))
  const [number, noun, ...rest] = records.split(' ')
  return `${line} is new or has changed, and ${number} ${noun} ${count === 1 ? 'breaks' : 'break'} it ${rest.join(' ')}; they stay, and reads return them; ${stays}. All of them: bindery migrate --checks`
}

/** The text for `requirementsMark`. */
export function requirementsText({ catalog, checks }: Pick<CountOptions, 'catalog' | 'checks'>): string {
  return jsonText(Object.fromEntries(requirementsOf(catalog, checks).map((one) => [keyOf(one), one.definition])))
}
