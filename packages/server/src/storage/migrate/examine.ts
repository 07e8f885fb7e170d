/**
 * Checks the stored rows before the first step of a migration. It reports each kind of violation
 * with its number of records and the first ten ids. It changes no row and keeps none in memory,
 * except one hash a row for keys that must be unique.
 */

import { jsonText } from '../../base/json-text.ts'
import { StartError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { blankCharacters } from '../../resource/fields/text.ts'
import { snakeOf } from '../../resource/words/names.ts'
import { foldColumnOf, foldOf, type ModelIndex } from '../model/model.ts'
import { quote, textLiteral } from '../sql/ddl-words.ts'
import type { Dialect } from '../sql/dialect.ts'
import { idsNamed, makeDuplicateFinder } from './duplicate-keys.ts'
import { makeFillRow, valueToBe } from './fillers.ts'
import type { FillTrial, MigrationPlan, RowCheck } from './plan.ts'
import { allRows, type RowReader, type StoredRecord } from './stored-rows.ts'

/**
 * The condition of the rows that violate the check. Undefined where this database cannot have any.
 */
function againstOf(check: RowCheck, dialect: Dialect): string | undefined {
  switch (check.kind) {
    case 'no-rows':
      return '1 = 1'
    case 'no-values':
      return `${quote(check.column)} IS NOT NULL`
    case 'no-orphans': {
      const { column, target, trash, table } = check
      const own = `${quote(table.name)}.${quote(column)}`
      const isNone = [target, trash].flatMap((one) =>
        one ? [`NOT EXISTS (SELECT 1 FROM ${quote(one.table)} AS p WHERE p.${quote(one.key)} = ${own})`] : [],
      )
      return [`${quote(column)} IS NOT NULL`, ...isNone].join(' AND ')
    }
    case 'no-nulls':
      return check.blank === 'missing'
        ? `(${quote(check.column)} IS NULL OR trim(${quote(check.column)}, ${textLiteral(blankCharacters)}) = '')`
        : `${quote(check.column)} IS NULL`
    case 'fits-index':
      return dialect.outgrowsIndex?.(check.columns.map(quote))
    case 'only-words':
      return `${quote(check.column)} NOT IN (${check.words.map(textLiteral).join(', ')})`
  }
}

export function namedRecords(count: number, ids: readonly unknown[]): string {
  const more = count > ids.length ? ', …' : ''
  return `${count} ${count === 1 ? 'record' : 'records'} (${ids.join(', ')}${more})`
}

async function refusalOf({ executor, dialect }: RowReader, check: RowCheck): Promise<string | undefined> {
  const { table } = check
  const against = againstOf(check, dialect)
  if (against === undefined) return undefined
  const where = `FROM ${quote(table.name)} WHERE ${against}`
  const rows = await executor.all({
    sql: `SELECT ${quote(table.primaryKey)} ${where} ORDER BY 1 LIMIT ${idsNamed}`,
    parameters: [],
  })
  if (rows.length === 0) return undefined
  const [count] = (await executor.first({ sql: `SELECT count(*) ${where}`, parameters: [] })) as [number]
  const words =
    check.kind === 'only-words'
      ? ` ${(await executor.all({ sql: `SELECT DISTINCT ${quote(check.column)} ${where} ORDER BY 1 LIMIT ${idsNamed}`, parameters: [] })).map(([word]) => `"${word}"`).join(', ')}`
      : ''
  const ids = rows.map(([id]) => id)
  return `${check.line}${words}: ${namedRecords(count, ids)}; ${check.advice}`
}

/**
 * The values of a unique key, with texts folded as the database compares them; undefined where one
 * is null, which is never a duplicate.
 */
function keyOf(
  resource: Resource,
  { columns }: ModelIndex,
  row: Readonly<Record<string, unknown>>,
): string[] | undefined {
  const key: string[] = []
  for (const column of columns) {
    const name = resource.storedNames.find((one) => foldColumnOf(one) === column)
    const plain = name ?? resource.storedNames.find((one) => foldColumnOf(one) === `${column}_folded`)
    // A new column has the default of its field.
    const value = plain === undefined ? undefined : valueToBe(row, plain, resource.fields[plain] as Field)
    if (value === null || value === undefined) return undefined
    key.push(name === undefined ? jsonText(value) : foldOf(resource, name)(String(value)))
  }
  return key
}

/** Whether the key makes a second record impossible, or a second one of a tenant. */
function isKeyOfSingle({ single, unique }: Resource, { columns }: ModelIndex): boolean {
  return single && columns.length === 1 && unique[0]?.[0] !== undefined && columns[0] === snakeOf(unique[0][0])
}

type FailedChecks = Map<string, { count: number; ids: Scalar[] }>

function noteFailure(failures: FailedChecks, problem: string, id: Scalar): void {
  const known = failures.get(problem) ?? { count: 0, ids: [] }
  known.count += 1
  if (known.ids.length < idsNamed) known.ids.push(id)
  if (failures.size < idsNamed || failures.has(problem)) failures.set(problem, known)
}

/** Runs the fills on all rows and returns the new values of the rows that passed. */
async function tryRows(
  from: RowReader,
  trial: FillTrial,
  seen: (record: StoredRecord, row: object) => void,
): Promise<FailedChecks> {
  const { before, after, resource, fillers } = trial
  const fill = makeFillRow(resource, after, fillers)
  const failures: FailedChecks = new Map()
  for await (const records of allRows(from, { table: before, resource })) {
    for (const record of records) {
      try {
        seen(record, fill(record).row)
      } catch (error) {
        noteFailure(failures, (error as Error).message, record.id)
      }
    }
  }
  return failures
}

async function triedOf(from: RowReader, trial: FillTrial): Promise<string[]> {
  const { resource, uniques, before } = trial
  const at = `${resource.writtenIn}: ${resource.name}:`
  const repeats = uniques.map((index) => ({ index, found: makeDuplicateFinder() }))
  const eachKey = (note: (found: (typeof repeats)[number]['found'], key: string[], id: Scalar) => void) =>
    tryRows(from, trial, ({ id }, row) => {
      for (const { index, found } of repeats) {
        const key = keyOf(resource, index, row as Readonly<Record<string, unknown>>)
        if (key) note(found, key, id)
      }
    })
  const failures = await eachKey((found, key) => found.first(key))
  const problems = [...failures].map(
    ([problem, { count, ids }]) => `${at} the new values of ${before.name}: ${problem}: ${namedRecords(count, ids)}`,
  )
  if (repeats.every(({ found }) => !found.hasSome())) return problems
  await eachKey((found, key, id) => found.second(key, id))
  for (const { index, found } of repeats) {
    const named = found.named()
    if (named.length === 0) continue
    const columns = index.columns.map((column) => `${before.name}.${column}`).join(' and ')
    const values = named.map(({ key, count, ids }) => `${key.join(', ')}: ${namedRecords(count, ids)}`)
    const many = `${at} ${columns} must be unique from now on, and there are rows that are not: ${values.join('; ')}; change or merge those records first`
    const several = named.map(({ count, ids }) => namedRecords(count, ids)).join('; ')
    const one = `${at} is single from now on, and there are more records than one: ${several}; delete the others first`
    problems.push(isKeyOfSingle(resource, index) ? one : many)
  }
  return problems
}

/** Throws `StartError` with all violations of the plan; then nothing has changed. */
export async function examine(from: RowReader, { refusals, checks, trials }: MigrationPlan): Promise<void> {
  const lines = [...refusals]
  for (const check of checks) lines.push(...[(await refusalOf(from, check)) ?? []].flat())
  // A trial reads all rows of its table, and its functions rely on the checks.
  if (lines.length === 0) for (const trial of trials) lines.push(...(await triedOf(from, trial)))
  refuse(lines)
}

/** Throws `StartError` when there are lines. */
export function refuse(lines: readonly string[]): void {
  if (lines.length === 0) return
  throw new StartError(
    `The declarations no longer fit the stored data, and nothing was changed:\n${lines.map((line) => `  ${line}`).join('\n')}\n` +
      'Declare it as it was, or say what became of it: bindery migrate --help. To save the data first: bindery export --help',
  )
}
