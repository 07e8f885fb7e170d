/** The kinds of fields without a column, and the input of those that are computed. */

import type { Follows } from './following/follows.ts'

/**
 * Values that are not stored but made when a record is read. `X`: the further arguments of a
 * computation; `J`: its result.
 */
export type VirtualOf<X, J> =
  | { readonly kind: 'embedded'; readonly resource: string; readonly by: string; readonly max: number }
  | { readonly kind: 'lookup'; readonly via: string; readonly field: string }
  | {
      readonly kind: 'derived'
      readonly compute: (record: DerivedInput, context: X) => J
      /** Whether it asks for `now`. */
      readonly clock: boolean
      /** The stored field in whose order it is. */
      readonly follows?: Follows | undefined
    }
  /** Whether the record is the session of the request. */
  | { readonly kind: 'current-session' }
  /** Links to records of the resource, in a table of their own. Bodies change them. */
  | { readonly kind: 'links'; readonly resource: string; readonly ordered: boolean }

/**
 * The input of a derived field: the record's own values, with money in minor units and embedded
 * records as lists.
 */
// biome-ignore lint/suspicious/noExplicitAny: a derivation reads fields of several types, and the declaration names them.
export type DerivedInput = Readonly<Record<string, any>>
