/**
 * The query `permissions` lists the permissions of the caller. A declared query of that name keeps
 * it, and this one is then `_permissions`.
 */

import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import { extents, permissionsOf } from '../../policy/permissions.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { shownResources } from '../../resource/made/shown-resources.ts'
import { bodyKinds } from '../../resource/operation-kind.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import type { GraphqlContext } from '../context.ts'
import type { FieldArguments } from './list-arguments.ts'

type PermissionField = GraphQLFieldConfig<unknown, GraphqlContext, FieldArguments>

type OwnType = GraphQLScalarType | GraphQLEnumType | GraphQLObjectType
const needed = <T extends OwnType>(type: T) => new GraphQLNonNull(type)
const listed = <T extends OwnType>(type: T) => new GraphQLNonNull(new GraphQLList(needed(type)))
const names = (description: string) => ({ type: listed(GraphQLString), description })

function makeExtent(typeNames: TypeNames): GraphQLEnumType {
  const about = {
    all: 'All records that exist for the caller.',
    some: 'The record decides, or what a write makes of it.',
    none: 'The operation is refused.',
  }
  return new GraphQLEnumType({
    name: typeNames.of(['Permitted', 'Records']),
    description: 'On which records an operation is allowed.',
    values: Object.fromEntries(extents.map((one) => [one.toUpperCase(), { description: about[one] }])),
  })
}

function makeType(catalog: Catalog, typeNames: TypeNames): GraphQLObjectType {
  const most = Math.max(1, ...[...catalog.resources.values()].map(({ access }) => Object.keys(access).length))
  const operation = new GraphQLObjectType({
    name: typeNames.of(['Operation', 'Permission']),
    description: 'The permission of the caller for one operation.',
    fields: {
      operation: { type: needed(GraphQLString), description: 'Its name in the declaration.' },
      records: { type: needed(makeExtent(typeNames)), description: 'On which records it is allowed.' },
    },
  })
  return new GraphQLObjectType({
    name: typeNames.of(['Resource', 'Permissions']),
    description: 'The permissions of the caller for one resource.',
    fields: {
      resource: { type: needed(GraphQLString), description: 'Its name, as scopes of keys have it.' },
      operations: { type: listed(operation), description: 'Every operation.', extensions: { records: most } },
      read: names('The fields that responses show.'),
      ...Object.fromEntries(bodyKinds.map((kind) => [kind, names(`The fields that the input of ${kind} may have.`)])),
    },
  })
}

/** `isTaken`: whether a declared query has this name. */
export function permissionField(
  catalog: Catalog,
  typeNames: TypeNames,
  isTaken: (name: string) => boolean,
): readonly [name: string, PermissionField] {
  const field: PermissionField = {
    type: listed(makeType(catalog, typeNames)),
    description: 'The permissions of the caller for each resource.',
    extensions: { records: shownResources(catalog).length },
    resolve: (_source, _args, { engine, principal }) =>
      permissionsOf(engine, engine.policy.tenants?.within(principal, {}) ?? principal).map(
        ({ resource, operations, sees, sets }) => ({
          resource: resource.slug,
          operations: Object.entries(operations).map(([operation, extent]) => ({
            operation,
            records: extent.toUpperCase(),
          })),
          read: sees,
          ...sets,
        }),
      ),
  }
  return [isTaken('permissions') ? '_permissions' : 'permissions', field]
}
