/**
 * GraphQL's inputs of children that a body writes: `create`, `update` and `delete`, each a list.
 * The record above gives a child its reference, so no input has it.
 */
import { GraphQLID, GraphQLInputObjectType, type GraphQLInputType, GraphQLList, GraphQLNonNull } from 'graphql'
import { type NestedVerb, nestedLink, verbsOf } from '../../operation/nested/nested-body.ts'
import type { ChildRelation, Resource } from '../../resource/catalog.ts'
import type { BodyKind } from '../../resource/operation-kind.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { typeNameOf } from '../../resource/words/names.ts'

type NamedInput = readonly [name: string, type: GraphQLInputType]
type InputBody = {
  readonly resource: Resource
  readonly kind: BodyKind
  readonly by?: string
  readonly more?: readonly NamedInput[]
}
export type NamedInputs = {
  readonly names: TypeNames
  /** The types that are made, by name: children of one record stand in several inputs. */
  readonly known: Map<string, GraphQLInputObjectType>
  /** Undefined where it would have no fields. */
  bodyNamed(name: string, body: InputBody): GraphQLInputObjectType | undefined
}

type NestedPlace = { readonly parent: Resource; readonly name: string; readonly link: ChildRelation }

function itemInput({ names, bodyNamed }: NamedInputs, { parent, name, link }: NestedPlace, verb: NestedVerb) {
  if (verb === 'delete') return GraphQLID
  const { resource, by } = link
  const typeName = names.of([typeNameOf(verb), parent.typeName, typeNameOf(name), 'Item'], parent.name)
  const id = [resource.idField, new GraphQLNonNull(GraphQLID)] as const
  return bodyNamed(typeName, { resource, kind: verb, by, more: verb === 'update' ? [id] : [] })
}

/** The members of the input of a body of this kind, by the names of the children. */
export function nestedInputs(inputs: NamedInputs, parent: Resource, kind: BodyKind): readonly NamedInput[] {
  return parent.nestedNames.flatMap((name) => {
    const link = nestedLink(parent, name, kind)
    if (!link) return []
    const typeName = inputs.names.of([typeNameOf(kind), parent.typeName, typeNameOf(name), 'Input'], parent.name)
    const made = inputs.known.get(typeName)
    if (made) return [[name, made] as const]
    const lists = verbsOf(link, kind).flatMap((verb) => {
      const item = itemInput(inputs, { parent, name, link }, verb)
      return item ? [[verb, { type: new GraphQLList(new GraphQLNonNull(item)) }] as const] : []
    })
    const type = new GraphQLInputObjectType({ name: typeName, fields: Object.fromEntries(lists) })
    inputs.known.set(typeName, type)
    return [[name, type] as const]
  })
}
