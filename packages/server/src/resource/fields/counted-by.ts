/** The source of a counted field, as its declaration says it. */

/** `relation`: the records that refer to this one. */
export type CountedBy = {
  readonly kind: 'count' | 'sum' | 'latest'
  readonly relation: string
  /** The field of those records; absent where the records themselves are counted. */
  readonly field?: string
  /** Only the records that satisfy these conditions, as in the rule `where`. */
  readonly where?: Readonly<Record<string, unknown>>
}

/** The options of a field whose value changes step by step. */
export type SteppedValue = {
  /** An update may add to its stored number. */
  readonly increment?: boolean
  /** The engine keeps its value by the records that refer to this one. */
  readonly counted?: CountedBy
}
