/**
 * Adds `can` and relations to records in a response, with one query for each relation and level for
 * all records of a page. Each related record is judged by its own rules, as if it were requested
 * alone. A record that the caller may not get shows nothing below it.
 */
import { ApiError } from '../../errors.ts'
import { listLimits } from '../../operation/list-limits.ts'
import type { Expansion, Selection } from '../../operation/operation.ts'
import { shownUnasked } from '../../operation/visible-fields.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Json } from '../../resource/fields/field.ts'
import { linkMember } from '../../resource/fields/many-to-many.ts'
import { isOfOne } from '../../resource/relations/relations.ts'
import type { Row } from '../../storage/storage.ts'
import { type Represented, representRecord } from '../../value/represent.ts'
import { allowedOperations } from './allowed-operations.ts'
import { loadChildren, type ParentRecords } from './children.ts'
import { loadLinked } from './linked-records.ts'
import { idsOf, type LoadContext, loadRelated, type RelatedRecords } from './related.ts'

/** JSON, and what it adds to the answer each time that it is shown. */
type MeasuredJson = { readonly json: Json; readonly records: number; readonly characters: number }

type RowBudget = { rows: number }
type ExpandContext = LoadContext & { readonly budget: RowBudget }

/** Records of one resource, to which relations are added. */
type RecordGroup = {
  readonly resource: Resource
  readonly rows: readonly Row[]
  readonly foundBy: ParentRecords['foundBy']
}

type AddedMembers = Pick<Selection, 'expand' | 'can'>

const nothing: MeasuredJson = { json: null, records: 0, characters: 0 }

function tooMuch(): ApiError {
  const { expandedMax, expandedCharactersMax } = listLimits
  const limits = `${expandedMax} records or ${expandedCharactersMax} characters of text`
  return new ApiError(
    'bad-request',
    `expand adds more than ${limits}; ask for fewer records, fields or a smaller limit`,
  )
}

function checkWeight({ records, characters }: Pick<MeasuredJson, 'records' | 'characters'>): void {
  if (records > listLimits.expandedMax || characters > listLimits.expandedCharactersMax) throw tooMuch()
}

/** Counts texts, and embedded records as records. */
function weigh(json: Json): MeasuredJson {
  if (typeof json === 'string') return { json, records: 0, characters: json.length }
  if (typeof json !== 'object' || json === null) return { json, records: 0, characters: 0 }
  let [records, characters] = [Array.isArray(json) ? 0 : 1, 0]
  for (const value of Object.values(json)) {
    if (typeof value === 'number' || typeof value === 'boolean') continue
    const inner = weigh(value)
    records += inner.records
    characters += inner.characters
  }
  return { json, records, characters }
}

/** One record or a list of them with what was added to each. */
function weighed(json: Json, parts: Iterable<MeasuredJson>): MeasuredJson {
  let [records, characters] = [0, 0]
  for (const part of parts) {
    records += part.records
    characters += part.characters
  }
  checkWeight({ records, characters })
  return { json, records, characters }
}

/** A record with the relations that were added to it. */
function merged(own: MeasuredJson, more: MeasuredJson = nothing): MeasuredJson {
  return weighed({ ...(own.json as Represented), ...(more.json as Represented | null) }, [own, more])
}

const listed = (parts: readonly MeasuredJson[]): MeasuredJson =>
  weighed(
    parts.map(({ json }) => json),
    parts,
  )

/** The fields that must be loaded to show a selection; null for all. */
export function neededNames({ select, expand = [] }: Selection): readonly string[] | null {
  if (select === null) return null
  const ways = expand.flatMap(({ name, link }) =>
    link.kind === 'reference' ? [link.by] : link.kind === 'embedded' ? [name] : [],
  )
  return [...new Set([...select, ...ways])]
}

/** Related records by the value that ties them, each with its own relations. */
async function build(
  expanding: ExpandContext,
  { link, ...selection }: Expansion,
  related: RelatedRecords,
): Promise<ReadonlyMap<unknown, readonly MeasuredJson[]>> {
  const { resource } = link
  const rows = [...related.groups.values()].flat()
  const { budget } = expanding
  budget.rows -= rows.length
  if (budget.rows < 0) throw tooMuch()
  const wanted = selection.select ?? [...shownUnasked(resource, related.visible)]
  const names = wanted.filter((name) => related.visible.has(name))
  const added = await addRelations(expanding, { resource, rows, foundBy: 'got' }, selection)
  const whole = new Map(
    rows.map((row, i) => {
      return [row, merged(weigh(representRecord(resource, names, row)), added[i])]
    }),
  )
  const groups = [...related.groups].map(
    ([key, group]) => [key, group.map((row) => whole.get(row) ?? nothing)] as const,
  )
  return new Map(groups)
}

/** The record that a reference names, for each record: null where the caller may see none. */
async function addReference(
  expanding: ExpandContext,
  { rows }: RecordGroup,
  wanted: Expansion,
): Promise<readonly MeasuredJson[]> {
  const { resource, by } = wanted.link
  const ids = idsOf(rows, by)
  const relation = { resource, by: resource.idField, ids, as: 'record', names: neededNames(wanted) } as const
  const found = await build(expanding, wanted, await loadRelated(expanding, relation))
  return rows.map((row) => found.get(row[by])?.[0] ?? nothing)
}

async function addChildren(
  expanding: ExpandContext,
  group: RecordGroup,
  wanted: Expansion,
): Promise<readonly MeasuredJson[]> {
  const { link, limit } = wanted
  const { rows, foundBy } = group
  const { idField } = group.resource
  const parents = { resource: group.resource, ids: idsOf(rows, idField), foundBy }
  const most = expanding.budget.rows + 1
  const related = await loadChildren(expanding, parents, { link, limit, most, names: neededNames(wanted) })
  const found = await build(expanding, wanted, related)
  const below = (row: Row) => found.get(row[idField]) ?? []
  return rows.map((row) => (isOfOne(link) ? (below(row)[0] ?? nothing) : listed(below(row))))
}

/** The records of links. Where links have values of their own, each record shows those of its. */
async function addLinked(
  expanding: ExpandContext,
  { resource, rows }: RecordGroup,
  wanted: Expansion,
): Promise<readonly MeasuredJson[]> {
  const { link, limit } = wanted
  const { idField } = resource
  const asked = { resource, name: link.by, ids: idsOf(rows, idField), limit, names: neededNames(wanted) }
  const linked = await loadLinked(expanding, { ...asked, most: expanding.budget.rows + 1 })
  const found = await build(expanding, wanted, linked)
  const hasValues = resource.links[link.by]?.valueNames.length !== 0
  return rows.map((row) => {
    const records = found.get(row[idField]) ?? []
    const values = linked.values.get(row[idField]) ?? []
    return listed(hasValues ? records.map((one, i) => merged(one, weigh({ [linkMember]: values[i] ?? {} }))) : records)
  })
}

/**
 * Relations of the records that each record shows in its own. They have been represented, so their
 * values stay as they are.
 */
async function addToEmbedded(
  expanding: ExpandContext,
  { rows }: RecordGroup,
  wanted: Expansion,
): Promise<readonly MeasuredJson[]> {
  const { name, link, limit, select } = wanted
  const parts = rows.map((row) => ((row[name] ?? []) as readonly Row[]).slice(0, limit))
  const { where } = expanding.engine.policy.viewOfParts(expanding.principal, link.resource)
  const added = await addRelations(expanding, { resource: link.resource, rows: parts.flat(), foundBy: where }, wanted)
  let at = 0
  return parts.map((some) =>
    listed(
      some.map((part) => {
        return merged(weigh((select ? pick(part, select) : part) as unknown as Json), added[at++])
      }),
    ),
  )
}

function pick(part: Row, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(part, name)).map((name) => [name, part[name]]))
}

type Adder = (expanding: ExpandContext, group: RecordGroup, wanted: Expansion) => Promise<readonly MeasuredJson[]>
const adders: Readonly<Partial<Record<Expansion['link']['kind'], Adder>>> = {
  reference: addReference,
  embedded: addToEmbedded,
  links: addLinked,
}

/** For each record an object with its relations and `can`, by name. */
async function addRelations(
  expanding: ExpandContext,
  group: RecordGroup,
  { expand = [], can }: AddedMembers,
): Promise<readonly MeasuredJson[]> {
  if ((expand.length === 0 && can === undefined) || group.rows.length === 0) return []
  const columns: (readonly [string, readonly MeasuredJson[]])[] = []
  for (const wanted of expand) {
    const { kind } = wanted.link
    const add = adders[kind] ?? addChildren
    columns.push([wanted.name, await add(expanding, group, wanted)])
  }
  if (can !== undefined) {
    const allowed = await allowedOperations(expanding, group)
    columns.push([can, allowed.map((json) => ({ ...nothing, json }))])
  }
  return group.rows.map((_, i) => {
    const own = columns.map(([name, values]) => [name, values[i] ?? nothing] as const)
    return weighed(
      Object.fromEntries(own.map(([name, { json }]) => [name, json])),
      own.map(([, weighed]) => weighed),
    )
  })
}

/**
 * The relations of these records, one object for each record. Throws `bad-request` when there are
 * more than `expandedMax`. The rows have their virtual fields.
 */
export async function expandRows(
  loading: LoadContext,
  group: RecordGroup,
  wanted: AddedMembers,
): Promise<readonly Represented[]> {
  const budget = { rows: listLimits.expandedMax }
  const added = await addRelations({ ...loading, budget }, group, wanted)
  const { records } = weighed(null, added) // throws where they are too many together
  loading.engine.budget?.show({ records, characters: 0 }) // the characters count with the answer
  return added.map(({ json }) => json as Represented)
}
