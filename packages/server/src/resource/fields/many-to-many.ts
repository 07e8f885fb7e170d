/**
 * The field `manyToMany`: links to records of another resource. The catalog makes a table of them
 * (`resource/made/link-table.ts`). Callers see a list of ids, or of ids with values of each link.
 */
import type { Scalar } from '../condition.ts'
import {
  countKind,
  flag,
  isTable,
  type MemberProblem,
  type Members,
  printValue,
  tableOf,
  takeOptions,
  textKind,
} from '../members.ts'
import { type Rule, ruleKind } from '../rule.ts'
import { type Deprecation, deprecationKind } from '../words/deprecation.ts'
import {
  type Field,
  type FieldOf,
  type Fields,
  type FieldType,
  fieldError,
  type Json,
  type JsonSchema,
  makeField,
} from './field.ts'
import { fieldKind } from './field-kind.ts'
import { referenceType } from './id.ts'
import type { LinkChange, LinkItem } from './link-change.ts'

const linksMax = 1_000

/** The member of an expanded record that has the values of its link. No field has this name. */
export const linkMember = '_link'

/** One body names at most so many, whatever the field holds. */
const linksMaxMost = 10_000

type LinkLimits = {
  readonly max: number
  readonly values: Fields
  /** The type of the ids: the catalog sets it, once it knows the other resource. */
  readonly ids: FieldType
}
type LinksField = FieldOf<LinkLimits>

const form = 'must be a list of ids, or an object with set, or with add and remove'

function checkId(value: unknown, name: string, field: LinksField): Scalar {
  const { ids } = field.limits
  return ids.check(value, name, field as unknown as Field) as Scalar
}

/** A value of a link that was sent → the stored one. Throws `bad-request`. */
type TakeValue = (sent: unknown, name: string, own: Field) => unknown

const fromBody: TakeValue = (sent, name, own) => own.type.check(sent, name, own)
/** Code of the application gives stored values. */
const fromCode: TakeValue = (sent, name, own) => {
  own.type.checkStored(sent, name, own)
  return sent
}

type SentLinks = { readonly name: string; readonly field: LinksField; readonly take: TakeValue }

function checkItem({ name, field, take }: SentLinks, value: unknown, place: string): LinkItem {
  if (!isTable(value)) return { id: checkId(value, place, field) }
  const { id, ...rest } = value
  if (id === undefined) throw fieldError(name, 'needs the id of each link')
  const values: Record<string, unknown> = {}
  for (const [key, sent] of Object.entries(rest)) {
    const own = Object.hasOwn(field.limits.values, key) ? field.limits.values[key] : undefined
    if (!own) throw fieldError(name, `has no ${key.slice(0, 100)} in its links`)
    if (sent === undefined) continue
    if (sent !== null) values[key] = take(sent, `${place}.${key}`, own)
    else if (own.nullable) values[key] = null
    else throw fieldError(`${place}.${key}`, 'must not be null')
  }
  return { ...values, id: checkId(id, `${place}.id`, field) }
}

/** `place`: where the list is, `tags` or `tags.add`. */
function checkItems(sent: SentLinks, value: unknown, place = sent.name): readonly LinkItem[] {
  const { name, field } = sent
  if (!Array.isArray(value)) throw fieldError(name, form)
  if (value.length > field.limits.max) throw tooManyLinks(name, field.limits.max)
  const items = value.map((one, at) => checkItem(sent, one, `${place}[${at}]`))
  const seen = new Set<Scalar>()
  for (const { id } of items) {
    if (seen.has(id)) throw fieldError(name, `names ${id} twice`)
    seen.add(id)
  }
  return items
}

export function tooManyLinks(name: string, max: number): Error {
  return fieldError(name, `has at most ${max} links`)
}

const verbs = ['set', 'add', 'remove']

/** A list, or an object of verbs → what changes. */
function changeOf(sent: SentLinks, value: unknown): LinkChange {
  const { name } = sent
  if (Array.isArray(value)) return { set: checkItems(sent, value) }
  if (!isTable(value)) throw fieldError(name, form)
  const given = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null))
  if (Object.keys(given).some((one) => !verbs.includes(one))) throw fieldError(name, form)
  const { set, add = [], remove = [] } = given
  if (set === undefined && given.add === undefined && given.remove === undefined) throw fieldError(name, form)
  if (set !== undefined && (given.add !== undefined || given.remove !== undefined)) throw fieldError(name, form)
  if (set !== undefined) return { set: checkItems(sent, set, `${name}.set`) }
  const added = checkItems(sent, add, `${name}.add`)
  const removed = checkItems(sent, remove, `${name}.remove`).map(({ id }) => id)
  const both = removed.find((id) => added.some((one) => one.id === id))
  if (both !== undefined) throw fieldError(name, `adds and removes ${both}`)
  return { add: added, remove: removed }
}

const checkLinks = (value: unknown, name: string, field: LinksField) => changeOf({ name, field, take: fromBody }, value)

/** The same of stored values: those of a checked body, or of the application's code. */
export function linkChangeOf(value: unknown, name: string, field: Field): LinkChange {
  return changeOf({ name, field: field as unknown as LinksField, take: fromCode }, value)
}

function orNull(schema: JsonSchema): JsonSchema {
  const words = schema.enum as readonly Json[] | undefined
  return { ...schema, type: [schema.type as Json, 'null'], ...(words && { enum: [...words, null] }) }
}

/** The schema of a declared value of a link. */
export function shownValueSchema(field: Field): JsonSchema {
  const schema = field.type.schema(field)
  return field.nullable ? orNull(schema) : schema
}

/** Of one link: an id, or an id with values. `required`: those that it always has. */
function itemSchema(field: LinksField, required: readonly string[]): JsonSchema {
  const { limits } = field
  const id = limits.ids.schema(field as unknown as Field)
  const own = Object.entries(limits.values).map(([name, one]) => [name, shownValueSchema(one)] as const)
  if (own.length === 0) return id
  return { type: 'object', required: ['id', ...required], properties: { id, ...Object.fromEntries(own) } }
}

/** GraphQL's ids and scalars → the values of a JSON body. */
function fromScalars(value: unknown, name: string, field: LinksField): unknown {
  const { ids, values } = field.limits
  const idOf = (id: unknown) => ids.parseScalar?.(id, name, field as unknown as Field) ?? id
  const itemOf = (item: unknown, place: string): unknown => {
    if (!isTable(item)) return idOf(item)
    const entries = Object.entries(item).map(([key, sent]) => {
      const own = values[key]
      if (key === 'id') return [key, idOf(sent)]
      return [key, sent !== null && own?.type.parseScalar ? own.type.parseScalar(sent, `${place}.${key}`, own) : sent]
    })
    return Object.fromEntries(entries)
  }
  if (!isTable(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([verb, items]) => [
      verb,
      Array.isArray(items) ? items.map((one, at) => itemOf(one, `${name}.${verb}[${at}]`)) : items,
    ]),
  )
}

const isIdList = ({ limits }: LinksField): boolean => Object.keys(limits.values).length === 0

export const linksType: FieldType<LinkLimits> = {
  name: 'manyToMany',
  column: 'json',
  operators: ['eq', 'in', 'null'],
  scalar: null,
  isList: true,
  check: checkLinks,
  checkStored: (value, name, field) => linkChangeOf(value, name, field as unknown as Field),
  isComparable: () => false,
  parse: (text, name, field) => field.limits.ids.parse(text, name, field as unknown as Field),
  filterText(value, name) {
    if (typeof value !== 'string' && typeof value !== 'number') throw fieldError(name, 'must be an id')
    return String(value)
  },
  parseScalar: fromScalars,
  lengthMax: (field) => (isIdList(field) ? field.limits.max * 36 : 0),
  example: () => [],
  schema: (field) => ({
    type: 'array',
    maxItems: field.limits.max,
    items: itemSchema(field, Object.keys(field.limits.values)),
  }),
  bodySchema(field) {
    const item = itemSchema(field, [])
    const id = field.limits.ids.schema(field as unknown as Field)
    const items = isIdList(field) ? item : { anyOf: [id, item] }
    const list = { type: 'array', maxItems: field.limits.max, items }
    const removed = { ...list, items: id }
    const changes = {
      type: 'object',
      properties: { set: list, add: list, remove: removed },
      additionalProperties: false,
    }
    return { anyOf: [list, changes] }
  },
  limitsMistake({ max, values }) {
    if (max > linksMaxMost) return `max is at most ${linksMaxMost}`
    const taken = Object.keys(values).find((one) => ['id', 'fromId', 'toId', 'position'].includes(one))
    if (taken !== undefined) return `the links have a "${taken}" of their own; give the field another name`
    const odd = Object.entries(values).find(
      ([, { type, virtual, reference, unique }]) =>
        virtual || reference || unique || type.secret || type.referredBy || type.series || type.places,
    )
    return odd && `fields.${odd[0]}: a field of links is a plain value, without unique`
  },
}

type LinksOptions<F extends Fields = Fields, L extends string = string, Q extends string = string> = {
  /** The most links of one record: more are refused with 400. 1,000 by default, 10,000 at most. */
  readonly max?: number
  /**
   * The links have an order: that of the list that sets them. An added link is the last one.
   * Without it they are shown in the order of their own ids.
   */
  readonly ordered?: boolean
  /** The fields of each link, plain values: `{ role: text({ maxLength: 50 }) }`. */
  readonly fields?: F
  /** The callers who may see the links, as in the options of other fields. */
  readonly read?: Rule<Q, Q, L>
  /** The callers who may change the links, as in the options of other fields. */
  readonly write?: Rule<Q, Q, L>
  /** The name that the field had before. */
  readonly renamedFrom?: string
  /** One sentence for the documents. */
  readonly description?: string
  /** It is deprecated: the documents say since when, and what to use. */
  readonly deprecated?: Deprecation
}
const members = {
  max: countKind,
  ordered: flag,
  fields: tableOf(fieldKind),
  read: ruleKind,
  write: ruleKind,
  renamedFrom: textKind,
  description: textKind,
  deprecated: deprecationKind,
} satisfies Members<LinksOptions>

/**
 * Links to many records of another resource, each of which may be linked by many:
 * `tags: manyToMany('tag', { ordered: true })`. A body sets them by a list of ids, or changes them
 * by `{ "add": [], "remove": [] }`. Answers have them where `fields` or `expand` names them.
 */
export function manyToMany<
  const N extends string,
  const F extends Fields = Readonly<Record<never, Field>>,
  L extends string = never,
  Q extends string = never,
>(
  resource: N,
  options?: LinksOptions<F, L, Q>,
): Field<readonly Json[], string, { kind: 'links'; filled: true; refers: N; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options as LinksOptions | undefined, members)
  const { max = linksMax, ordered = false, fields = {}, ...common } = known
  const all: MemberProblem[] = [...mistakes]
  if (typeof resource !== 'string')
    all.push({ path: '', problem: `links records of a resource by its name, and is given ${printValue(resource)}` })
  const virtual = { kind: 'links', resource, ordered } as const
  const limits: LinkLimits = { max, values: fields, ids: referenceType as FieldType }
  return makeField(
    linksType as FieldType,
    {
      ...common,
      limits,
      virtual,
      default: [],
      nullable: false,
      keepOnReplace: true,
      mistakes: all,
    } as never,
  )
}

/** The limits of a field of links. */
export function linkLimitsOf(field: Field): LinkLimits {
  return field.limits as LinkLimits
}

/** The same field, whose ids are of this type. */
export function withIds(field: Field, ids: FieldType): Field {
  return { ...field, limits: { ...linkLimitsOf(field), ids } }
}
