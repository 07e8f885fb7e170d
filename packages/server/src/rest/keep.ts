/** Answers to GET that may be kept: under which key, what of them, and how a kept one answers a request. */
import type { HttpRequest, HttpResponse } from '../http/exchange.ts'
import { bytesOf, type KeptAnswer, type Recorder } from '../kept/kept-answers.ts'
import { personOf, sightOf } from '../kept/sight.ts'
import { metaOf, type Result } from '../perform/result.ts'
import type { Admission } from '../policy/policy.ts'
import { isCacheable, isKnown, mayRelate } from './represent-result.ts'
import type { Route } from './route.ts'

/** The key of an answer; undefined where none is kept. Records that show others, or stand below others, are keyed by the person. */
export function keyOf(
  { target, steps, method }: Route,
  request: HttpRequest,
  admission: Admission,
): string | undefined {
  const { resource, operation } = target
  if (method !== 'GET' || (operation !== 'get' && operation !== 'list')) return undefined
  const isAlone = resource.virtualNames.length === 0 && steps.length === 0 && !mayRelate(request.query)
  const sight = isAlone ? sightOf(admission) : personOf(admission.principal)
  return `${sight} ${request.path}?${request.query}`
}

/** The end of a page with its total, where the body ends so. */
function endingOf(result: Result, text: string, bytes: number): KeptAnswer['ending'] {
  if (result.kind !== 'list' || result.page.kind !== 'page') return undefined
  const { page } = result
  const print = (total: number) => `"meta":${JSON.stringify(metaOf({ ...page, total }))}}`
  const end = print(page.total)
  return text.endsWith(end) ? { at: bytes - Buffer.byteLength(end), print } : undefined
}

/** The pieces as they come; the whole goes to `whole` when it was not too long. */
async function* collect(pieces: AsyncIterable<string>, lengthMax: number, whole: (text: string) => void) {
  let text: string | undefined = ''
  for await (const piece of pieces) {
    if (text !== undefined) text = text.length + piece.length > lengthMax ? undefined : text + piece
    yield piece
  }
  if (text !== undefined) whole(text)
}

/** A streamed answer is kept when it has been sent, if it is no longer than this many characters. */
const streamedMax = 65_536

/** Keeps what can be kept, and returns the response to send. */
export function keep(recorder: Recorder, result: Result, response: HttpResponse): HttpResponse {
  const { status, body, headers } = response
  if (status !== 200 || body === null || Buffer.isBuffer(body)) return response
  const kept = { ...headers } as Record<string, string>
  const keepText = (text: string) => {
    const bytes = bytesOf(text)
    const ending = endingOf(result, text, bytes.length)
    recorder.keep({ headers: kept, body: bytes, ...(ending && { ending }) })
  }
  if (typeof body !== 'string') return { ...response, body: collect(body, streamedMax, keepText) }
  keepText(body)
  return response
}

/** A kept answer as the response to this request. */
export function answerKept({ target }: Route, request: HttpRequest, { headers, body }: KeptAnswer): HttpResponse {
  const { etag } = headers
  if (etag !== undefined && isCacheable(target.resource, request) && isKnown(request, etag))
    return { status: 304, headers: { etag }, body: null }
  return { status: 200, headers: { ...headers }, body }
}
