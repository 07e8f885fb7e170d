/** What every answer tells a browser not to do with it. */

/** Adds them to the headers of an answer; what a page for people says itself stands. */
export function addGuardHeaders(headers: Record<string, string | string[] | number>): void {
  // One by one: by computed names it takes twice as long, on every answer.
  headers['x-content-type-options'] ??= 'nosniff'
  headers['referrer-policy'] ??= 'no-referrer'
  // Whatever a browser is made to take for a document loads nothing, and no page can frame it.
  headers['content-security-policy'] ??= "default-src 'none'; frame-ancestors 'none'"
  // No other site's page may embed it (Fetch, section 3.7). Requests by CORS are not held by this: their own headers decide.
  headers['cross-origin-resource-policy'] ??= 'same-origin'
}

/** Only over TLS, where alone a browser heeds it (RFC 6797, section 7.2). One year, for this host and not for its subdomains. */
export const strictTransport = 'max-age=31536000'
