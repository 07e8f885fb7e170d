/** The moves of a state: those that callers make, and the one that a record makes by itself. */
import type { ServiceSettings } from '../rule.ts'

export type Transition = {
  /** One sentence for the documents. */
  readonly description?: string
  /**
   * The states that it begins in. In any other it is 409, which lists the moves that are allowed.
   */
  readonly from: readonly string[]
  /** The state that it leads to. */
  readonly to: string
  /** A timestamp field that takes the time of the move. */
  readonly stamp?: string
  /** A record that is already in the target state stays as it is, and the move answers with it. */
  readonly repeatable?: boolean
}

/** Name → the move, and the field whose state it changes. */
export type Transitions = Readonly<Record<string, { readonly field: string; readonly move: Transition }>>

type FieldsWithTransitions = Readonly<
  Record<string, { readonly moves?: Readonly<Record<string, Transition>> | undefined }>
>

/** The moves of all fields. */
export function transitionsOf(fields: FieldsWithTransitions): Transitions {
  const moves: Record<string, { field: string; move: Transition }> = {}
  for (const [field, { moves: own }] of Object.entries(fields)) {
    for (const [name, move] of Object.entries(own ?? {})) moves[name] = { field, move }
  }
  return moves
}

/** A move that a record takes by itself when it has waited too long. */
export type Expiry = {
  /** The move, with the work of the action of its name. */
  readonly move: string
  /** The states in which a record waits. */
  readonly from: readonly string[]
  /** The timestamp field from which the time counts. */
  readonly since: string
  /** How many seconds it waits; undefined for ever. It is asked at start. */
  readonly after: (settings: ServiceSettings) => number | undefined
}
