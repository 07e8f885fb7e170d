/**
 * The cache of GET responses: the key of a request, the part of a response to cache, and the
 * response from a cached one.
 */
import { prefersToJson } from '../../http/accept-header.ts'
import { unlessKnown } from '../../http/messages/conditional.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { parsePrefer } from '../../http/messages/preferences.ts'
import type { Admission } from '../../policy/policy.ts'
import type { CachedResponse, CacheHit } from '../../response-cache/cache-entry.ts'
import type { CacheScopes } from '../../response-cache/cache-scope.ts'
import type { CachedPage } from '../../response-cache/cached-page.ts'
import type { CacheRecorder } from '../../response-cache/response-cache.ts'
import { isCacheable, mayRelate } from '../represent-result.ts'
import type { Route } from '../route.ts'
import { splitHeaders } from './page-headers.ts'
import { csvType } from './summary-csv.ts'

/** Whether a response shows the records of one resource, and nothing of others. */
export function showsNoOthers({ target, steps, isSelf }: Route, query: string): boolean {
  return !isSelf && target.resource.virtualNames.length === 0 && steps.length === 0 && !mayRelate(query)
}

/**
 * The cache key; undefined where the response is not cached. Records that show
 * others or stand below others are keyed by the caller with all scopes, because the others have
 * rules of their own. So is the caller's own record.
 */
export function keyOf(
  route: Route,
  request: HttpRequest,
  { admission, scopes }: { readonly admission: Admission; readonly scopes: CacheScopes },
): string | undefined {
  const { target, method, summarizes } = route
  const { operation } = target
  if (method !== 'GET' || (operation !== 'get' && operation !== 'list')) return undefined
  const sight = showsNoOthers(route, request.query) ? scopes.scopeOf(admission) : scopes.personOf(admission.asking)
  // Without its total a list is another response.
  const { prefer } = request.headers
  const without = operation === 'list' && prefer !== undefined && parsePrefer(prefer).uncounted ? ' uncounted' : ''
  const form = summarizes && prefersToJson(request.headers.accept, csvType) ? ' csv' : ''
  return `${sight} ${request.path}?${request.query}${without}${form}`
}

function headed(headers: CachedResponse['headers']): Pick<CachedResponse, 'headers' | 'printed'> {
  const { others, printed } = splitHeaders(headers)
  return printed ? { headers: others, printed } : { headers, printed: undefined }
}

/** `part`: set for a numbered page with its total. */
export type BuiltResponse = { readonly response: HttpResponse; readonly part: CachedPage | undefined }

/** Caches the response, unless it is a long stream, and returns the response to send. */
export function buildAndCache(recorder: CacheRecorder, { response, part }: BuiltResponse): HttpResponse {
  const { status, body, headers } = response
  if (status !== 200 || !(typeof body === 'string' || Buffer.isBuffer(body))) return response
  const head = headed({ ...headers } as Record<string, string>)
  recorder.keep({ ...head, body, part: head.printed === undefined ? undefined : part })
  return response
}

/** The response to this request from a cached one. */
export function answerCached(
  route: Route,
  request: HttpRequest,
  { headers, printed, body, source }: CacheHit,
): HttpResponse {
  const response = { status: 200, headers, printed, body, source }
  return isValidated(route, request) ? unlessKnown(request, response) : response
}

/**
 * Whether an equal ETag means equal bytes: that of a list does, and a version where the response
 * shows nothing else.
 */
export function isValidated({ target }: Route, request: HttpRequest): boolean {
  return target.operation === 'list' || isCacheable(target.resource, request)
}
