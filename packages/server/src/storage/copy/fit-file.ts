/**
 * Maps the resources and fields of an export file to the current declarations. It finds all
 * differences before the first write. It refuses each, unless the caller renames the item or leaves
 * it out.
 */
import { randomBytes } from 'node:crypto'
import { StartError } from '../../errors.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { StoredRow } from '../../resource/fields/computed/earlier-values.ts'
import type { Field } from '../../resource/fields/field.ts'
import { conversionOf, earlierNames, earlierWords } from '../../resource/fields/field-facts.ts'
import { backfilled, computeMaker, converted } from '../migrate/fillers.ts'
import {
  columnOf,
  foldColumnOf,
  foldOf,
  type ModelTable,
  modelOf,
  searchColumn,
  versionColumn,
} from '../model/model.ts'
import { searchTextOf } from '../sql/row.ts'
import { type FileHead, type FileResource, typeInFile } from './file-head.ts'
import { ownRows } from './own-rows.ts'

/** The values of a row, in the order of the file. */
export type FileRow = readonly unknown[]

/** One resource of the file with the table that it goes to; undefined where it is left out. */
export type FittedResource = {
  readonly from: FileResource
  readonly to: { readonly table: ModelTable; rowOf(cells: FileRow): readonly unknown[] } | undefined
}

export type FitOptions = {
  /**
   * Names in the file → the last part of the current name. Keys: `loan`, `loan.state`, or the word
   * of a choice, `loan.state.BACK`.
   */
  readonly renamed: ReadonlyMap<string, string>
  /** Resources and fields to leave out, by their names in the file. */
  readonly leftOut: ReadonlySet<string>
}

/**
 * The names that are declared now: whether this one is known, and which one has it as its earlier
 * name.
 */
type CurrentNames = {
  readonly known: (name: string) => boolean
  readonly since: (earlier: string) => string | undefined
}

/**
 * Finds the current name of an item in the file. The caller's own renaming goes first, then the
 * same name, then a declared earlier name.
 */
function nameToday({ renamed }: FitOptions, path: string, { known, since }: CurrentNames): string | undefined {
  const given = renamed.get(path)
  if (given !== undefined) return known(given) ? given : undefined
  const name = path.slice(path.lastIndexOf('.') + 1)
  return known(name) ? name : since(name)
}

function resourceNames({ resources }: Catalog): CurrentNames {
  const all = [...resources.values()]
  return {
    known: (name) => resources.has(name),
    since: (earlier) => all.find(({ renamedFrom }) => renamedFrom.includes(earlier))?.name,
  }
}

function fieldNames({ storedNames, fields }: Resource): CurrentNames {
  return {
    known: (name) => storedNames.includes(name),
    since: (earlier) => storedNames.find((name) => earlierNames(fields[name] as Field).includes(earlier)),
  }
}

function wordsOf(field: Field): CurrentNames {
  const { values = [] } = field
  const earlier = new Map(Object.entries(earlierWords(field)))
  return { known: (word) => values.includes(word), since: (word) => earlier.get(word) }
}

const advice = (path: string) => `--map ${path}=NAME says what it is called now, --leave-out ${path} leaves it out`

/** Stored in place of a secret that is not in the file. No password has this hash, and no token. */
function standInOf({ unique }: Field): string {
  return unique ? `!${randomBytes(24).toString('base64url')}` : '!'
}

/**
 * `row`: the argument of the declarations' functions: the file's values by earlier and current
 * names, and the values computed so far.
 */
type Value = (cells: FileRow, row: StoredRow) => unknown

/** How a declared field gets its value. `at`: its index in a row of the file. */
type FittedField = { readonly at?: number; readonly value: Value }

function wordsToday(fitting: FitOptions, { path, at, field }: { path: string; at: number; field: Field }): Value {
  const { values = [] } = field
  const names = wordsOf(field)
  const known = new Map<unknown, string>()
  return (cells) => {
    const word = cells[at]
    if (word === null) return null
    const before = known.get(word)
    if (before !== undefined) return before
    const today = nameToday(fitting, `${path}.${word}`, names)
    if (today === undefined)
      throw new StartError(
        `${path} has the word ${word}, which is none of ${values.join(', ')}; --map ${path}.${word}=WORD says what it is now`,
      )
    known.set(word, today)
    return today
  }
}

type InFile = {
  readonly path: string
  readonly at: number
  readonly field: Field
  readonly name: string
  /** The type in the file. */
  readonly kind: string
}

function valueToday(fitting: FitOptions, { path, at, field, name, kind }: InFile): Value {
  if (typeInFile(field) !== kind) return (cells, row) => converted(cells[at] ?? null, row, { name, field, kind })
  const value: Value = field.values ? wordsToday(fitting, { path, at, field }) : (cells) => cells[at]
  if (field.backfill === undefined) return value
  return (cells, row) => value(cells, row) ?? backfilled(row, name, field)
}

type FitTarget = { readonly resource: Resource; readonly table: ModelTable; readonly from: FileResource }

/**
 * The declared fields that the file has. Adds to `problems` each field of the file that is not
 * declared.
 */
function fitFields(fitting: FitOptions, { resource, from }: FitTarget, problems: string[]): Map<string, FittedField> {
  const values = new Map<string, FittedField>()
  const names = fieldNames(resource)
  for (const [at, [name, type]] of Object.entries(from.fields).entries()) {
    const path = `${from.name}.${name}`
    if (fitting.leftOut.has(path)) continue
    const today = nameToday(fitting, path, names)
    const field = today === undefined ? undefined : resource.fields[today]
    if (today === undefined || field === undefined)
      problems.push(`${path} is in the file and not declared: ${advice(path)}`)
    else if (values.has(today)) problems.push(`two fields of the file become ${resource.name}.${today}`)
    else if (field.computed) values.set(today, { at, value: () => null })
    else if (typeInFile(field) !== type && !conversionOf(field, { kind: type, name: today }))
      problems.push(
        `${path} is ${type} in the file and ${typeInFile(field)} in the declarations: write what becomes of each stored value: convert: (value) => …`,
      )
    else {
      const value = valueToday(fitting, { path, at, field, name: today, kind: type })
      values.set(today, { at, value })
    }
  }
  return values
}

/** Fields that the file does not have: secrets and new fields. */
function fillFields({ resource, table, from }: FitTarget, values: Map<string, FittedField>, problems: string[]): void {
  for (const name of resource.storedNames.filter((one) => !values.has(one))) {
    const field = resource.fields[name] as Field
    const column = table.columns.find((one) => one.name === columnOf(name))
    const { fill = null } = column ?? {}
    if (field.type.secret !== undefined) values.set(name, { value: () => standInOf(field) })
    else if (field.backfill !== undefined) values.set(name, { value: (_cells, row) => backfilled(row, name, field) })
    else if (fill === null && column?.notNull === true)
      problems.push(
        `${resource.name}.${name} is required and not in the file (${from.name}): give it a default or a backfill`,
      )
    else values.set(name, { value: () => (field.type.isOpaque && typeof fill === 'string' ? JSON.parse(fill) : fill) })
  }
}

type MakeRow = (cells: FileRow) => Record<string, unknown>

/** Undefined where no function of the declaration uses it. */
function beforeMaker({ resource, from }: FitTarget, values: ReadonlyMap<string, FittedField>): MakeRow | undefined {
  const asks = ({ backfill, convert }: Field) => backfill !== undefined || convert !== undefined
  if (!resource.storedNames.some((name) => asks(resource.fields[name] as Field))) return undefined
  const places = new Map(Object.keys(from.fields).map((name, at) => [name, at]))
  for (const [name, { at }] of values) if (at !== undefined) places.set(name, at)
  return (cells) => Object.fromEntries([...places].map(([name, at]) => [name, cells[at]]))
}

/**
 * A row of the file → the values of the table's columns, in their order, derived columns included.
 */
function rowMaker(place: FitTarget, values: ReadonlyMap<string, FittedField>) {
  const { resource, table, from } = place
  const names = resource.storedNames
  const versionAt = Object.keys(from.fields).length
  const before = beforeMaker(place, values)
  const computed = resource.computedNames.map((name) => [name, computeMaker(resource, name)] as const)
  const makers = table.columns.map(
    ({ name: column }): ((cells: FileRow, record: Record<string, unknown>) => unknown) => {
      if (column === versionColumn) return (cells) => cells[versionAt]
      if (column === searchColumn && table.search !== undefined)
        return (_cells, record) => searchTextOf(resource, record)
      const stored = names.find((name) => columnOf(name) === column)
      if (stored !== undefined) return (_cells, record) => record[stored]
      const folded = names.find((name) => foldColumnOf(name) === column) as string
      const fold = foldOf(resource, folded)
      return (_cells, record) => (typeof record[folded] === 'string' ? fold(record[folded]) : null)
    },
  )
  return (cells: FileRow): readonly unknown[] => {
    const record: Record<string, unknown> = {}
    const row = before?.(cells) ?? {}
    for (const [name, { at, value }] of values) {
      record[name] = value(cells, row)
      if (before && (at === undefined || cells[at] === null)) row[name] = record[name]
    }
    for (const [name, compute] of computed) record[name] = compute(record)
    return makers.map((make) => make(cells, record))
  }
}

/**
 * A table of the service itself has no declaration: its columns must be the same. A file of an
 * earlier version lacks columns that were added since, which may be null.
 */
function fitOwn(from: FileResource, table: ModelTable, problems: string[]): FittedResource {
  const names = Object.keys(from.fields)
  const places = table.columns.map(({ name }) => names.indexOf(name))
  const isKnown = names.every((name) => table.columns.some((column) => column.name === name))
  const isWhole = table.columns.every(({ name, notNull }) => !notNull || names.includes(name))
  if (!isKnown || !isWhole)
    problems.push(`${from.name} in the file is of another version: --leave-out ${from.name} leaves it out`)
  return { from, to: { table, rowOf: (cells) => places.map((place) => cells[place] ?? null) } }
}

/** Throws `StartError` that lists everything that does not fit. */
export function fitFile({ resources }: FileHead, catalog: Catalog, fitting: FitOptions): FittedResource[] {
  const model = modelOf(catalog)
  const names = resourceNames(catalog)
  const problems: string[] = []
  const taken = new Set<string>()
  const fitted = resources.map((from): FittedResource => {
    if (fitting.leftOut.has(from.name)) return { from, to: undefined }
    const own = ownRows.find(({ name }) => name === from.name)
    if (own) return fitOwn(from, own, problems)
    const today = nameToday(fitting, from.name, names)
    const resource = today === undefined ? undefined : catalog.get(today)
    const table = model.tables.find(({ name }) => name === resource?.table)
    if (!resource || !table || taken.has(resource.name)) {
      const what = resource
        ? `two resources of the file become ${resource.name}`
        : `${from.name} (${from.rows} rows) is in the file and not declared`
      problems.push(`${what}: ${advice(from.name)}`)
      return { from, to: undefined }
    }
    taken.add(resource.name)
    const place = { resource, table, from }
    const values = fitFields(fitting, place, problems)
    fillFields(place, values, problems)
    return { from, to: { table, rowOf: rowMaker(place, values) } }
  })
  if (problems.length === 0) return fitted
  const lines = problems.map((problem) => `  ${problem}`).join('\n')

  throw new StartError(`The file does not fit the declarations, and nothing was changed:\n${lines}`)
}
