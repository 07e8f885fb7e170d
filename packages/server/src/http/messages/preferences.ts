/**
 * `Prefer` (RFC 7240): the client's wishes for a response, and `Preference-Applied`, which says
 * which were followed.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

export type Preferences = {
  /** `return=minimal`: headers alone are enough. */
  readonly minimal: boolean
  /** `count=none`: the client does not need the total of the list. */
  readonly uncounted: boolean
  /** `dry-run`: the server validates and answers, and stores nothing. */
  readonly dryRun: boolean
}

const none: Preferences = { minimal: false, uncounted: false, dryRun: false }

/**
 * One preference with its parameters, and the part of it before them. Within quotes commas and
 * semicolons are text (RFC 9110, section 5.6.4). A quote without an end runs to the end of the
 * header, so each character is read once.
 */
const preferencePattern = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g
const partPattern = /^(?:[^;"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/

/**
 * `return=minimal, dry-run` → both. Of a repeated preference the first counts; unknown ones are
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
 * For operations with an effect that has no dry run: ignoring the preference would perform it.
 * Throws `bad-request`.
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
