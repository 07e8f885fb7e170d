/** Answers to GET that may be kept: under which key, what of them, and how a kept one answers a request. */
import { unlessKnown } from '../http/conditional.ts'
import type { HttpRequest, HttpResponse } from '../http/exchange.ts'
import { printLines } from '../http/head.ts'
import { parsePrefer } from '../http/preferences.ts'
import type { FoundAnswer, KeptAnswer } from '../kept/entry.ts'
import type { Recorder } from '../kept/kept-answers.ts'
import type { Sights } from '../kept/sight.ts'
import type { Admission } from '../policy/policy.ts'
import { endOf, etagOfPage, type PageEnd } from './page-end.ts'
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

/** What nothing looks at any more is printed for all who get the answer. */
const printedNames: ReadonlySet<string> = new Set(['x-total-count', 'link'])

function split(headers: Readonly<Record<string, string>>) {
  const others: Record<string, string> = {}
  const printable: Record<string, string> = {}
  for (const name in headers) {
    const group = printedNames.has(name) ? printable : others
    group[name] = headers[name] as string
  }
  return { others, printed: printLines(printable) }
}

function headed(headers: KeptAnswer['headers']): Pick<KeptAnswer, 'headers' | 'printed'> {
  const { others, printed } = split(headers)
  return printed ? { headers: others, printed } : { headers, printed: undefined }
}

type Asked = Pick<HttpRequest, 'path' | 'query'>

/** Made out here, so that a kept answer holds this and not what it was made with. */
const endingOf = ({ path, query }: Asked, { at, digest, page }: PageEnd): KeptAnswer['ending'] => ({
  at,
  of(total) {
    const now = { ...page, total }
    const end = endOf(now)
    return { end, etag: etagOfPage(digest, end), printed: split(pageHeaders({ path, query }, now)).printed }
  },
})

/** `end`: of a page whose total may change alone. */
export type Made = { readonly request: HttpRequest; readonly response: HttpResponse; readonly end: PageEnd | undefined }

/** Keeps what can be kept, which a long stream cannot, and returns the response to send. */
export function keep(recorder: Recorder, { request, response, end }: Made): HttpResponse {
  const { status, body, headers } = response
  if (status !== 200 || !(typeof body === 'string' || Buffer.isBuffer(body))) return response
  const head = headed({ ...headers } as Record<string, string>)
  const ending = end && head.printed !== undefined ? endingOf(request, end) : undefined
  recorder.keep({ ...head, body, ...(ending && { ending }) })
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
