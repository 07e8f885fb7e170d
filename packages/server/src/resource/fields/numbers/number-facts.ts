/** The facts of field types whose values are numbers. */

/** A whole number, or where `isBetween`, a number between it and the next one. */
export type WholeBound = { readonly whole: bigint; readonly isBetween: boolean }

/** How whole numbers are added. `L`: the limits of the type. */
export type Sums<L = unknown> = {
  /** The average of so many values → the stored value that it is shown as. */
  average(sum: bigint, values: number): number | bigint
  /** The GraphQL scalar of sums and averages. */
  readonly scalar: 'Float' | 'Money' | 'BigInt' | 'Decimal'
  /** A sum is a bigint, exact at any size. */
  readonly isLong?: true
  /** The greatest sum that JSON has exactly; none where it has every sum. */
  readonly sumMax?: bigint
  /** The limits of a field with the stored sum of such values; none unless said. */
  limitsOfSum?(limits: L): L
}
