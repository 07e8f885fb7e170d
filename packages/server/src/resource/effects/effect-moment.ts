/**
 * The moment of an effect that follows a field: so long before or after the time that the field
 * has. A date begins at midnight of its zone.
 */
import { offsetReader } from '../../base/zone-offsets.ts'
import { type Members, objectOf, oneOf, textKind } from '../members.ts'

/** `24h`; seconds, minutes, hours or days of 24 hours. */
export type TimeSpan = `${number}${'s' | 'm' | 'h' | 'd'}`

/** Made by `before` and `after`. */
export type EffectMoment<K extends string = string> = {
  readonly side: 'before' | 'after'
  readonly field: K
  readonly span: TimeSpan
  readonly zone?: string | undefined
}
type MomentOptions = {
  /** Where a `date` begins, such as `Europe/Berlin`; UTC by default. */
  readonly zone?: string
}

/**
 * `before('startsAt', '24h')`: 24 hours before the time that the record has in this field. It moves
 * when the field changes.
 */
export function before<const K extends string>(field: K, span: TimeSpan, { zone }: MomentOptions = {}) {
  return { side: 'before', field, span, zone } satisfies EffectMoment<K>
}

/** `after('endedAt', '30m')`: half an hour after the time that the record has in this field. */
export function after<const K extends string>(field: K, span: TimeSpan, { zone }: MomentOptions = {}) {
  return { side: 'after', field, span, zone } satisfies EffectMoment<K>
}

const members = {
  side: oneOf(['before', 'after']),
  field: textKind,
  span: textKind,
  zone: textKind,
} satisfies Members<EffectMoment>
export const momentKind = objectOf(members, { needed: ['side', 'field', 'span'] })

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `'24h'` → 86,400,000; undefined for another text. */
export function spanMs(span: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(span) ?? []
  return count === undefined ? undefined : Number(count) * (unitMs[unit] as number)
}

/** A stored time, or the begin of a stored date in the zone, in milliseconds. */
function startOf(value: string, zone = 'UTC'): number {
  if (value.length > 10) return Date.parse(value)
  const utcMs = Date.parse(`${value}T00:00:00Z`)
  const offsetAt = offsetReader(zone)
  const nearMs = utcMs - offsetAt(utcMs) * 1000
  return utcMs - offsetAt(nearMs) * 1000
}

/** The declared moment, whether or not it has passed. */
export function momentMs({ side, span, zone }: EffectMoment, value: string): number {
  const bySpan = spanMs(span) ?? 0
  return startOf(value, zone) + (side === 'before' ? -bySpan : bySpan)
}

/**
 * When the effect of a record with this value is due. Undefined where there is none: without a
 * time, and where the moment has passed. One before a time that is still to come is due at once.
 */
export function dueAt(moment: EffectMoment, value: unknown, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const dueMs = momentMs(moment, value)
  if (dueMs >= nowMs) return dueMs
  return moment.side === 'before' && startOf(value, moment.zone) > nowMs ? nowMs : undefined
}
