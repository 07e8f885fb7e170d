/**
 * The directive `@auth` of guarded fields. Roles in order name the lowest one that passes; roles
 * without an order name all.
 */
import { DirectiveLocation, GraphQLDirective, type GraphQLEnumType, GraphQLList, GraphQLNonNull, Kind } from 'graphql'
import type { Roles } from '../../resource/rules/role-order.ts'

const ordered = 'Needs a current user of this role or a higher one. A field without it needs no authentication.'
const unordered =
  'Needs a current user of one of these roles, or any user where none is named. A field without it needs no authentication.'

/**
 * `directive @auth(requires: Role = MEMBER) on FIELD_DEFINITION`, where that is the lowest role;
 * `@auth(requires: [Role!])` for roles without an order.
 */
export function authDirective(role: GraphQLEnumType, { isOrdered, lowest }: Roles): GraphQLDirective {
  const requires = isOrdered
    ? { type: role, default: { literal: { kind: Kind.ENUM, value: lowest } as const } }
    : { type: new GraphQLList(new GraphQLNonNull(role)) }
  return new GraphQLDirective({
    name: 'auth',
    description: isOrdered ? ordered : unordered,
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: { requires },
  })
}

/** The arguments of `@auth` on a field that these roles may ask; none where any user may. */
export function authArguments(
  { isOrdered, names, lowest, highest }: Roles,
  admitted: readonly string[],
): { readonly requires?: string | readonly string[] } {
  if (!isOrdered) return admitted.length === names.length ? {} : { requires: admitted }
  const least = admitted[0] ?? highest
  return least === lowest ? {} : { requires: least }
}
