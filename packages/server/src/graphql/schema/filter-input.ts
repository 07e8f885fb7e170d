/**
 * The GraphQL arguments of a list: REST's query parameters as GraphQL types. They are turned back
 * into those parameters, so one parser (`operation/list-query.ts`) serves both. `filter` is the
 * same object in both.
 */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql'
import { memberOperators } from '../../operation/filters/member-filter.ts'
import { quantifiers } from '../../operation/links/filter-links.ts'
import type { Parameters } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'
import { type Field, fieldError, treeOperator } from '../../resource/fields/field.ts'
import { argumentNames } from '../../resource/list-style.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { typeNameOf } from '../../resource/words/names.ts'
import type { LeafType, LeafTypes } from './leaf-types.ts'
import type { FieldArguments } from './list-arguments.ts'
import { argumentsOf } from './list-arguments.ts'

/** `TextFilter`, `MoneyFilter`, `OrderStatusFilter`: one for each kind of field. */
function filterWords(field: Field, leaf: LeafType): readonly string[] {
  const { name, item, operators } = field.type
  if (operators.includes(treeOperator)) return ['Tree', typeNameOf(name), 'Filter']
  const words = [leaf instanceof GraphQLEnumType ? leaf.name : typeNameOf((item ?? field).type.name), 'Filter']
  // Lists of texts had their own name before there were others.
  return name === 'list' ? ['ListOf', ...words] : item ? [typeNameOf(name), 'Filter'] : words
}

function makeOperators(name: string, field: Field, leaf: LeafType): GraphQLInputObjectType {
  const typeOf = (operator: string) => {
    if (operator === 'null' || operator === 'exists' || operator === 'empty') return GraphQLBoolean
    // part of a value need not be a valid value
    if (!field.type.item && (operator === 'contains' || operator === 'startsWith')) return GraphQLString
    return operator === 'in' || operator === 'overlaps' ? new GraphQLList(new GraphQLNonNull(leaf)) : leaf
  }
  return new GraphQLInputObjectType({
    name,
    fields: Object.fromEntries(
      [...field.type.operators, ...(field.type.hasMembers ? ['path', ...memberOperators] : [])].map((operator) => [
        operator,
        { type: typeOf(operator) },
      ]),
    ),
  })
}

export type FilterInputs = { arguments(resource: Resource): GraphQLFieldConfigArgumentMap }

/**
 * The arguments of each resource's list: paging, its named filters, and `filter` with every
 * operator.
 */
export function makeFilterInputs(leaves: LeafTypes, names: TypeNames): FilterInputs {
  const operators = new Map<string, GraphQLInputObjectType>()
  const types = new Map<Resource, GraphQLInputObjectType>()

  function operatorsOf(resource: Resource, name: string): GraphQLInputObjectType {
    const linked = resource.links[name]
    if (linked) return linkedOperators(linked.target)
    const field = resource.fields[name] as Field
    const leaf = leaves.of(resource, name)
    const typeName = names.of(filterWords(field, leaf))
    const type = operators.get(typeName) ?? makeOperators(typeName, field, leaf)
    operators.set(typeName, type)
    return type
  }

  /** Of links: by ids, and by the records that they name. */
  function linkedOperators(target: Resource): GraphQLInputObjectType {
    const typeName = names.of([target.typeName, 'LinksFilter'], target.name)
    const ids = { type: new GraphQLList(new GraphQLNonNull(GraphQLID)) }
    const byId = { eq: { type: GraphQLID }, in: ids, null: { type: GraphQLBoolean } }
    const hasFields = target.list.filterable.size > 0
    const type =
      operators.get(typeName) ??
      new GraphQLInputObjectType({
        name: typeName,
        fields: () => ({
          ...byId,
          ...(hasFields && Object.fromEntries(quantifiers.map((one) => [one, { type: filterOf(target) }]))),
        }),
      })
    operators.set(typeName, type)
    return type
  }

  /** The references whose fields a filter may use. */
  function relatedOf({ relations, list }: Resource): [string, { type: GraphQLInputObjectType; description: string }][] {
    return Object.entries(relations).flatMap(([name, { kind, by, resource }]) => {
      const isAsked = kind === 'one' || (kind === 'reference' && list.filterable.has(by))
      if (!isAsked || resource.list.filterable.size === 0) return []
      const description =
        kind === 'one' ? `Of the record whose ${by} names this one.` : `Of the record that ${by} names.`
      return [[name, { type: filterOf(resource), description }]]
    })
  }

  function filterOf(resource: Resource): GraphQLInputObjectType {
    const known = types.get(resource)
    if (known) return known
    const type: GraphQLInputObjectType = new GraphQLInputObjectType({
      name: names.of([resource.typeName, 'Filter'], resource.name),
      fields: () => {
        const own = [...resource.list.filterable].map((name) => [name, { type: operatorsOf(resource, name) }] as const)
        const some = { type: new GraphQLList(new GraphQLNonNull(type)) }
        return { ...Object.fromEntries([...own, ...relatedOf(resource)]), and: some, or: some, not: { type } }
      },
    })
    types.set(resource, type)
    return type
  }

  function namedType(resource: Resource, { field, by }: Resource['list']['filters'][string]) {
    if (by === 'true') return GraphQLBoolean
    // A part of a text need not be a member of the enum.
    return by === 'contains' ? GraphQLString : leaves.of(resource, field)
  }

  return {
    arguments(resource) {
      const { filters, filterable } = resource.list
      const taken = argumentsOf(resource.list)
      for (const [name, filter] of Object.entries(filters)) taken[name] = { type: namedType(resource, filter) }
      if (filterable.size > 0) taken.filter = { type: filterOf(resource) }
      return taken
    },
  }
}

function textOf(name: string, value: unknown): string {
  if (value === null) throw fieldError(name, 'must not be null')
  return String(value)
}

/**
 * `{ page: 2, sort: "-price" }` → `page=2&sort=-price`. An argument that is null counts as not
 * given.
 */
export function parametersOf(resource: Resource, args: FieldArguments): Parameters {
  const parameters = new Map<string, string>()
  for (const name of [...argumentNames(), ...Object.keys(resource.list.filters)]) {
    const value = args[name]
    if (value === null || value === undefined) continue
    parameters.set(name, textOf(name, value))
  }
  return parameters
}
