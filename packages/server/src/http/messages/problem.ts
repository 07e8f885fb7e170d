/**
 * Errors in the format of RFC 9457, for clients that send `Accept: application/problem+json`. Such
 * clients also accept JSON, the type of all other responses.
 */
import type { IncomingMessage } from 'node:http'
import { type ApiError, type FieldProblem, factsOfError } from '../../errors.ts'

export const problemType = 'application/problem+json'

/** The page that explains each code. The types of problems are its anchors. */
export const problemsPath = '/errors'

/** The parts of a request that decide the form of its error. */
export type ProblemRequest = Pick<IncomingMessage, 'method' | 'headers'>

/** `'text/html, application/problem+json;q=0.5'` → true */
export function wantsProblem(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes(problemType)) return false
  return accept.split(',').some((part) => {
    const [range, ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    return range === problemType && !parameters.some((one) => /^q\s*=\s*0(\.0*)?$/.test(one))
  })
}

/**
 * The place of a member in the body: a JSON pointer (RFC 6901) as a URI fragment, as in RFC 9457,
 * section 3. `a/b` → `#/a~1b`
 */
function pointerTo(path: readonly string[]): string {
  const steps = path.map((step) => step.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
  return `#/${steps.map(encodeURIComponent).join('/')}`
}

/** Reads have parameters alone; QUERY sends them in its body. */
const reading: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'QUERY'])

function placeOf(mistake: FieldProblem, method: string | undefined): { parameter: string } | { pointer: string } {
  const { field, path = [field], isParameter, within = [] } = mistake
  return isParameter || reading.has(method) ? { parameter: field } : { pointer: pointerTo([...within, ...path]) }
}

/**
 * The members of RFC 9457, section 3.1, and our own: the code, the request's id in the log, and the
 * details of the error.
 */
export function problemOf(error: ApiError, requestId: string, method: string | undefined): Record<string, unknown> {
  const { code, message, mistakes, requiredRoles, allow, more } = error
  const { status, title } = factsOfError(code)
  return {
    type: `${problemsPath}#${code}`,
    title,
    status,
    detail: message,
    code,
    requestId,
    ...more,
    ...(requiredRoles && { requiredRoles }),
    ...(allow && { allow }),
    ...(mistakes.length > 0 && {
      errors: mistakes.map((mistake) => ({ ...placeOf(mistake, method), detail: mistake.detail })),
    }),
  }
}
