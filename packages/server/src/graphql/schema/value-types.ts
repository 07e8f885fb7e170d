/**
 * GraphQL types of values that are no records: the output of actions and endpoints, the input of
 * endpoints, and the objects within both.
 */
import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql'
import type { Field, Fields } from '../../resource/fields/field.ts'
import { partsOf } from '../../resource/fields/nested/object.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { typeNameOf } from '../../resource/words/names.ts'
import type { LeafOwner, LeafTypes } from './leaf-types.ts'

/** A name in words, such as `Quote` `Order`, and the fields. `label`: in sentences. */
export type NamedFields = { readonly words: readonly string[]; readonly label: string; readonly fields: Fields }

export type ValueTypes = {
  output(named: NamedFields): GraphQLObjectType
  input(named: NamedFields): GraphQLInputObjectType
}

function ownerOf({ words, label, fields }: NamedFields): LeafOwner {
  return { name: words.join(''), typeName: words.join(''), label, fields }
}

/** The objects within: `QuoteOrder` with `lines` has `QuoteOrderLines`. */
function within(named: NamedFields, name: string, parts: Fields): NamedFields {
  return { ...named, words: [...named.words, typeNameOf(name)], fields: parts }
}

export function makeValueTypes(leaves: LeafTypes, names: TypeNames): ValueTypes {
  const outputs = new Map<string, GraphQLObjectType>()
  const inputs = new Map<string, GraphQLInputObjectType>()

  function outputField(named: NamedFields, name: string, field: Field) {
    const { isList, lengthMax } = field.type
    const parts = partsOf(field)
    const type: GraphQLOutputType = !parts
      ? leaves.shownOf(ownerOf(named), name)
      : isList
        ? new GraphQLList(new GraphQLNonNull(output(within(named, name, parts))))
        : output(within(named, name, parts))
    const extensions = parts ? { ...(isList && { records: 100 }) } : { characters: lengthMax?.(field) ?? 0 }
    const description = field.description
    return { type: field.nullable ? type : new GraphQLNonNull(type), description, extensions }
  }

  function output(named: NamedFields): GraphQLObjectType {
    const name = names.of([...named.words, 'Output'])
    const known = outputs.get(name)
    if (known) return known
    const entries = Object.entries(named.fields)
    const made = new GraphQLObjectType({
      name,
      fields: () => Object.fromEntries(entries.map(([one, field]) => [one, outputField(named, one, field)])),
    })
    outputs.set(name, made)
    return made
  }

  function inputType(named: NamedFields, name: string, field: Field): GraphQLInputType {
    const parts = partsOf(field)
    const one = parts ? input(within(named, name, parts)) : leaves.valueOf(ownerOf(named), name)
    const type = parts && field.type.isList ? new GraphQLList(new GraphQLNonNull(one)) : one
    return field.required ? new GraphQLNonNull(type) : type
  }

  function input(named: NamedFields): GraphQLInputObjectType {
    const name = names.of([...named.words, 'Input'])
    const known = inputs.get(name)
    if (known) return known
    const made = new GraphQLInputObjectType({
      name,
      fields: () =>
        Object.fromEntries(
          Object.entries(named.fields).map(([one, field]) => [
            one,
            { type: inputType(named, one, field), description: field.description },
          ]),
        ),
    })
    inputs.set(name, made)
    return made
  }

  return { output, input }
}
