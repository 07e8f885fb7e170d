/**
 * The transitions of a state field: those that callers make, and the expiry that the server makes.
 */
import type { ServiceSettings } from '../rule.ts'

export type Transition = {
  /** One sentence for the documents. */
  readonly description?: string
  /**
   * The states that it begins in. From any other it is 409, which lists the allowed transitions.
   */
  readonly from: readonly string[]
  /** The state that it leads to. */
  readonly to: string
  /** A timestamp field that takes the time of the transition. */
  readonly stamp?: string
  /**
   * A record that is already in the target state stays as it is, and the transition answers with
   * it.
   */
  readonly repeatable?: boolean
}

/** Name → the transition, and the field whose state it changes. */
export type Transitions = Readonly<Record<string, { readonly field: string; readonly transition: Transition }>>

type FieldsWithTransitions = Readonly<
  Record<string, { readonly transitions?: Readonly<Record<string, Transition>> | undefined }>
>

/** The transitions of all fields. */
export function transitionsOf(fields: FieldsWithTransitions): Transitions {
  const transitions: Record<string, { field: string; transition: Transition }> = {}
  for (const [field, { transitions: own }] of Object.entries(fields)) {
    for (const [name, transition] of Object.entries(own ?? {})) transitions[name] = { field, transition }
  }
  return transitions
}

/** A transition that a record takes by itself when it has waited too long. */
export type Expiry = {
  /** The transition, with the work of the action of its name. */
  readonly transition: string
  /** The states in which a record waits. */
  readonly from: readonly string[]
  /** The timestamp field from which the time counts. */
  readonly since: string
  /** How many seconds it waits; undefined for ever. It is asked at start. */
  readonly after: (settings: ServiceSettings) => number | undefined
}
