/** What every answer tells a browser not to do with it. A page for people says its own, which stands instead. `answer.ts` names each. */

export const guardHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  /** Whatever a browser is made to take for a document loads nothing, and no page can frame it. */
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  /** No other site's page may embed it (Fetch, section 3.7). Requests by CORS are not held by this: their own headers decide. */
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Only over TLS, where alone a browser heeds it (RFC 6797, section 7.2). One year, for this host and not for its subdomains. */
export const strictTransport = 'max-age=31536000'
