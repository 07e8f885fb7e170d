/** The entries of GraphQL of a declaration. The name of an operation stands for one. */
import type { Scalar } from '../condition.ts'
import { countKind, flag, type Members, objectOf, oneOf, scalarKind, tableOf, textKind } from '../members.ts'
import { type Rule, ruleKind } from '../rule.ts'

const returned = ['self', 'list', 'success'] as const

/**
 * `O`: operations of the resource; `W`: values that its records are found by; `L`: roles that its
 * rule names.
 */
export type GraphqlField<O extends string = string, W = Readonly<Record<string, Scalar>>, L extends string = string> = {
  /** The operation of the resource that it does, by the name that it has under `access`. */
  readonly operation: O
  /** Replaces the operation's own rule. */
  readonly access?: Rule<string, string, L>
  /** Only records with these values. */
  readonly where?: W
  /**
   * `page` and `limit` are the only arguments. A page has this many records, by default and at
   * most.
   */
  readonly limit?: number
  /**
   * `self`: the record of the current user. `list`: records without page information. `success`:
   * true.
   */
  readonly returns?: (typeof returned)[number]
  /**
   * A mutation whose record is never null. When it fails, the whole response is null, including the
   * results of earlier mutations, which stay stored; later ones do not run. Without `nonNull`, a
   * failed mutation is null and the others keep their results.
   */
  readonly nonNull?: boolean
}
export type GraphqlDeclaration<
  O extends string = string,
  W = Readonly<Record<string, Scalar>>,
  L extends string = string,
> = {
  /** Name of a field that reads → its operation, or what it is in full. */
  readonly query?: Readonly<Record<string, O | GraphqlField<O, W, L>>>
  /** Name of a field that writes → its operation, or what it is in full. */
  readonly mutation?: Readonly<Record<string, O | GraphqlField<O, W, L>>>
}

const graphqlMembers = {
  operation: textKind,
  access: ruleKind,
  where: tableOf(scalarKind),
  limit: countKind,
  returns: oneOf(returned),
  nonNull: flag,
} satisfies Members<GraphqlField>
const graphqlObject = objectOf(graphqlMembers, { needed: ['operation'] })
const graphqlEntries = tableOf((value, path, report) => {
  if (typeof value !== 'string') graphqlObject(value, path, report)
})
const entriesMembers = { query: graphqlEntries, mutation: graphqlEntries } satisfies Members<GraphqlDeclaration>
export const graphqlKind = objectOf(entriesMembers)

/** The entries in their long form. */
export function graphqlFields(
  fields: Readonly<Record<string, string | GraphqlField>> = {},
): Record<string, GraphqlField> {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([name, f]) => [name, typeof f === 'string' ? { operation: f } : f]))
}
