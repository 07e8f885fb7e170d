/**
 * Makes the document's schemas as strict as the server: a response has no member that its schema
 * does not name. With `fields`, the selected members follow the record's schema. The document
 * itself stays open, so that a later version can add a member.
 */
import type { Document, Schema } from './document-shape.ts'

/** Schemas that stay open: GraphQL responses. */
const open = new Set(['GraphqlAnswer'])

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) =>
    key === 'examples' || key === 'example' ? [key, value] : [key, closed(value)],
  )
  const made: Record<string, unknown> = Object.fromEntries(entries)
  if (made.type === 'object' && made.properties && made.additionalProperties === undefined)
    made.additionalProperties = false
  return made
}

type Schemas = Document['components']['schemas']

/** The part of a record's schema. `Id_Record` is the record where the engine has an `Id`. */
function partOf(name: string, schemas: Schemas): string | undefined {
  const part = `${name.replace(/_Record$/, '')}Part`
  return schemas[part] && !schemas[`${name}_Record`] ? part : undefined
}

/** A property that several records have alike is a component, which no part is of. */
function toldProperty(property: Schema, schemas: Schemas): Schema {
  const name = String(property.$ref).split('/').at(-1) as string
  const told = partOf(name, schemas) ? undefined : schemas[name]
  return told ? toldProperty(told, schemas) : property
}

/** `{ anyOf: [Record, null] }` and lists of records → those, or parts of them. */
function orPart(property: Schema, schemas: Schemas): unknown {
  const text = JSON.stringify(toldProperty(property, schemas))
  const swapped = text.replaceAll(/\{"\$ref":"#\/components\/schemas\/(\w+)"\}/g, (all, name: string) => {
    const part = partOf(name, schemas)
    return part ? `{"anyOf":[${all},{"$ref":"#/components/schemas/${part}"}]}` : all
  })
  return JSON.parse(swapped)
}

/**
 * An object of several joined schemas has no other members, so none of them may be closed alone.
 */
function joined(parts: readonly Schema[], schemas: Schemas): unknown {
  const all = parts.map((part) => {
    const named = typeof part.$ref === 'string' ? schemas[part.$ref.split('/').at(-1) as string] : part
    return { ...(closed(named) as object), additionalProperties: undefined }
  })
  return JSON.parse(JSON.stringify({ allOf: all, unevaluatedProperties: false }))
}

export function closedSchemas({ components: { schemas } }: Document): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (Array.isArray(schema.allOf)) return [name, joined(schema.allOf, schemas)]
      const base = name.endsWith('Part') ? name.slice(0, -'Part'.length) : undefined
      const whole = base === undefined ? undefined : (schemas[`${base}_Record`] ?? schemas[base])
      if (!whole) return [name, open.has(name) ? schema : closed(schema)]
      const properties = Object.entries(whole.properties as Record<string, Schema>).map(
        ([key, one]) => [key, orPart(one, schemas)] as const,
      )
      return [name, closed({ type: 'object', required: schema.required, properties: Object.fromEntries(properties) })]
    }),
  )
}
