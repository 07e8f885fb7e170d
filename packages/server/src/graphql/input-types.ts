/** What is sent: input types for bodies and actions, and GraphQL's values of them → the JSON bodies that `operation/` checks. */
import { GraphQLInputObjectType, type GraphQLInputType, GraphQLList, GraphQLNonNull } from 'graphql'
import type { BodyKind } from '../operation/body.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import { typeNameOf } from '../resource/names.ts'
import type { Arguments } from './context.ts'
import type { Leaves } from './leaf.ts'

export type Inputs = {
  /** Undefined when a body of this kind could hold nothing. */
  body(resource: Resource, kind: BodyKind): GraphQLInputObjectType | undefined
  action(resource: Resource, action: string): GraphQLInputObjectType | undefined
}

function isSettable(field: Field, kind: BodyKind): boolean {
  return field.setBy === undefined && !field.virtual && !(field.immutable && kind !== 'create')
}

function isRequired(field: Field, kind: BodyKind): boolean {
  return field.required && kind !== 'update' && !(kind === 'replace' && field.keepOnReplace)
}

export function makeInputs(leaves: Leaves): Inputs {
  const types = new Map<string, GraphQLInputObjectType | undefined>()

  function typeOf(resource: Resource, name: string, field: Field, required: boolean): GraphQLInputType {
    const leaf = leaves.of(resource, name)
    const type = field.type.name === 'textList' ? new GraphQLList(new GraphQLNonNull(leaf)) : leaf
    return required ? new GraphQLNonNull(type) : type
  }

  function make(name: string, resource: Resource, entries: readonly (readonly [string, Field, boolean])[]) {
    if (types.has(name)) return types.get(name)
    const fields = Object.fromEntries(
      entries.map(([field, one, required]) => [field, { type: typeOf(resource, field, one, required) }]),
    )
    const type = entries.length === 0 ? undefined : new GraphQLInputObjectType({ name, fields })
    types.set(name, type)
    return type
  }

  return {
    body(resource, kind) {
      const settable = resource.fieldNames
        .map((name) => [name, resource.fields[name] as Field] as const)
        .filter(([, field]) => isSettable(field, kind))
      return make(
        `${typeNameOf(kind)}${resource.typeName}Input`,
        resource,
        settable.map(([name, field]) => [name, field, isRequired(field, kind)]),
      )
    },
    action(resource, action) {
      const fields = resource.actions[action]?.input ?? {}
      const entries = Object.entries(fields).map(([name, field]) => [name, field, field.required] as const)
      // The fields are the action's own, so their enums are named after it.
      const owner: Resource = { ...resource, typeName: `${typeNameOf(action)}${resource.typeName}`, fields }
      return make(`${typeNameOf(action)}${resource.typeName}Input`, owner, entries)
    },
  }
}

/** An integer id comes as the text of an ID, and is a number in JSON. */
export function jsonOf(fields: Fields, input: unknown): Arguments {
  const json = { ...(input as Record<string, unknown> | undefined) }
  for (const [name, value] of Object.entries(json)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const isIntegerId = field?.type.scalar === 'ID' && field.type.column === 'integer'
    if (field && isIntegerId && typeof value === 'string') json[name] = field.type.parse(value, name, field)
  }
  return json
}
