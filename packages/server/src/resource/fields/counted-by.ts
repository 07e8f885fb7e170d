/** The sources of counted and computed fields, as declarations say them. */

/** `relation`: the records that refer to this one. */
export type CountedBy = {
  readonly kind: 'count' | 'sum' | 'latest'
  readonly relation: string
  /** The field of those records; absent where the records themselves are counted. */
  readonly field?: string
  /** Only the records that satisfy these conditions, as in the rule `where`. */
  readonly where?: Readonly<Record<string, unknown>>
}

/**
 * `compute` makes the value from the record. `meaning`: a hash of it, so that another function
 * computes the stored values again.
 */
export type ComputedBy = { readonly compute: (record: object) => unknown; readonly meaning: string }

/** The options of a field whose value the engine keeps, or changes step by step. */
export type SteppedValue = {
  /** An update may add to its stored number. */
  readonly increment?: boolean
  /** The engine keeps its value by the records that refer to this one. */
  readonly counted?: CountedBy
  /** The engine computes its value from the others of the record. */
  readonly computed?: ComputedBy
}
