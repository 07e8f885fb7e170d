/** Stored values of earlier declarations, as functions of a declaration see them. */

/**
 * A stored row as `backfill` sees it: values by field name, also of fields that are no longer
 * declared; money in minor units.
 */
// biome-ignore lint/suspicious/noExplicitAny: the fields of an earlier declaration have types that nobody knows any more.
export type StoredRow = Readonly<Record<string, any>>

/** The former words of a choice, with their successors: `{ BACK: 'RETURNED' }`. */
export type EarlierChoices<V extends string = string> = Readonly<Record<string, V>>
