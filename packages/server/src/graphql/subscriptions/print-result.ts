/**
 * Prints results as events of graphql-sse's distinct connections mode: `next` for each result,
 * `complete` behind the last (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md).
 */
import type { GraphQLFormattedError } from 'graphql'
import { bytesOf, type HttpResponse, isWholeBody } from '../../http/messages/exchange.ts'
import { eventsType } from '../accept.ts'

/** `text`: JSON, which has no line breaks. `id`: from which a client resumes. */
export function printNext(text: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${text}\n\n`
}

/** Browsers tell their pages no event without data. */
export const completeText = 'event: complete\ndata: \n\n'

/** The errors in place of a result, and the end. */
export function printRefusal(errors: readonly GraphQLFormattedError[]): string {
  return `${printNext(JSON.stringify({ errors }))}${completeText}`
}

const headers = {
  'content-type': `${eventsType}; charset=utf-8`,
  'cache-control': 'no-store',
  vary: 'Accept',
}

export function answerEvents(text: string): HttpResponse {
  return { status: 200, headers: { ...headers }, body: text }
}

/** Statuses whose answers are results of GraphQL. All others are faults of the request. */
const ofResults: ReadonlySet<number> = new Set([200, 400])

/** The response to a query or mutation as one `next`. */
export function asEvents(response: HttpResponse): HttpResponse {
  const { status, body } = response
  if (!ofResults.has(status) || !isWholeBody(body)) return response
  return answerEvents(`${printNext(bytesOf(body).toString())}${completeText}`)
}
