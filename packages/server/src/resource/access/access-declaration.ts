/** The type of `access`: which operations take a rule, and what their rules may mention. */

import type { Fields } from '../fields/field.ts'
import type { TrashOperation } from '../made/declared-trash.ts'
import type { EngineOperation } from '../operation-kind.ts'
import type { FieldName, TransitionName } from '../record-of.ts'
import type { Rule } from '../rule.ts'
import type { AccessWord, ChangeKindName, ChangeRule } from './change-rule.ts'

/** Its fields, and its children as `/name`. */
export type RuleMention<F, C> = FieldName<F> | `/${Extract<keyof C, string>}`

/**
 * `F`: the fields. `A`: the names of the actions. `P`, `L`: paths and roles that the rules name.
 * `O`: the operations that have a rule. `C`: the children.
 */
export type AccessDeclaration<
  F extends Fields,
  A extends string,
  P extends string,
  L extends string,
  O extends string,
  C,
> = Readonly<
  {
    [O in Exclude<EngineOperation, ChangeKindName> | TrashOperation | AccessWord | TransitionName<F> | A]?: Rule<
      RuleMention<F, C>,
      P,
      L
    >
  } & {
    [O in ChangeKindName]?: Rule<RuleMention<F, C>, P, L> | ChangeRule<RuleMention<F, C>, P, L>
  } & {
    forbid?: {
      readonly [O in EngineOperation | TrashOperation | AccessWord | TransitionName<F> | A]?: Rule<
        RuleMention<F, C>,
        P,
        L
      >
    }
  } & {
    // From this the compiler infers P and L: above it looks at the engine's operations alone.
    [K in O]?: K extends 'forbid'
      ? { readonly [X in EngineOperation | TrashOperation | AccessWord]?: Rule<string, P, L> }
      : Rule<string, P, L> | ChangeRule<string, P, L>
  }
>
