/**
 * Deprecations: the date, the date of removal, and the replacement. The headers of RFC 9745 and RFC
 * 8594 carry the two dates.
 */
import { kindOf, type Members, objectOf, textKind } from '../members.ts'

export type Deprecation = {
  /** The day from which it should not be used any more, such as `2026-01-01`, in UTC. */
  readonly since: string
  /** The day from which it may be gone. */
  readonly sunset?: string
  /** Where people read about it. */
  readonly link?: string
  /** The replacement: another resource, operation or field, by its name. */
  readonly use?: string
}

function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value)
}

const day = kindOf('a day such as 2026-01-01', isDay)
const address = kindOf('an address such as https://example.com/changes', (value) => {
  const isAddress = typeof value === 'string' && /^https?:\/\/[^\s<>"]+$/.test(value)
  return isAddress && URL.canParse(value)
})

const members = { since: day, sunset: day, link: address, use: textKind } satisfies Members<Deprecation>

export const deprecationKind = objectOf(members, { needed: ['since'] })

/** `Deprecated since 2026-01-01, gone from 2027-01-01; use name.`: a sentence for documents. */
export function deprecationReason({ since, sunset, use }: Deprecation): string {
  return `Deprecated since ${since}${sunset ? `, gone from ${sunset}` : ''}${use ? `; use ${use}` : ''}.`
}

type Deprecating = {
  readonly deprecated?: Deprecation | undefined
  readonly deprecatedOperations?: Readonly<Record<string, Deprecation | undefined>> | undefined
}

/** That of the operation, or else that of its resource. */
export function deprecationOf(resource: Deprecating, operation: string): Deprecation | undefined {
  const own = resource.deprecatedOperations ?? {}
  return (Object.hasOwn(own, operation) ? own[operation] : undefined) ?? resource.deprecated
}
