/**
 * Builds HTML pages: their frame, and their headers, above all the content security policy. Pages
 * have no inline scripts, and none from another origin run.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { escapeHtml } from '../../base/escape-html.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../messages/exchange.ts'

export { escapeHtml }

const pageType = 'text/html; charset=utf-8'

export type HtmlPage = {
  readonly title: string
  /** Addresses of style sheets and scripts, in the order in which they are loaded. */
  readonly files: readonly string[]
  /** A style sheet within the page, if it has one. */
  readonly style?: string
  /** Further HTML in its head. */
  readonly head?: string
  /** HTML. */
  readonly body: string
  readonly policy: string
  /** The language of the text; English unless it says so. */
  readonly language?: string
}

/** Allows nothing but the named sources: `policyOf({ 'style-src': "'self'" })`. */
export function policyOf(sources: Readonly<Record<string, string>>): string {
  const own = {
    'default-src': "'none'",
    ...sources,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  }
  return Object.entries(own)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

/**
 * For editors that write inline styles and have fonts in their style sheets. Scripts come from this
 * server alone.
 */
export const editorPolicy = policyOf({
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
  'img-src': "'self' data:",
  'connect-src': "'self'",
})

function elementOf(address: string): string {
  return /\.css(\?|$)/.test(address)
    ? `<link rel="stylesheet" href="${address}">`
    : `<script src="${address}" defer></script>`
}

/** The page has no data of the caller, so caches may keep it and revalidate each use. */
export function answerPage({ title, files, style, head, body, policy, language = 'en' }: HtmlPage): HttpResponse {
  const text = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${[...(style ? [`<style>${style}</style>`] : []), ...files.map(elementOf), ...(head ? [head] : [])].join('\n')}
</head>
<body>
${body}
</body>
</html>
`
  const headers = {
    'content-type': pageType,
    'content-security-policy': policy,
    'cache-control': 'no-cache',
    vary: 'Accept',
  }
  return { status: 200, headers, body: text }
}

/** A text that a page loads. */
export function answerText(body: string, headers: HttpResponse['headers']): HttpResponse {
  return { status: 200, headers, body }
}

/** Whether a browser asks for a page: programs do not name HTML in `Accept`. */
export function wantsPage({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').toLowerCase().includes('text/html')
}

/**
 * Whether a person opens an address that also serves programs. The request does not name JSON, and
 * Fetch metadata does not say that a script made it.
 */
export function seeksPage(request: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  const { accept, 'sec-fetch-dest': destination = 'document' } = request.headers
  return wantsPage(request) && destination === 'document' && !/json/i.test(accept ?? '')
}

/** Throws `not-acceptable` for a request that accepts no HTML, where there is only a page. */
export function checkPageAccepted({ accept = '*/*' }: IncomingHttpHeaders): void {
  if (accept.trim() !== '' && !/text\/html|text\/\*|\*\/\*/i.test(accept))
    throw new ApiError('not-acceptable', 'The answer is text/html')
}
