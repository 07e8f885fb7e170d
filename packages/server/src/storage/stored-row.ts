/** A record as it is stored: values by field name, and the version of its latest write. */

/**
 * Stored values by field name: money in minor units, timestamps as RFC 3339 text, lists as arrays.
 */
export type Row = { readonly version: number; readonly [field: string]: unknown }
export type Values = Readonly<Record<string, unknown>>
