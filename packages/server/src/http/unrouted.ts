/**
 * Answers requests without a route: an unknown path, or a known path with another method. Browsers
 * get a page, programs JSON.
 */
import { ApiError } from '../errors.ts'
import { errorHeaders, statusOf } from './messages/error-response.ts'
import type { HttpRequest, HttpResponse } from './messages/exchange.ts'
import { answerArticle } from './pages/article.ts'
import { seeksPage } from './pages/html-page.ts'
import { allowedMethods, optionHeadersAt, type PathTable, queryType } from './paths.ts'

const missing = new ApiError('not-found', 'Not found')
const missingPage = answerArticle({
  title: 'Not found',
  paragraphs: [
    'There is nothing at this address. See whether it is spelled right, or go on from one of the pages above.',
    'The API reference has every path of the API. A program that asks here gets `404` with JSON.',
  ],
})

function pageOf(page: HttpResponse, error: ApiError): HttpResponse {
  return { ...page, status: statusOf(error), headers: { ...page.headers, ...errorHeaders(error) } }
}

/** Throws `not-found` and `method-not-allowed` for programs. */
export function answerUnrouted(paths: PathTable, request: HttpRequest): HttpResponse {
  const { method, path } = request
  const allow = allowedMethods(paths, path)
  if (allow.length === 0) {
    if (seeksPage(request)) return pageOf(missingPage, missing)
    throw new ApiError('not-found', 'Not found')
  }
  if (method === 'OPTIONS') {
    const query = allow.includes('QUERY') && { 'accept-query': queryType }
    const headers = { allow: allow.join(', '), ...query, ...optionHeadersAt(paths, path) }
    return { status: 204, headers, body: null }
  }
  const error = new ApiError('method-not-allowed', `${method} is not allowed here; allowed: ${allow.join(', ')}`, {
    allow,
  })
  if (!seeksPage(request)) throw error
  const paragraphs = ['This address is for programs, which send something to it.', `${error.message}.`]
  return pageOf(answerArticle({ title: 'Not for browsers', paragraphs }), error)
}
