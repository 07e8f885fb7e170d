/**
 * JSON Schemas (2020-12) of records and bodies, from the field types of the declarations. Hidden
 * fields are left out.
 */

import { jsonText } from '../base/json-text.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Field, Fields, Json } from '../resource/fields/field.ts'
import { isAlwaysRequired, isOnRequest, isRevealed, isSettable, isShown } from '../resource/fields/field-facts.ts'
import { withIncrement } from '../resource/fields/numbers/increment.ts'
import { ownVersionNames } from '../resource/made/declared-history.ts'
import { isHistory, isTrash } from '../resource/made/shown-resources.ts'
import { type BodyKind, crudKinds } from '../resource/operation-kind.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import { proofOf, traitsOfAction } from '../resource/traits.ts'
import { deprecationReason } from '../resource/words/deprecation.ts'
import { describeField, describeInput, describeRecord } from '../resource/words/describe-operation.ts'
import { exampleIn, exampleOf } from '../resource/words/example.ts'
import { inSentence, typeNameOf } from '../resource/words/names.ts'
import { nestedProperties } from './bodies/nested-schema.ts'
import { canProperty, canSchema, expandedOf, expandedSchema, linkProperty } from './lists/expanded.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode, refTo } from './openapi-node.ts'
import { describeChoices } from './reference-choices.ts'
import { trashMembers } from './trash-parameters.ts'

/** `Product`, `ProductCreate`, `ProductPart`: names of the components. */
export function schemaName(
  resource: Resource,
  part: BodyKind | 'part' | 'created' | 'difference' | 'differing' | '' = '',
): string {
  if (part === '') return resource.schemaNames.Record
  return resource.schemaNames[typeNameOf(part) as Capitalize<typeof part>]
}

/**
 * `{ type: 'string' }` → `{ type: ['string', 'null'] }`, with null among the values of an enum too.
 */
function orNull(schema: OpenapiNode): OpenapiNode {
  if (schema.type === undefined)
    return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
  const values = schema.enum as readonly Json[] | undefined
  return { ...schema, type: [...[schema.type].flat(), 'null'] as Json, ...(values ? { enum: [...values, null] } : {}) }
}

/** Adds sentences before the description of the type, and after it. */
function describe(schema: OpenapiNode, before: string, after: readonly (string | undefined)[]): OpenapiNode {
  const all = [before, schema.description as string | undefined, ...after].filter((one) => one !== undefined)
  return { ...schema, description: all.join(' ') }
}

function deprecating({ deprecated }: Field, schema: OpenapiNode): OpenapiNode {
  if (!deprecated) return schema
  return { ...schema, description: `${schema.description} ${deprecationReason(deprecated)}`, deprecated: true }
}

export function revealedNames(resource: Resource): readonly string[] {
  return resource.fieldNames.filter((name) => isRevealed(resource.fields[name] as Field))
}

/** A field of a resource, with its facts from the catalog and the settings. */
export type DescribedField = {
  readonly catalog: Catalog
  readonly resource: Resource
  readonly settings: ServiceSettings
}

export function shownSchema({ catalog, resource, settings }: DescribedField, name: string): OpenapiNode {
  const field = resource.fields[name] as Field
  const about = describeField(resource, name, field)
  const { virtual } = field
  if (virtual?.kind === 'embedded') {
    const items = refTo('schemas', schemaName(catalog.get(virtual.resource)))
    return { type: 'array', maxItems: virtual.max, description: about, items, readOnly: true }
  }
  const schema = linked(resource, name, field.type.schema(field))
  const told = field.read && `Shown to ${field.read.type.inDocument(field.read, { catalog, settings })}.`
  const asked = field.returned && 'Shown where `fields` names it.'
  const node = deprecating(field, describe(field.nullable ? orNull(schema) : schema, about, [told, asked]))
  const isTold = field.example !== undefined || Object.hasOwn(resource.example, name)
  const shown = isTold ? { ...node, examples: [exampleIn(resource, name)] } : node
  return field.setBy === undefined ? shown : { ...shown, readOnly: true }
}

/** Links are ids, or with `expand` the records that they name. */
function linked({ links }: Resource, name: string, schema: OpenapiNode): OpenapiNode {
  const link = links[name]
  if (!link) return schema
  return { ...schema, items: { anyOf: [schema.items as OpenapiNode, refTo('schemas', schemaName(link.target))] } }
}

function shownNames(resource: Resource): readonly string[] {
  return resource.fieldNames.filter((name) => isShown(resource.fields[name] as Field))
}

function recordSchema(part: DescribedField): OpenapiNode {
  const { catalog, resource } = part
  const names = shownNames(resource)
  const relations = expandedOf(resource)
    .filter(({ name }) => !resource.links[name])
    .map((one) => [one.name, expandedSchema(one)] as const)
  const deleted = trashMembers(resource)
  // A record in the trash has its stored fields alone.
  const isAlways = (name: string) =>
    !isOnRequest(resource.fields[name] as Field) && (deleted.length === 0 || !resource.fields[name]?.virtual)
  return {
    type: 'object',
    description: describeRecord(catalog, resource),
    required: names.filter((name) => !resource.fields[name]?.read && isAlways(name)),
    properties: nodesOf([
      ...names.map((name) => [name, shownSchema(part, name)] as const),
      ...deleted.map(([name, of]) => [name, shownSchema({ ...part, resource: of }, name)] as const),
      ...relations,
      ...linkProperty(resource),
      ...canProperty(resource),
    ]),
  }
}

/** The part of a record that `fields` selects: its members are as in the record. */
function partSchema(part: DescribedField): OpenapiNode {
  const { resource } = part
  const more = [...trashMembers(resource), ...linkProperty(resource), ...canProperty(resource)].map(([name]) => name)
  const added = [...expandedOf(resource).map(({ name }) => name), ...more]
  const names = [...new Set([...shownNames(resource), ...added])]
  return {
    type: 'object',
    required: [resource.idField],
    properties: { [resource.idField]: shownSchema(part, resource.idField) },
    propertyNames: { enum: names },
  }
}

/** A version with the fields that differ from those of another one. */
function differingSchema(part: DescribedField): OpenapiNode {
  const { resource } = part
  const names = shownNames(resource)
  return {
    type: 'object',
    description: 'A version, with the fields that differ.',
    required: names.filter((name) => ownVersionNames.includes(name)),
    properties: nodesOf(names.map((name) => [name, shownSchema(part, name)] as const)),
  }
}

/** A record with the secrets that only the response to its create shows. */
function createdSchema({ resource }: DescribedField): OpenapiNode {
  const revealed = revealedNames(resource).map((name) => {
    const field = resource.fields[name] as Field
    const node = describe(field.type.schema(field), describeField(resource, name, field), [])
    return [name, { ...node, examples: [exampleOf(name, field)] }] as const
  })
  return {
    description: `A new ${inSentence(resource.label)}, with what is shown only once.`,
    allOf: [
      refTo('schemas', schemaName(resource)),
      { type: 'object', required: revealed.map(([name]) => name), properties: nodesOf(revealed) },
    ],
  }
}

type SchemaContext = Pick<DescribedField, 'catalog' | 'settings'>
type SentField = {
  readonly field: Field
  readonly kind: BodyKind
  readonly context: SchemaContext
  readonly about: string
}

/** The value that the body sets when it leaves the field out; undefined where that is obvious. */
function defaultOf({ field, kind }: SentField): string | undefined {
  if (kind === 'replace' && field.keepOnReplace) return 'Kept when omitted.'
  const { default: fallback } = field
  if (kind === 'update' || fallback === undefined || fallback === null || typeof fallback === 'function')
    return undefined
  return `\`${jsonText(fallback)}\` when omitted.`
}

/**
 * Null means the default, or no value; a required field does not accept it. The default is
 * described in words. Type generators take `default` for a value that is always present, and would
 * require it.
 */
function sentSchema(sent: SentField): OpenapiNode {
  const { field, context, about } = sent
  const schema = field.type.bodySchema?.(field) ?? field.type.schema(field)
  const nullable = !field.required && (field.nullable || field.default !== undefined)
  const described = describe(nullable && !field.type.bodySchema ? orNull(schema) : schema, about, [
    field.falsyIsDefault ? '`0`, `""`, `false` and `null` mean the default.' : undefined,
    defaultOf(sent),
    describeChoices(context.catalog, field),
    field.write && `Only for ${field.write.type.inDocument(field.write, context)}.`,
  ])
  const node = deprecating(field, described)
  const { pattern } = schema
  const value = field.required
    ? { ...node, ...field.type.requiredSchema, ...(pattern === undefined ? {} : { pattern }) }
    : node
  return sent.kind === 'update' && field.increment ? withIncrement(field, value) : value
}

const kindTold: Readonly<Record<BodyKind, OpenapiNode>> = {
  create: {},
  replace: { description: 'Fields that are left out take their defaults.' },
  update: { description: 'Only what is sent changes; null clears a field.' },
}

/**
 * A read-only field is refused on create. Later it is accepted if it equals the stored value, so
 * the schema allows it.
 */
function bodySchema({ resource, ...context }: DescribedField, kind: BodyKind, given?: string): OpenapiNode {
  const about = (name: string, field: Field) =>
    [
      describeField(resource, name, field),
      ...(name === given ? ['Set by the path; another value is refused.'] : []),
    ].join(' ')
  const body = fieldsSchema(resource.fields, { kind, context, about, given })
  const nested = nestedProperties(resource, kind, (link, one) =>
    childBody({ ...context, resource: link.resource }, one, link.by),
  )
  const properties = { ...(body.properties as OpenapiNode), ...nodesOf(nested) }
  return { ...body, properties, ...kindTold[kind] }
}

/** The body of a child, as at its path below the record. */
function childBody(part: DescribedField, kind: BodyKind, by: string): OpenapiNode {
  return bodyBelow(part, kind, by) ?? refTo('schemas', schemaName(part.resource, kind))
}

/**
 * The body below a record whose id the path gives, where the field for it is required elsewhere.
 * Undefined where the body is the same.
 */
export function bodyBelow(part: DescribedField, kind: BodyKind, given: string | undefined): OpenapiNode | undefined {
  const field = given === undefined ? undefined : part.resource.fields[given]
  if (!field || !isSettable(field, kind) || !isAlwaysRequired(field, kind)) return undefined
  return withProof(part.resource, kind, bodySchema(part, kind, given))
}

/** The body of an action. */
export function inputSchema(action: string, input: Fields, context: SchemaContext): OpenapiNode {
  const about = (name: string, field: Field) => describeInput(action, name, field)
  return fieldsSchema(input, { kind: 'create', context, about })
}

type BodyDescription = Pick<SentField, 'kind' | 'context'> & {
  about(name: string, field: Field): string
  /** The field that the path sets. */
  readonly given?: string | undefined
}

function fieldsSchema(fields: Fields, { kind, context, about, given }: BodyDescription): OpenapiNode {
  const writable = Object.entries(fields).filter(([, field]) => isSettable(field, kind))
  const required = writable
    .filter(([name, field]) => name !== given && isAlwaysRequired(field, kind))
    .map(([name]) => name)
  const sent = writable.map(
    ([name, field]) => [name, sentSchema({ field, kind, context, about: about(name, field) })] as const,
  )
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: nodesOf(sent),
    ...(kind === 'create' ? { additionalProperties: false } : {}),
  }
}

/** The body with the proof of identity, where it is required. */
function withProof(resource: Resource, kind: BodyKind, body: OpenapiNode): OpenapiNode {
  const proof = proofOf(resource, kind)
  if (!proof) return body
  const { name, description, lengthMax: maxLength, format } = proof
  const property = { type: 'string', format, maxLength, writeOnly: true, description }
  return { ...body, properties: { ...(body.properties as OpenapiNode), [name]: property } }
}

/**
 * The resources whose records are visible: those of the routes, those that their actions return,
 * and those that they embed.
 */
export function shownResources(catalog: Catalog, routed: Iterable<Resource>): readonly Resource[] {
  const found = new Set<Resource>(routed)
  for (const resource of found) {
    for (const action of Object.values(resource.actions)) if (action.returns) found.add(catalog.get(action.returns))
    for (const { virtual } of Object.values(resource.fields)) {
      if (virtual?.kind === 'embedded') found.add(catalog.get(virtual.resource))
    }
  }
  return [...catalog.resources.values()].filter((resource) => found.has(resource) && !isTrash(resource))
}

/** The lines of an import. OpenAPI 3.1 has no schema for a sequence, so it describes the text. */
export function linesSchema(resource: Resource): NamedOpenapiNode {
  const description = `One JSON object a line: \`${schemaName(resource, 'create')}\`, or with the id of a record the fields of it to change.`
  return [resource.schemaNames.Lines, { type: 'string', description }]
}

export function resourceSchemas(part: DescribedField): readonly NamedOpenapiNode[] {
  const { resource } = part
  const { access } = resource
  const schemas: NamedOpenapiNode[] = [[schemaName(resource), recordSchema(part)], ...canSchema(resource)]
  if (access.list || access.get) schemas.push([schemaName(resource, 'part'), partSchema(part)])
  if (isHistory(resource)) schemas.push([schemaName(resource, 'differing'), differingSchema(part)])
  if (
    (access.create || resource.actionNames.some((name) => traitsOfAction(resource, name).reveals)) &&
    revealedNames(resource).length > 0
  )
    schemas.push([schemaName(resource, 'created'), createdSchema(part)])
  if (access.import) schemas.push(linesSchema(resource))
  for (const kind of crudKinds) {
    if (kind !== 'create' && kind !== 'replace' && kind !== 'update') continue
    if (!access[kind]) continue
    schemas.push([schemaName(resource, kind), withProof(resource, kind, bodySchema(part, kind))])
  }
  return schemas
}
