/**
 * `Prefer` (RFC 7240): what a client would like of an answer, and the header that says what it got.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

export type Preferences = {
  /** `return=minimal`: headers alone are enough. */
  readonly minimal: boolean
  /** `count=none`: nobody needs the total of the list. */
  readonly uncounted: boolean
  /** `dry-run`: what would happen, and nothing is stored. */
  readonly dryRun: boolean
}

const none: Preferences = { minimal: false, uncounted: false, dryRun: false }

/**
 * A preference with its parameters, and what of it stands before them. Within quotes commas and
 * semicolons are text (RFC 9110, section 5.6.4); a quote that nothing closes goes on to the end, so
 * that each character is looked at once.
 */
const preferencePattern = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g
const partPattern = /^(?:[^;"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/

/**
 * `return=minimal, dry-run` → both. Of a preference that comes twice the first counts; others are
 * ignored.
 */
export function parsePrefer(header: string | readonly string[] | undefined): Preferences {
  if (header === undefined) return none
  const asked = new Map<string, string>()
  for (const [preference] of String(header).matchAll(preferencePattern)) {
    const [part = ''] = partPattern.exec(preference) ?? []
    const [name = '', value = ''] = part.split('=').map((text) => text.trim().toLowerCase())
    if (name !== '' && !asked.has(name)) asked.set(name, value.replaceAll('"', ''))
  }
  return {
    minimal: asked.get('return') === 'minimal',
    uncounted: asked.get('count') === 'none',
    dryRun: asked.has('dry-run'),
  }
}

/**
 * For what has an effect and cannot be tried: to ignore the preference would do it. Throws
 * `bad-request`.
 */
export function refuseDryRun({ headers: { prefer } }: Pick<HttpRequest, 'headers'>): void {
  if (prefer !== undefined && parsePrefer(prefer).dryRun)
    throw new ApiError('bad-request', 'This takes no Prefer: dry-run; nothing was done')
}

/** Says in the response that a preference was followed. */
export function preferenceApplied(response: HttpResponse, preference: string): HttpResponse {
  const said = response.headers['preference-applied']
  response.headers['preference-applied'] = said === undefined ? preference : `${said}, ${preference}`
  return response
}
