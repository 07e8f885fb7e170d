/** The values in conditions of `where` that are known only when a request comes. */

/** A value of the caller. */
export type CallerValue<N extends string = string> = { readonly source: 'caller'; readonly name: N }
/** Another field of the same record. */
export type FieldValue<N extends string = string> = { readonly source: 'field'; readonly name: N }
/** A field of the record as it was before the write. */
export type PreviousValue<N extends string = string> = { readonly source: 'previous'; readonly name: N }
export type NowValue = { readonly source: 'now' }

export type RuleValue = CallerValue | FieldValue | PreviousValue | NowValue

const sources: readonly unknown[] = ['caller', 'field', 'previous', 'now']

export function isRuleValue(value: unknown): value is RuleValue {
  return typeof value === 'object' && value !== null && sources.includes((value as { source?: unknown }).source)
}

/** It stands before the name of a claim: `claims.org`. */
export const claimPrefix = 'claims.'

/**
 * A value of the caller. `caller('id')` is the id, `caller('teamId')` a field of the own user
 * record, and `caller('claims.org')` a claim of the token of a trusted issuer. A caller who lacks
 * it satisfies no condition on it. The log-in exists only where its address is
 * proven.
 */
export function caller<const N extends string>(name: N): CallerValue<N> {
  return { source: 'caller', name }
}

/** Another field of the same record: `where({ endsAt: { gt: field('startsAt') } })`. */
export function field<const N extends string>(name: N): FieldValue<N> {
  return { source: 'field', name }
}

/**
 * A field of the record before the write: `after: where({ price: { lte: previous('price') } })`.
 * Only the `after` of an update or replace has it.
 */
export function previous<const N extends string>(name: N): PreviousValue<N> {
  return { source: 'previous', name }
}

/**
 * The time of the request, in whole seconds: `where({ endsAt: { lt: now() } })`. A date is compared
 * with its day in UTC.
 */
export function now(): NowValue {
  return { source: 'now' }
}

/** In a document: `the caller's teamId`. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(', ')
  if (!isRuleValue(value)) return String(value)
  switch (value.source) {
    case 'caller':
      return `the caller's ${value.name}`
    case 'field':
      return `\`${value.name}\``
    case 'previous':
      return `the previous \`${value.name}\``
    case 'now':
      return 'now'
  }
}
