/** Records and bodies as JSON Schema (2020-12), each from the field types of its declaration. Hidden fields are left out. */
import type { Catalog, Resource } from '../resource/catalog.ts'
import { currentPassword, takesCurrentPassword } from '../resource/credentials.ts'
import { deprecationReason } from '../resource/deprecation.ts'
import type { Field, Fields, Json } from '../resource/fields/field.ts'
import { isRequired, isRevealed, isSettable, isShown } from '../resource/fields/field-facts.ts'
import { type BodyKind, crudKinds } from '../resource/operation-kind.ts'
import type { Settings } from '../resource/rule.ts'
import { type Node, nodesOf, refTo } from './node.ts'

/** `Product`, `ProductCreate`, `ProductPart`: the names of the components. */
export function schemaName(resource: Resource, part: BodyKind | 'part' | 'created' | '' = ''): string {
  return resource.typeName + part.slice(0, 1).toUpperCase() + part.slice(1)
}

/** `{ type: 'string' }` → `{ type: ['string', 'null'] }`, with null among the values of an enum too. */
function orNull(schema: Node): Node {
  const values = schema.enum as readonly Json[] | undefined
  return { ...schema, type: [schema.type as Json, 'null'], ...(values ? { enum: [...values, null] } : {}) }
}

function addDescription(schema: Node, sentences: readonly (string | undefined)[]): Node {
  const all = [schema.description as string | undefined, ...sentences].filter((one) => one !== undefined)
  return all.length === 0 ? schema : { ...schema, description: all.join(' ') }
}

function deprecating({ deprecated }: Field, schema: Node): Node {
  return deprecated ? { ...addDescription(schema, [deprecationReason(deprecated)]), deprecated: true } : schema
}

export function revealedNames(resource: Resource): readonly string[] {
  return resource.fieldNames.filter((name) => isRevealed(resource.fields[name] as Field))
}

function shownSchema(catalog: Catalog, field: Field, settings: Settings): Node {
  const { virtual } = field
  if (virtual?.kind === 'embedded') {
    return { type: 'array', items: refTo('schemas', schemaName(catalog.get(virtual.resource))), readOnly: true }
  }
  const schema = field.type.schema(field)
  const told = field.read && `Shown to ${field.read.type.inDocument(field.read, settings)}.`
  const node = deprecating(field, addDescription(field.nullable ? orNull(schema) : schema, [told]))
  return field.setBy === undefined ? node : { ...node, readOnly: true }
}

function recordSchema(catalog: Catalog, resource: Resource, settings: Settings): Node {
  const shown = Object.entries(resource.fields).filter(([, field]) => isShown(field))
  return {
    type: 'object',
    required: shown.filter(([, field]) => !field.read).map(([name]) => name),
    properties: nodesOf(shown.map(([name, field]) => [name, shownSchema(catalog, field, settings)])),
  }
}

/** The part of a record that `fields` selects. */
function partSchema(resource: Resource): Node {
  const names = resource.fieldNames.filter((name) => isShown(resource.fields[name] as Field))
  const property = (name: string): Node => ({ $ref: `#/components/schemas/${schemaName(resource)}/properties/${name}` })
  return {
    type: 'object',
    description: 'With `fields`: the id and the fields that it names.',
    required: [resource.idField],
    properties: nodesOf(names.map((name) => [name, property(name)])),
  }
}

function schemaOf(field: Field): Node {
  return field.type.schema(field)
}

function createdSchema(resource: Resource): Node {
  const names = revealedNames(resource)
  return {
    allOf: [
      refTo('schemas', schemaName(resource)),
      {
        type: 'object',
        required: names,
        properties: nodesOf(names.map((name) => [name, schemaOf(resource.fields[name] as Field)])),
      },
    ],
  }
}

/** Null means the default, or no value; a required field does not accept it. */
function sentSchema(field: Field, kind: BodyKind, settings: Settings): Node {
  const schema = field.type.schema(field)
  const nullable = !field.required && (field.nullable || field.default !== undefined)
  const described = addDescription(nullable ? orNull(schema) : schema, [
    field.falsyIsDefault ? '`0`, `""`, `false` and `null` mean the default.' : undefined,
    kind === 'replace' && field.keepOnReplace ? 'Kept when omitted.' : undefined,
    field.write && `Only for ${field.write.type.inDocument(field.write, settings)}.`,
  ])
  const node = deprecating(field, described)
  const fallback = field.default
  const takesDefault = kind === 'create' || (kind === 'replace' && !field.keepOnReplace)
  const hasDefault = takesDefault && fallback !== undefined && fallback !== null && typeof fallback !== 'function'
  const notBlank: Node = field.required ? (field.type.requiredSchema ?? {}) : {}
  return { ...node, ...notBlank, ...(hasDefault ? { default: fallback as Json } : {}) }
}

/** A read-only field is refused on create; later it is accepted if it equals the stored value, so the schema stays open. */
export function bodySchema(fields: Fields, kind: BodyKind, settings: Settings): Node {
  const writable = Object.entries(fields).filter(([, field]) => isSettable(field, kind))
  const required = writable.filter(([, field]) => isRequired(field, kind)).map(([name]) => name)
  return {
    type: 'object',
    ...(kind === 'create'
      ? {}
      : { description: 'A read-only field is accepted when it equals the stored value; any other field is refused.' }),
    ...(required.length > 0 ? { required } : {}),
    properties: nodesOf(writable.map(([name, field]) => [name, sentSchema(field, kind, settings)])),
    ...(kind === 'create' ? { additionalProperties: false } : {}),
  }
}

/** The body with the password of today, where credentials can change. */
function withCurrentPassword(resource: Resource, kind: BodyKind, body: Node): Node {
  if (!takesCurrentPassword(resource, kind)) return body
  const description = 'The password of today: sent by whoever changes their own credentials, and only then.'
  const property = { type: 'string', format: 'password', writeOnly: true, description }
  return { ...body, properties: { ...(body.properties as Node), [currentPassword]: property } }
}

/** The resources whose records can be seen: those of the routes, what their actions return, and what they embed. */
export function shownResources(catalog: Catalog, routed: Iterable<Resource>): readonly Resource[] {
  const found = new Set<Resource>(routed)
  for (const resource of found) {
    for (const action of Object.values(resource.actions)) if (action.returns) found.add(catalog.get(action.returns))
    for (const { virtual } of Object.values(resource.fields)) {
      if (virtual?.kind === 'embedded') found.add(catalog.get(virtual.resource))
    }
  }
  return [...catalog.resources.values()].filter((resource) => found.has(resource))
}

export function resourceSchemas(
  catalog: Catalog,
  resource: Resource,
  settings: Settings,
): readonly (readonly [string, Node])[] {
  const schemas: (readonly [string, Node])[] = [[schemaName(resource), recordSchema(catalog, resource, settings)]]
  if (resource.access.list || resource.access.get) schemas.push([schemaName(resource, 'part'), partSchema(resource)])
  if (resource.access.create && revealedNames(resource).length > 0)
    schemas.push([schemaName(resource, 'created'), createdSchema(resource)])
  for (const kind of crudKinds) {
    if (kind !== 'create' && kind !== 'replace' && kind !== 'update') continue
    if (!resource.access[kind]) continue
    const body = bodySchema(resource.fields, kind, settings)
    schemas.push([schemaName(resource, kind), withCurrentPassword(resource, kind, body)])
  }
  return schemas
}
