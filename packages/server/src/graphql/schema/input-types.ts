/**
 * GraphQL input types for bodies and actions, and the conversion of their values to the JSON bodies
 * that `operation/` validates.
 */
import {
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql'
import type { Resource } from '../../resource/catalog.ts'
import { type Field, type Fields, fieldError } from '../../resource/fields/field.ts'
import { isAlwaysRequired, isSettable } from '../../resource/fields/field-facts.ts'
import { partsOf } from '../../resource/fields/nested/object.ts'
import { incrementName } from '../../resource/fields/numbers/increment.ts'
import { placeNames } from '../../resource/fields/places/place-change.ts'
import type { BodyKind } from '../../resource/operation-kind.ts'
import { proofOf } from '../../resource/traits.ts'
import { deprecationReason as reasonOf } from '../../resource/words/deprecation.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { typeNameOf } from '../../resource/words/names.ts'
import type { LeafTypes } from './leaf-types.ts'
import { makeLinkInputs } from './link-types.ts'
import type { FieldArguments } from './list-arguments.ts'
import { type NamedInputs, nestedInputs } from './nested-inputs.ts'
import type { ValueTypes } from './value-types.ts'

export type InputTypes = {
  /** Undefined when a body of this kind would have no fields. */
  body(resource: Resource, kind: BodyKind): GraphQLInputObjectType | undefined
  action(resource: Resource, action: string): GraphQLInputObjectType | undefined
}

type InputTypeDeps = {
  readonly values: ValueTypes
  /**
   * The fields that the arguments of every such mutation set, so that its input need not have them.
   */
  givenTo(resource: Resource, kind: BodyKind): ReadonlySet<string>
}

export function makeInputTypes(leaves: LeafTypes, names: TypeNames, { values, givenTo }: InputTypeDeps): InputTypes {
  const types = new Map<string, GraphQLInputObjectType | undefined>()
  const linksOf = makeLinkInputs({ leaves, names })
  const known: NamedInputs['known'] = new Map()

  /** An object, or a list of objects, in the input of an action. */
  function objectOf({ typeName, label }: Resource, name: string, field: Field) {
    const fields = partsOf(field) ?? {}
    const type = values.input({ words: [typeName, typeNameOf(name)], label, fields })
    return field.type.isList ? new GraphQLList(new GraphQLNonNull(type)) : type
  }

  function typeOf(resource: Resource, name: string, required: boolean): GraphQLInputType {
    const field = resource.fields[name] as Field
    const isLinks = field.virtual?.kind === 'links'
    const type = isLinks
      ? linksOf(resource, name)
      : partsOf(field)
        ? objectOf(resource, name, field)
        : leaves.valueOf(resource, name)
    return required ? new GraphQLNonNull(type) : type
  }

  type Beside = readonly (readonly [name: string, type: GraphQLInputType])[]
  type Entries = readonly (readonly [name: string, required: boolean])[]

  /** `more`: members beside the fields of the resource. */
  // biome-ignore lint/complexity/useMaxParams: the last one is there for one kind of body
  function make(name: string, resource: Resource, entries: Entries, more: Beside = []) {
    if (types.has(name)) return types.get(name)
    const own = entries.map(([field, required]) => {
      const deprecated = resource.fields[field]?.deprecated
      // A required field cannot be deprecated (GraphQL specification, section 3.13.3).
      const deprecationReason = required || !deprecated ? undefined : reasonOf(deprecated)
      return [field, { type: typeOf(resource, field, required), deprecationReason }] as const
    })
    const fields = Object.fromEntries([...own, ...more.map(([one, type]) => [one, { type }] as const)])
    const type = entries.length === 0 ? undefined : new GraphQLInputObjectType({ name, fields })
    types.set(name, type)
    return type
  }

  /** `by`: the reference of a child to the record that has it in its body. */
  const bodyNamed: NamedInputs['bodyNamed'] = (name, { resource, kind, by, more = [] }) => {
    const given = givenTo(resource, kind)
    const settable = resource.fieldNames
      .map((one) => [one, resource.fields[one] as Field] as const)
      .filter(([one, field]) => isSettable(field, kind) && one !== by)
    const proof = proofOf(resource, kind)
    return make(
      name,
      resource,
      settable.map(([one, field]) => [one, isAlwaysRequired(field, kind) && !given.has(one)]),
      [
        ...more,
        ...settable.flatMap(([one, { type }]) =>
          type.places ? placeNames(one).map(({ beside }) => [beside, GraphQLID] as const) : [],
        ),
        ...(kind === 'update' ? settable.filter(([, field]) => field.increment) : []).map(
          ([one]) => [incrementName(one), typeOf(resource, one, false)] as const,
        ),
        ...nestedInputs({ names, known, bodyNamed }, resource, kind),
        ...(proof ? [[proof.name, GraphQLString] as const] : []),
      ],
    )
  }

  return {
    body: (resource, kind) =>
      bodyNamed(names.of([typeNameOf(kind), resource.typeName, 'Input'], resource.name), { resource, kind }),
    action(resource, action) {
      const fields = resource.actions[action]?.input ?? {}
      const entries = Object.entries(fields).map(([name, field]) => [name, field.required] as const)
      // The fields are the action's own, so their enums are named after it.
      const owner: Resource = { ...resource, typeName: `${typeNameOf(action)}${resource.typeName}`, fields }
      return make(names.of([typeNameOf(action), resource.typeName, 'Input'], resource.name), owner, entries)
    },
  }
}

/** Converts the values of GraphQL scalars to those of a JSON body. */
export function jsonOf(fields: Fields, input: unknown): FieldArguments {
  const json = { ...(input as Record<string, unknown> | undefined) }
  for (const [name, value] of Object.entries(json)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const parts = field && partsOf(field)
    if (parts && value !== null && value !== undefined)
      json[name] = Array.isArray(value) ? value.map((one) => jsonOf(parts, one)) : jsonOf(parts, value)
    if (field?.type.parseScalar) json[name] = field.type.parseScalar(value, name, field)
  }
  return json
}

/**
 * The input of an update as the JSON body: `stockIncrement: -1` → `stock: { increment: -1 }`.
 * Throws `bad-request` for a value beside its increment.
 */
export function withIncrements({ fields }: Resource, input: FieldArguments): FieldArguments {
  const json: Record<string, unknown> = { ...input }
  for (const [name, field] of Object.entries(fields)) {
    const beside = incrementName(name)
    if (!field.increment || !Object.hasOwn(json, beside)) continue
    if (Object.hasOwn(json, name)) throw fieldError(name, `is sent beside ${beside}: send one of them`)
    const { parseScalar } = field.type
    const by = json[beside]
    delete json[beside]
    if (by !== null && by !== undefined) json[name] = { increment: parseScalar?.(by, name, field) ?? by }
  }
  return json
}

/**
 * The input of a write as the JSON body: `positionAfter: "7"` → `position: { after: "7" }`. Throws
 * `bad-request` for two places.
 */
export function withMoves({ placed }: Resource, input: FieldArguments): FieldArguments {
  if (!placed) return input
  const json: Record<string, unknown> = { ...input }
  for (const { beside, side } of placeNames(placed.name)) {
    const id = json[beside] ?? undefined
    delete json[beside]
    if (id === undefined) continue
    if (Object.hasOwn(json, placed.name)) throw fieldError(placed.name, `is sent beside ${beside}: send one of them`)
    json[placed.name] = { [side]: id }
  }
  return json
}
