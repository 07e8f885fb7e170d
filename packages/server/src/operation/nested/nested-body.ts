/**
 * Parses the children in a body: a list of new ones, or an object of verbs → what is to be done to
 * each. Their own values are checked later, each by its own resource.
 */
import { ApiError, type FieldProblem } from '../../errors.ts'
import type { ChildRelation, Resource } from '../../resource/catalog.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { isTable } from '../../resource/members.ts'
import type { BodyKind } from '../../resource/operation-kind.ts'
import { listOf } from '../../resource/words/names.ts'
import { bulkLimits } from '../list-limits.ts'

/** In the order in which they are done: a deleted record leaves its unique values to others. */
export const nestedVerbs = ['delete', 'update', 'create'] as const
export type NestedVerb = (typeof nestedVerbs)[number]

/** One child. `within`: the members of the body around it, such as `['pages', 'create', '2']`. */
export type NestedPart = {
  readonly verb: NestedVerb
  readonly within: readonly string[]
  /** Undefined for a new one. */
  readonly id: string | undefined
  /** Its body; empty for a deleted one. */
  readonly value: unknown
}
export type NestedChanges = { readonly link: ChildRelation; readonly parts: readonly NestedPart[] }

/** `['pages', 'create', '2']` → `pages.create[2]` */
export function placeText(within: readonly string[]): string {
  return within.map((step, i) => (/^\d+$/.test(step) ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`)).join('')
}

function badPart(within: readonly string[], problem: string): ApiError {
  const detail = `${placeText(within)} ${problem}`
  const mistake = { field: within.at(-1) as string, within: within.slice(0, -1), detail }
  return new ApiError('bad-request', detail, { mistakes: [mistake] })
}

/** The verbs that a body of this kind takes for these children. A new record has none yet. */
export function verbsOf({ operations }: ChildRelation, kind: BodyKind): readonly NestedVerb[] {
  const known = kind === 'create' ? (['create'] as const) : (['create', 'update', 'delete'] as const)
  return known.filter((verb) => operations.includes(verb))
}

/** The children of this name, where a body of this kind writes them. */
export function nestedLink(resource: Resource, name: string, kind: BodyKind): ChildRelation | undefined {
  const link = resource.nestedNames.includes(name) ? resource.children[name] : undefined
  return link && verbsOf(link, kind).length > 0 ? link : undefined
}

export function tooManyNested(): ApiError {
  return new ApiError('bad-request', `One body writes at most ${bulkLimits.recordsMax} records, its children included`)
}

function idOf(value: unknown, within: readonly string[]): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw badPart(within, 'must be an id')
}

function updateOf(value: unknown, within: readonly string[], idField: string) {
  if (!isTable(value)) throw badPart(within, `must be an object with ${idField} and the fields to change`)
  const { [idField]: id, ...rest } = value
  if (id === undefined || id === null) throw badPart(within, `needs the ${idField} of the record`)
  return { id: idOf(id, [...within, idField]), value: rest }
}

function partOf(verb: NestedVerb, value: unknown, at: { within: readonly string[]; idField: string }): NestedPart {
  const { within, idField } = at
  if (verb === 'delete') return { verb, within, id: idOf(value, within), value: {} }
  if (verb === 'update') return { verb, within, ...updateOf(value, within, idField) }
  if (!isTable(value)) throw badPart(within, 'must be an object')
  return { verb, within, id: undefined, value }
}

function checkOnce(name: string, parts: readonly NestedPart[]): void {
  const seen = new Set<string>()
  for (const { id } of parts) {
    if (id !== undefined && seen.has(id)) throw fieldError(name, `names ${id.slice(0, 100)} twice`)
    if (id !== undefined) seen.add(id)
  }
}

type SentChildren = { readonly name: string; readonly link: ChildRelation; readonly kind: BodyKind }

/** A list, where the record is new; an object of lists → each of them. Throws `bad-request`. */
function listsOf({ name, link, kind }: SentChildren, sent: unknown): ReadonlyMap<NestedVerb, unknown> {
  const verbs = verbsOf(link, kind)
  const form = `an object with ${verbs.join(', ')}`
  if (Array.isArray(sent)) throw fieldError(name, `must be ${form}: a list would not tell what becomes of the others`)
  if (!isTable(sent)) throw fieldError(name, kind === 'create' ? 'must be a list of new records' : `must be ${form}`)
  const given = Object.entries(sent).filter(([, list]) => list !== undefined && list !== null)
  const odd = given.find(([verb]) => !verbs.some((one) => one === verb))
  if (odd) throw fieldError(name, `takes ${listOf(verbs)} here, not ${odd[0].slice(0, 100)}`)
  return new Map(given as [NestedVerb, unknown][])
}

/** Throws `bad-request`. */
export function parseNested(children: SentChildren, sent: unknown): NestedChanges {
  const { name, link, kind } = children
  const { idField } = link.resource
  const isPlain = kind === 'create' && Array.isArray(sent)
  const lists = isPlain ? new Map([['create', sent] as const]) : listsOf(children, sent)
  const parts = nestedVerbs.flatMap((verb) => {
    const list = lists.get(verb) ?? []
    const around = isPlain ? [name] : [name, verb]
    if (!Array.isArray(list)) throw badPart(around, 'must be a list')
    if (list.length > bulkLimits.recordsMax) throw tooManyNested()
    return list.map((value, i) => partOf(verb, value, { within: [...around, String(i)], idField }))
  })
  checkOnce(name, parts)
  return { link, parts }
}

/** A mistake of a child, as one of the whole body. */
export function mistakeWithin(around: readonly string[], mistake: FieldProblem): FieldProblem {
  return { ...mistake, within: [...around, ...(mistake.within ?? [])] }
}
