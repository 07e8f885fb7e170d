/**
 * The headers of deprecated operations: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a `Link`
 * to their explanation.
 */
import type { Deprecation } from '../resource/words/deprecation.ts'

const timeOf = (day: string) => new Date(`${day}T00:00:00Z`)

/**
 * `[['Deprecation', '@1767225600'], ['Sunset', 'Fri, 01 Jan 2027 00:00:00 GMT'], ['Link', '<…>;
 * rel="deprecation"']]`
 */
export function deprecationHeaders({ since, sunset, link }: Deprecation): readonly (readonly [string, string])[] {
  return [
    ['Deprecation', `@${timeOf(since).getTime() / 1000}`],
    ...(sunset ? [['Sunset', timeOf(sunset).toUTCString()] as const] : []),
    ...(link ? [['Link', `<${link}>; rel="deprecation"; type="text/html"`] as const] : []),
  ]
}
