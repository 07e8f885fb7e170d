/** Answers to GET that may be kept: under which key, what of them, and how a kept one answers a request. */
import { etagOfBytes, unlessKnown } from '../http/conditional.ts'
import type { HttpRequest, HttpResponse } from '../http/exchange.ts'
import { printLines } from '../http/head.ts'
import { parsePrefer } from '../http/preferences.ts'
import type { FoundAnswer, KeptAnswer } from '../kept/entry.ts'
import type { Recorder } from '../kept/kept-answers.ts'
import type { Sights } from '../kept/sight.ts'
import type { Given } from '../kept/stored-body.ts'
import { metaOf, type PageInfo, type Result } from '../perform/result.ts'
import type { Admission } from '../policy/policy.ts'
import { pageHeaders } from './page-headers.ts'
import { isCacheable, mayRelate } from './represent-result.ts'
import type { Route } from './route.ts'

/** The key of an answer; undefined where none is kept. Records that show others, or stand below others, are keyed by the person. */
export function keyOf(
  { target, steps, method }: Route,
  request: HttpRequest,
  { admission, sights }: { readonly admission: Admission; readonly sights: Sights },
): string | undefined {
  const { resource, operation } = target
  if (method !== 'GET' || (operation !== 'get' && operation !== 'list')) return undefined
  const isAlone = resource.virtualNames.length === 0 && steps.length === 0 && !mayRelate(request.query)
  const sight = isAlone ? sights.sightOf(admission) : sights.personOf(admission.principal)
  // Without its total a list is another answer.
  const { prefer } = request.headers
  const without = operation === 'list' && prefer !== undefined && parsePrefer(prefer).uncounted ? ' uncounted' : ''
  return `${sight} ${request.path}?${request.query}${without}`
}

type Made = { readonly request: HttpRequest; readonly result: Result; readonly response: HttpResponse }

type Numbered = PageInfo & { readonly kind: 'page' }

/** Made out here, so that a kept answer holds this and not what it was made with. */
const endingAt = (at: number, { path, query }: Pick<HttpRequest, 'path' | 'query'>, page: Numbered) => ({
  at,
  print: (total: number) => endOf({ ...page, total }),
  headers: (headers: KeptAnswer['headers'], { total, body }: { readonly total: number; readonly body: Given }) =>
    headed({ ...headers, ...pageHeaders({ path, query }, { ...page, total }), etag: etagOfBytes(body) }),
})

/** What nothing looks at any more is printed for all who get the answer. */
const printedNames: ReadonlySet<string> = new Set(['x-total-count', 'link'])

function headed(headers: KeptAnswer['headers']): Pick<KeptAnswer, 'headers' | 'printed'> {
  const others: Record<string, string> = {}
  const printable: Record<string, string> = {}
  for (const name in headers) {
    const group = printedNames.has(name) ? printable : others
    group[name] = headers[name] as string
  }
  const printed = printLines(printable)
  return printed ? { headers: others, printed } : { headers, printed: undefined }
}

const endOf = (page: Numbered) => `"meta":${JSON.stringify(metaOf(page))}}`

/** The end of a page with its total, where the body ends so. */
function endingOf({ request, result }: Made, body: Buffer): KeptAnswer['ending'] {
  if (result.kind !== 'list' || result.page.kind !== 'page' || result.page.total === null) return undefined
  const { page } = result
  const end = endOf(page) // which is ASCII
  const at = body.length - end.length
  return body.toString('latin1', at) === end ? endingAt(at, request, page) : undefined
}

/** Keeps what can be kept, which a long stream cannot, and returns the response to send. */
export function keep(recorder: Recorder, made: Made): HttpResponse {
  const { response } = made
  const { status, body, headers } = response
  if (status !== 200 || !(typeof body === 'string' || Buffer.isBuffer(body))) return response
  const ending = typeof body === 'string' ? undefined : endingOf(made, body)
  recorder.keep({ ...headed({ ...headers } as Record<string, string>), body, ...(ending && { ending }) })
  return response
}

/** A kept answer as the response to this request. */
export function answerKept(
  route: Route,
  request: HttpRequest,
  { headers, printed, body, source }: FoundAnswer,
): HttpResponse {
  const response = { status: 200, headers, printed, body, source }
  return isValidated(route, request) ? unlessKnown(request, response) : response
}

/** Whether the ETag of an answer says that its bytes are the same: that of a list does, and a version where nothing else is shown. */
export function isValidated({ target }: Route, request: HttpRequest): boolean {
  return target.operation === 'list' || isCacheable(target.resource, request)
}
