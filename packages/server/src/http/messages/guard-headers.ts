/** What every answer tells a browser not to do with it. */

const guards: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Whatever a browser is made to take for a document loads nothing, and no page can frame it.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // No other site's page may embed it (Fetch, section 3.7). Requests by CORS are not held by this:
  // their own headers decide.
  'cross-origin-resource-policy': 'same-origin',
}

type Headers = Record<string, string | string[] | number>

/** Adds them to the headers of an answer; what a page for people says itself stands. */
export function addGuardHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(guards)) headers[name] ??= value
}

const linesOf = (headers: Headers) =>
  Object.entries(guards)
    .filter(([name]) => headers[name] === undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

const allLines = linesOf({})

/** The same as text, of those that the headers do not have themselves. */
export function guardLines(headers: Headers): string {
  // One by one: that takes 5 ns of every answer, a loop over the names 40.
  const hasOwn =
    headers['x-content-type-options'] !== undefined ||
    headers['referrer-policy'] !== undefined ||
    headers['content-security-policy'] !== undefined ||
    headers['cross-origin-resource-policy'] !== undefined
  return hasOwn ? linesOf(headers) : allLines
}

/**
 * Only over TLS, where alone a browser heeds it (RFC 6797, section 7.2). One year, for this host
 * and not for its subdomains.
 */
export const strictTransport = 'max-age=31536000'
