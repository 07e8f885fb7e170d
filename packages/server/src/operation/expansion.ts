/**
 * Parses which fields of a record a response shows, and which of its relations:
 * `expand=items(limit:10).product,user` and `fields=total,user.name`. Both name relations by paths.
 * A path of `fields` ends with a field, and also shows the relations before it. `can` is no
 * relation: it adds what the caller may do with each record.
 */
import type { Relation, Resource } from '../resource/catalog.ts'
import { isOfOne } from '../resource/relations/relations.ts'
import type { FilterContext, ViewOf } from './filter-tree.ts'
import { listLimits } from './list-limits.ts'
import type { Expansion, Selection } from './operation.ts'
import { parseLimit } from './page.ts'
import { type Parameters, parameterError } from './parameters.ts'
import { checkField } from './select.ts'
import type { VisibleFields } from './visible-fields.ts'

/** One relation as it was named, by all paths together. */
type NamedRelation = {
  /** Null: all fields. */
  fields: Set<string> | null
  limit: string | undefined
  /** Whether `expand` names it; otherwise it stands on the way of a path of `fields`. */
  isExpanded: boolean
  readonly below: Map<string, NamedRelation>
}

function refuse(problem: string): Error {
  return parameterError('expand', problem)
}

const makeNamed = (): NamedRelation => ({ fields: null, limit: undefined, isExpanded: false, below: new Map() })

/** The relation of this name, made where nothing has named it before. */
function take(above: NamedRelation, name: string): NamedRelation {
  const named = above.below.get(name) ?? makeNamed()
  above.below.set(name, named)
  return named
}

function nameField(named: NamedRelation, name: string): void {
  named.fields ??= new Set()
  named.fields.add(name)
}

// White space is taken in one place only, so that a long run of it is looked at once.
const stepPattern = /\s*(\w+)\s*(?:\(([^()]*)\)\s*)?([.,]|$)/y
const optionPattern = /^(?:(\w+)\s*:)?\s*(\w*)$/
/** All values that the parameter `limit` takes. */
const limitPattern = /^limit\s*:\s*([+-]?[\w.]*)$/

/** `limit:10` or `fields:name,price`. */
function takeOptions(named: NamedRelation, name: string, text: string): void {
  let isListing = false
  for (const part of text.split(',')) {
    const limit = limitPattern.exec(part.trim())?.[1]
    const [, option, value = ''] = optionPattern.exec(part.trim()) ?? []
    if (limit !== undefined) {
      if (named.limit !== undefined && named.limit !== limit) throw refuse(`expand gives ${name} two limits`)
      named.limit = limit
    } else if (value !== '' && (option === 'fields' || (option === undefined && isListing))) nameField(named, value)
    else throw refuse(`${part.slice(0, 100)} is no option of expand; there are limit:10 and fields:name,price`)
    isListing = limit === undefined
  }
}

function parsePaths(root: NamedRelation, text: string): void {
  let named = root
  for (let at = 0; at < text.length; at = stepPattern.lastIndex) {
    stepPattern.lastIndex = at
    const [, name, options, end] = stepPattern.exec(text) ?? []
    if (name === undefined) throw refuse('expand is paths of relations with commas: items(limit:10).product,user')
    named = take(named, name)
    named.isExpanded = true
    if (options !== undefined) takeOptions(named, name, options)
    if (end === '.' && stepPattern.lastIndex === text.length) throw refuse('expand ends within a path')
    if (end !== '.') named = root
  }
}

function parseFields(root: NamedRelation, text: string): void {
  root.fields = new Set()
  for (const path of text.split(',')) {
    const names = path.split('.').map((one) => one.trim())
    const last = names.pop() as string
    nameField(names.reduce(take, root), last)
  }
}

type ExpansionPath = FilterContext & {
  readonly path: string
  /** Whether the records are parts of those above, shown as a field of them. */
  readonly isPart: boolean
  readonly level: number
  readonly count: { relations: number }
}

/** The relation of this name, where it exists for the caller. */
export function relationOf(
  { resource, visible }: Pick<FilterContext, 'resource' | 'visible'>,
  name: string,
): Relation | undefined {
  const link = Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined
  if (link?.kind === 'reference') return visible.has(link.by) ? link : undefined
  return (link?.kind === 'embedded' || link?.kind === 'links') && !visible.has(name) ? undefined : link
}

function unknownRelation(place: ExpansionPath, name: string, { isExpanded }: NamedRelation): Error {
  const shown = `${place.path}${name}`.slice(0, 100)
  if (!isExpanded) return parameterError('fields', `Unknown field ${shown} in fields`)
  const relations = Object.keys(place.resource.relations).filter((one) => relationOf(place, one))
  const { can } = place.resource
  const known = can && !place.isPart ? [...relations, can.name] : relations
  return refuse(
    `Cannot expand ${shown}; ${known.length === 0 ? 'there is nothing to expand' : `relations: ${known.join(', ')}`}`,
  )
}

function resolveRelation(place: ExpansionPath, name: string, named: NamedRelation): Expansion {
  const { relationLevelsMax, expansionsMax } = listLimits
  const { count, level, viewOf } = place
  const link = relationOf(place, name)
  if (!link || !viewOf) throw unknownRelation(place, name, named)
  if (level > relationLevelsMax) throw refuse(`expand goes at most ${relationLevelsMax} levels deep`)
  count.relations += 1
  if (count.relations > expansionsMax) throw refuse(`expand takes at most ${expansionsMax} relations`)
  const isOne = isOfOne(link)
  if (isOne && named.limit !== undefined) throw refuse(`${name} is one record, so it takes no limit in expand`)
  const { visible, visibleWhere } = viewOf(link.resource)
  const below = {
    ...place,
    resource: link.resource,
    visible,
    visibleWhere,
    path: `${place.path}${name}.`,
    isPart: link.kind === 'embedded',
    level: level + 1,
  }
  const limit = named.limit === undefined && link.kind === 'embedded' ? undefined : parseLimit(named.limit)
  return { name, link, limit: isOne ? undefined : limit, ...resolve(below, named) }
}

/** A name of `fields` that is a relation which `expand` names too is no field, and adds nothing. */
function fieldsOf(place: ExpansionPath, { fields, below }: NamedRelation): readonly string[] | null {
  if (fields === null) return null
  const { resource, visible, path } = place
  const asked = new Set(fields)
  for (const name of fields) {
    if (!resource.fields[name] && below.get(name)?.isExpanded) asked.delete(name)
    else checkField(visible, name, path)
  }
  asked.add(resource.idField)
  return resource.fieldNames.filter((name) => asked.has(name))
}

/** Counts `can` where `expand` names it. Throws `bad-request` for options, and for parts. */
function takeCan(place: ExpansionPath, { below }: NamedRelation): string | undefined {
  const name = place.resource.can?.name
  const named = name === undefined ? undefined : below.get(name)
  if (name === undefined || !named?.isExpanded) return undefined
  if (named.fields !== null || named.limit !== undefined || named.below.size > 0)
    throw refuse(`${place.path}${name} takes no fields, limit or relations in expand`)
  if (place.isPart)
    throw refuse(
      `Cannot expand ${place.path}${name}: these records are parts of another; read them by a path of their own`,
    )
  place.count.relations += 1
  return name
}

function resolve(place: ExpansionPath, named: NamedRelation): Selection {
  const select = fieldsOf(place, named)
  const can = takeCan(place, named)
  const relations = [...named.below].filter(([name]) => name !== can)
  const expand = relations.map(([name, one]) => resolveRelation(place, name, one))
  return { select, ...(expand.length > 0 && { expand }), ...(can !== undefined && { can }) }
}

/** Whether it shows more than fields of the records. */
export function addsToRecords({ expand, can }: Selection): boolean {
  return expand !== undefined || can !== undefined
}

export type ShownRelations = VisibleFields & {
  readonly resource: Resource
  readonly viewOf?: ViewOf | undefined
}

const everything: Selection = { select: null }

/**
 * The parameters `fields` and `expand`. Throws `bad-request` for what the caller may not read, or
 * does not exist, or is too much.
 */
export function parseSelection(shown: ShownRelations, parameters: Parameters): Selection {
  const [fields, expand] = [parameters.get('fields') ?? '', parameters.get('expand') ?? '']
  if (fields === '' && expand === '') return everything
  const root = makeNamed()
  if (expand.trim() !== '') parsePaths(root, expand)
  if (fields.trim() !== '') parseFields(root, fields)
  return resolve({ ...shown, path: '', isPart: false, level: 1, count: { relations: 0 } }, root)
}
