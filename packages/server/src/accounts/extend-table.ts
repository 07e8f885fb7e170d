/**
 * The changes of an application to a table that the engine declares: fields that it adds, rules in
 * place of the engine's, another name or path. The columns of the engine stay as they are.
 */
import { accessKind, type ChangeRule } from '../resource/change-rule.ts'
import type { Declared, GraphqlDeclaration } from '../resource/define.ts'
import type { Fields } from '../resource/fields/field.ts'
import { fieldKind } from '../resource/fields/field-kind.ts'
import { type ListDeclaration, listKind } from '../resource/list-declaration.ts'
import {
  checkMembers,
  earlierNamesKind,
  isTable,
  type Kind,
  kindOf,
  type Members,
  type Mistake,
  tableOf,
  word,
} from '../resource/members.ts'
import type { EngineOperation } from '../resource/operation-kind.ts'
import type { FieldName, ListedName, MoveName, TextName } from '../resource/record-of.ts'
import type { Rule } from '../resource/rule.ts'

/** `F`: the fields of the table, with those that are added; `A`: its actions; `L`: the roles. */
export type Extension<F extends Fields = Fields, A extends string = string, L extends string = string> = {
  /** Its name in place of the engine's, where the application calls something else so. */
  readonly name?: string
  /** As of any resource: it names the table. */
  readonly plural?: string
  /** Documents say by this what the records are. */
  readonly description?: string
  /** The name, or the names, that it had: its records stay. */
  readonly was?: string | readonly string[]
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
    readonly [O in EngineOperation | MoveName<F> | A]?:
      | false
      | Rule<FieldName<F>, string, L>
      | ChangeRule<FieldName<F>, string, L>
  }
  /** Entries of GraphQL besides those that come by themselves. */
  readonly graphql?: GraphqlDeclaration<EngineOperation | MoveName<F> | A>
}

/** An extension, or whether the table is there at all. */
export type Wanted = boolean | Extension

/** The fields that an extension adds. */
export type AddedBy<X> = X extends { readonly fields: infer F extends Fields } ? F : Record<never, never>
export type NameBy<X, N extends string> = X extends { readonly name: infer M extends string } ? M : N

/** A table of the engine as an extension makes it. */
export type Extended<D extends Declared, X> =
  D extends Declared<infer F, infer N> ? Declared<F & AddedBy<X>, NameBy<X, N>, never, never> : never

/** Members that there are not. */
type No<X, K> = { readonly [N in Exclude<keyof X, K>]: never }
type AccessOf<X> = X extends { readonly access: infer R } ? R : Record<never, never>

/**
 * An extension whose words the compiler knows: `D` is the engine's table, `M` what else may be said
 * of it.
 */
export type Exact<
  X,
  D extends Declared,
  A extends string,
  L extends string,
  M = Record<never, never>,
> = X extends object
  ? Extension<D['fields'] & AddedBy<X>, A, L> &
      M &
      No<X, keyof Extension | keyof M> & {
        readonly access?: No<AccessOf<X>, EngineOperation | MoveName<D['fields'] & AddedBy<X>> | A>
      }
  : X

const rule: Kind = (value, path, report) => {
  // The path begins with the table's own name, and the rule is about what follows.
  if (value !== false) accessKind(value, path.replace(/^\w+\./, ''), (mistake) => report({ ...mistake, path }))
}

export const extensionMembers = {
  name: word,
  plural: word,
  description: word,
  was: earlierNamesKind,
  path: word,
  fields: tableOf(fieldKind),
  list: listKind,
  access: tableOf(rule),
  graphql: kindOf('an object', isTable),
} satisfies Members<Extension>

/** Whether a table is there, or what is changed of it. */
export function wantedKind(members: Readonly<Record<string, Kind>> = extensionMembers): Kind {
  return (value, path, report) => {
    if (typeof value !== 'boolean') checkMembers(value, members, { path, report })
  }
}

/**
 * The mistakes that the form of an extension does not tell: its fields are none of the engine's.
 */
export function* extensionMistakes(own: Declared, extension: Wanted | undefined, path: string): Generator<Mistake> {
  for (const name of Object.keys((typeof extension === 'object' && extension.fields) || {}))
    if (Object.hasOwn(own.fields, name))
      yield { path: `${path}.fields`, problem: `"${name}" is a field of the engine's own`, isFormRight: true }
}

/** The table with what an application changes of it. */
export function extended(own: Declared, extension: Wanted | undefined): Declared {
  if (typeof extension !== 'object') return own
  const { fields = {}, access = {}, name = own.name, plural, description, was, path, list, graphql } = extension
  const rules = Object.entries({ ...own.access, ...access }).filter(([, one]) => one !== false)
  const hasRule = ([operation]: readonly [string, unknown]) => rules.some(([name]) => name === operation)
  const changed = Object.entries({ plural, description, was, path, list, graphql }).filter(
    ([, one]) => one !== undefined,
  )
  return {
    ...own,
    ...Object.fromEntries(changed),
    name,
    fields: { ...fields, ...own.fields },
    access: Object.fromEntries(rules) as Declared['access'],
    ...(own.actions && { actions: Object.fromEntries(Object.entries(own.actions).filter(hasRule)) }),
  }
}
