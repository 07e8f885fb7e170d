/** The reader for whom a value is printed in a text, such as a mail. */

export type LanguageReader = {
  readonly language: string
  /** The time zone of moments: `Europe/Berlin`. */
  readonly zone: string
  /** That of all amounts. */
  readonly currency: string
}
