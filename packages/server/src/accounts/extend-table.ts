/**
 * Changes that an application makes to a table of the engine: fields that it adds, rules in place
 * of the engine's, another name or path. The engine's columns stay as they are.
 */
import { accessKind, type ChangeRule } from '../resource/access/change-rule.ts'
import type { GraphqlDeclaration } from '../resource/access/graphql-fields.ts'
import type { DeclaredResource } from '../resource/define.ts'
import type { Fields } from '../resource/fields/field.ts'
import { fieldKind } from '../resource/fields/field-kind.ts'
import { type ListDeclaration, listKind } from '../resource/list-declaration.ts'
import {
  checkMembers,
  earlierNamesKind,
  isTable,
  kindOf,
  type MemberKind,
  type MemberProblem,
  type Members,
  tableOf,
  textKind,
} from '../resource/members.ts'
import type { EngineOperation } from '../resource/operation-kind.ts'
import type { FieldName, ListedName, TextName, TransitionName } from '../resource/record-of.ts'
import type { Rule } from '../resource/rule.ts'

/** `F`: the fields of the table, with those that are added; `A`: its actions; `L`: the roles. */
export type TableExtension<F extends Fields = Fields, A extends string = string, L extends string = string> = {
  /** Its name in place of the engine's, where the application calls something else so. */
  readonly name?: string
  /** As of any resource: it names the table. */
  readonly plural?: string
  /** The description of the records in the documents. */
  readonly description?: string
  /** The name, or the names, that it had: its records stay. */
  readonly renamedFrom?: string | readonly string[]
  /** Its path in place of the engine's. */
  readonly path?: string
  /**
   * Fields beside those of the engine. The engine gives them no values, so they have a default or
   * may be null.
   */
  readonly fields?: Fields
  /** How it is listed, in place of what the engine says. */
  readonly list?: ListDeclaration<ListedName<F>, TextName<F>>
  /** Rules in place of the engine's, operation by operation; `false` takes an operation away. */
  readonly access?: {
    readonly [O in EngineOperation | TransitionName<F> | A]?:
      | false
      | Rule<FieldName<F>, string, L>
      | ChangeRule<FieldName<F>, string, L>
  }
  /** Entries of GraphQL besides those that come by themselves. */
  readonly graphql?: GraphqlDeclaration<EngineOperation | TransitionName<F> | A>
}

/** An extension, or whether the table is there at all. */
export type TableOption = boolean | TableExtension

/** The fields that an extension adds. */
export type AddedFields<X> = X extends { readonly fields: infer F extends Fields } ? F : Record<never, never>
export type ExtendedName<X, N extends string> = X extends { readonly name: infer M extends string } ? M : N

/** A table of the engine as an extension makes it. */
export type ExtendedTable<D extends DeclaredResource, X> =
  D extends DeclaredResource<infer F, infer N>
    ? DeclaredResource<F & AddedFields<X>, ExtendedName<X, N>, never, never>
    : never

/** Unknown members, which must be absent. */
type UnknownMembers<X, K> = { readonly [N in Exclude<keyof X, K>]: never }
type ExtensionAccess<X> = X extends { readonly access: infer R } ? R : Record<never, never>

/**
 * An extension whose words the compiler knows: `D` is the engine's table, `M` what else may be said
 * of it.
 */
export type ExactExtension<
  X,
  D extends DeclaredResource,
  A extends string,
  L extends string,
  M = Record<never, never>,
> = X extends object
  ? TableExtension<D['fields'] & AddedFields<X>, A, L> &
      M &
      UnknownMembers<X, keyof TableExtension | keyof M> & {
        readonly access?: UnknownMembers<
          ExtensionAccess<X>,
          EngineOperation | TransitionName<D['fields'] & AddedFields<X>> | A
        >
      }
  : X

const rule: MemberKind = (value, path, report) => {
  // The path begins with the table's own name, and the rule is about what follows.
  if (value !== false) accessKind(value, path.replace(/^\w+\./, ''), (mistake) => report({ ...mistake, path }))
}

export const extensionMembers = {
  name: textKind,
  plural: textKind,
  description: textKind,
  renamedFrom: earlierNamesKind,
  path: textKind,
  fields: tableOf(fieldKind),
  list: listKind,
  access: tableOf(rule),
  graphql: kindOf('an object', isTable),
} satisfies Members<TableExtension>

/** An option for a table: whether it exists, or the changes to it. */
export function tableOptionKind(members: Readonly<Record<string, MemberKind>> = extensionMembers): MemberKind {
  return (value, path, report) => {
    if (typeof value !== 'boolean') checkMembers(value, members, { path, report })
  }
}

/** The mistakes that the form of an extension does not show: its fields may not be the engine's. */
export function* extensionMistakes(
  own: DeclaredResource,
  extension: TableOption | undefined,
  path: string,
): Generator<MemberProblem> {
  for (const name of Object.keys((typeof extension === 'object' && extension.fields) || {}))
    if (Object.hasOwn(own.fields, name))
      yield { path: `${path}.fields`, problem: `"${name}" is a field of the engine's own`, isFormRight: true }
}

/** The table with what an application changes of it. */
export function extendTable(own: DeclaredResource, extension: TableOption | undefined): DeclaredResource {
  if (typeof extension !== 'object') return own
  const { fields = {}, access = {}, name = own.name, plural, description, renamedFrom, path, list, graphql } = extension
  const rules = Object.entries({ ...own.access, ...access }).filter(([, one]) => one !== false)
  const hasRule = ([operation]: readonly [string, unknown]) => rules.some(([name]) => name === operation)
  const changed = Object.entries({ plural, description, renamedFrom, path, list, graphql }).filter(
    ([, one]) => one !== undefined,
  )
  return {
    ...own,
    ...Object.fromEntries(changed),
    name,
    fields: { ...fields, ...own.fields },
    access: Object.fromEntries(rules) as DeclaredResource['access'],
    ...(own.actions && { actions: Object.fromEntries(Object.entries(own.actions).filter(hasRule)) }),
  }
}
