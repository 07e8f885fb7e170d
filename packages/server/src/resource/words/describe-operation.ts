/**
 * The descriptions of resources, fields, filters and operations in documents: the declared text, or
 * a sentence made from their facts. OpenAPI and GraphQL show the same ones.
 */
import type { Catalog, Resource } from '../catalog.ts'
import type { Field, Fields } from '../fields/field.ts'
import type { NamedFilter } from '../list-declaration.ts'
import { isEngineOperation } from '../operation-kind.ts'
import { inSentence, labelOf, listAlternatives, listOf, snakeOf, typeNameOf, withArticle } from './names.ts'

type DescribedResource = Pick<Resource, 'label' | 'idField' | 'transitions'>

/** `order` → `an order` */
function oneOf(label: string): string {
  return withArticle(inSentence(label))
}

/** Whether the sentence of a field needs its label after `the`: `inStock` → `in stock`. */
function wordsOf(name: string): string {
  return inSentence(labelOf(name.replace(/^_+/, '')))
}

function aboutVirtual({ virtual }: Field, name: string): string | undefined {
  switch (virtual?.kind) {
    case undefined:
      return undefined
    case 'embedded':
      return `Its ${wordsOf(name)}, oldest first: ${virtual.max.toLocaleString('en')} at most.`
    case 'lookup':
      return `The \`${virtual.field}\` of the record in \`${virtual.via}\`; null where there is none.`
    case 'derived':
      return `The ${wordsOf(name)}, computed whenever it is read.`
    case 'links':
      return `The ids of its ${wordsOf(name)}. Shown where \`fields\` or \`expand\` names it, and in exports.`
    case 'current-session':
      return 'Whether it is the one that the request came with.'
  }
}

function aboutReference({ reference, setBy }: Field, owner: string): string | undefined {
  if (!reference) return undefined
  const other = inSentence(labelOf(reference.resource))
  if (setBy === 'principal') return `The id of the ${other} who made this ${owner}.`
  if (setBy === 'parent') return `The id of the ${other} that this ${owner} belongs to.`
  return `The id of the ${other} that this ${owner} refers to.`
}

function aboutTime(
  { label, transitions }: DescribedResource,
  name: string,
  { setBy, type }: Field,
): string | undefined {
  if (!type.inTime) return undefined
  if (setBy === 'create') return 'When it was made.'
  if (setBy === 'write') return 'When it was last changed.'
  const owner = inSentence(label)
  const states = Object.values(transitions).flatMap(({ transition }) =>
    transition.stamp === name ? [transition.to] : [],
  )
  if (states.length > 0) return `When this ${owner} became ${listAlternatives(states)}; null unless it did.`
  return `The ${type.inTime.noun} “${wordsOf(name)}” of the ${owner}.`
}

function aboutMatch({ reference }: Field): string | undefined {
  if (!reference || reference.match.length === 0) return undefined
  const names = reference.match.map((one) => `\`${one}\``)
  return `The ${inSentence(labelOf(reference.resource))} has the same ${listOf(names)}.`
}

/** One sentence or two: `The title of the book.` `resource` is what the field belongs to. */
export function describeField(resource: DescribedResource, name: string, field: Field): string {
  const match = aboutMatch(field)
  const about = aboutField(resource, name, field)
  return match === undefined ? about : `${about} ${match}`
}

function aboutField(resource: DescribedResource, name: string, field: Field): string {
  if (field.description) return field.description
  // Fields that every record has get one wording.
  if (name === resource.idField) return 'The id, given by the server.'
  const owner = inSentence(resource.label)
  const told = aboutVirtual(field, name) ?? aboutReference(field, owner) ?? aboutTime(resource, name, field)
  if (told) return told
  const words = wordsOf(name)
  if (field.type.secret === 'sent') return `The ${words} to log in with.`
  if (field.type.secret === 'made') return `The ${words} itself, a secret of this ${owner}.`
  if (field.type.column === 'boolean') return `Whether the ${owner} is ${words.replace(/^(is|has) /, '')}.`
  if (field.values) return `The ${words} of the ${owner}: ${listOf(field.values)} are possible.`
  if (field.type.item)
    return `The ${words} of the ${owner}, as a list${field.type.item.type.isProse ? ' of texts' : ''}.`
  return `The ${words} of the ${owner}.`
}

/** A field of an action's input. */
export function describeInput(action: string, name: string, field: Field): string {
  return field.description ?? `The ${wordsOf(name)} of this ${inSentence(labelOf(action))}.`
}

/** The description of its records. */
export function describeResource(catalog: Catalog, resource: Resource): string {
  if (resource.description) return resource.description
  const names = (fields: Fields) =>
    Object.entries(fields).flatMap(([, { reference, virtual }]) => (reference && !virtual ? [reference.resource] : []))
  const others = [...new Set(names(resource.fields))].map((name) => oneOf(catalog.get(name).label))
  const about = others.length > 0 ? ` It refers to ${listOf(others)}.` : ''
  return `${typeNameOf(oneOf(resource.label))}.${about}`
}

/** The same with the sentences of its checks, for the schema of a record. */
export function describeRecord(catalog: Catalog, resource: Resource): string {
  const messages = resource.checks.map(({ message }) => message.replace(/\.$/, ''))
  const about = describeResource(catalog, resource)
  return messages.length === 0 ? about : `${about} Every write is checked: ${messages.join('; ')}.`
}

const comparisons: Readonly<Record<NamedFilter['by'], (name: string) => string>> = {
  eq: (name) => `Only records whose \`${name}\` is this. Not applied when empty.`,
  true: (name) => `Only records whose \`${name}\` is true (\`true\`), or false (any other text).`,
  gte: (name) => `Only records whose \`${name}\` is this or more.`,
  lte: (name) => `Only records whose \`${name}\` is this or less.`,
  contains: (name) => `Only records whose \`${name}\` contains this, ignoring case. Not applied when empty.`,
}

export function describeFilter({ field, by, description }: NamedFilter): string {
  return description ?? comparisons[by](field)
}

/** A record above in the path: one of many, by its id, or the only one of its parent. */
export type ParentLabel = { readonly label: string; readonly hasId: boolean }
export type DescribedOperation = {
  readonly resource: Resource
  readonly operation: string
  readonly above: readonly ParentLabel[]
  /** The record has an id of its own here. */
  readonly hasId: boolean
  /** The record is the user who asks. */
  readonly isSelf?: true | undefined
  /** The unique field by which it is found. */
  readonly key?: string | undefined
}

const collective = new Set(['list', 'import', 'export'])

export function isCollective(operation: string): boolean {
  return collective.has(operation)
}

/** `List the reviews of one product`, `Get the cart of one user`; an action may declare its own. */
export function summarize({ resource, operation, above, hasId, isSelf, key }: DescribedOperation): string {
  const own = resource.actions[operation]?.summary
  if (own) return own.replace(/\.$/, '')
  const of = above.toReversed().map(({ label, hasId: one }) => ` of ${one ? 'one' : 'the'} ${inSentence(label)}`)
  const isOnly = (above.length > 0 || resource.single) && !hasId && operation !== 'create'
  const which = isSelf ? 'the current' : isOnly ? 'the' : 'one'
  const one = `${which} ${inSentence(resource.label)}`
  const many = inSentence(labelOf(resource.plural))
  const what = isCollective(operation) ? (above.length > 0 ? `the ${many}` : many) : one
  return `${typeNameOf(snakeOf(operation).replaceAll('_', ' '))} ${what}${of.join('')}${key === undefined ? '' : ` by its ${wordsOf(key)}`}`
}

/** The facts of an operation that its summary does not say; undefined where there are none. */
export function describeOperation({ resource, operation }: DescribedOperation): string | undefined {
  if (operation === 'replace') return 'An omitted field takes its default.'
  if (operation === 'update') return 'Only what is sent changes; null clears a field.'
  if (isEngineOperation(operation)) return undefined
  const told = [resource.transitions[operation]?.transition.description, resource.actions[operation]?.description]
  return told.filter((one) => one !== undefined).join(' ') || undefined
}
