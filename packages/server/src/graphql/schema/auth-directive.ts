/**
 * The directive `@auth` of guarded fields. Roles in order name the lowest one that passes; roles
 * without an order name all.
 */
import { DirectiveLocation, GraphQLDirective, type GraphQLEnumType, GraphQLList, GraphQLNonNull, Kind } from 'graphql'
import type { Roles } from '../../resource/rules/role-order.ts'

const ordered = 'Needs a current user of this role or a higher one. A field without it needs no authentication.'
const listed = 'Where `roles` is given, it needs one of these: a higher role does not pass.'
const unordered =
  'Needs a current user of one of these roles, or any user where none is named. A field without it needs no authentication.'

/**
 * `directive @auth(requires: Role = MEMBER) on FIELD_DEFINITION`, where that is the lowest role;
 * `@auth(requires: [Role!])` for roles without an order.
 */
export function authDirective(
  role: GraphQLEnumType,
  { isOrdered, lowest }: Roles,
  { hasLists }: { readonly hasLists: boolean },
): GraphQLDirective {
  const list = { type: new GraphQLList(new GraphQLNonNull(role)) }
  const requires = isOrdered ? { type: role, default: { literal: { kind: Kind.ENUM, value: lowest } as const } } : list
  return new GraphQLDirective({
    name: 'auth',
    description: isOrdered ? (hasLists ? `${ordered} ${listed}` : ordered) : unordered,
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: hasLists ? { requires, roles: list } : { requires },
  })
}

/** Whether roles in order say it by a list: some role passes, and a higher one does not. */
export function needsList({ isOrdered, names }: Roles, admitted: readonly string[]): boolean {
  return isOrdered && admitted.length > 0 && admitted[0] !== names[names.length - admitted.length]
}

/** The arguments of `@auth` on a field that these roles may ask; none where any user may. */
export function authArguments(
  roles: Roles,
  admitted: readonly string[],
): { readonly requires?: string | readonly string[]; readonly roles?: readonly string[] } {
  const { isOrdered, names, lowest, highest } = roles
  if (!isOrdered) return admitted.length === names.length ? {} : { requires: admitted }
  if (needsList(roles, admitted)) return { roles: admitted }
  const least = admitted[0] ?? highest
  return least === lowest ? {} : { requires: least }
}
