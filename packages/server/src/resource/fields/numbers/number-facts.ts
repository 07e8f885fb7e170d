/** The facts of field types whose values are numbers. */

/** A whole number, or where `isBetween`, a number between it and the next one. */
export type WholeBound = { readonly whole: bigint; readonly isBetween: boolean }

/** How whole numbers are added. */
export type Sums = {
  /** The average of so many values → the stored value that it is shown as. */
  average(sum: bigint, values: number): number | bigint
  /** The GraphQL scalar of sums and averages. */
  readonly scalar: 'Float' | 'Money' | 'BigInt' | 'Decimal'
  /** A sum is a bigint, exact at any size. */
  readonly isLong?: true
  /** The greatest sum that JSON has exactly; none where it has every sum. */
  readonly sumMax?: bigint
}
