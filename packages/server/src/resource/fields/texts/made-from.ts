/** How a value is made from another field of a new record. `F`: the field that it is made for. */

export type MadeFrom<F> = {
  /** The name of the other field. */
  field(field: F): string
  /** Empty where the text has nothing that a value can be made of. */
  make(text: string, field: F): string
  /** The same where that is taken, with a number from 2. */
  numbered(value: string, count: number, field: F): string
}
