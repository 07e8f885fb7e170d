/**
 * The requests of a test's service to others. The test answers them, and no other one reaches the
 * network unless the operator's settings name its host.
 */
import type { StartOptions } from '../../service/start.ts'

/** A request of the service to another one. */
export type SentRequest = {
  /** `effects` (jobs and schedules too), `hooks`, `endpoints`, `issuers`, `bucket`. */
  readonly purpose: string
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** As text; undefined for none, and for a stream that was sent to the network. */
  readonly body: string | undefined
}

/** A `Response` may answer many requests. A function that throws is a network that fails. */
export type RequestAnswer = Response | ((request: SentRequest) => Response | Promise<Response>)

export type OutgoingRequests = {
  readonly requests: readonly SentRequest[]
  /**
   * Answers requests to this address, in place of the network. `*` in a text stands for any
   * characters. The latest answer for an address holds.
   */
  answerFetch(url: string | RegExp, answer: RequestAnswer): void
  readonly twin: NonNullable<StartOptions['answerOutgoing']>
}

type KnownAnswer = { readonly pattern: RegExp; readonly answer: RequestAnswer }

function patternOf(url: string | RegExp): RegExp {
  if (url instanceof RegExp) return url
  const parts = url.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\/]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}

function unanswered({ method, url }: SentRequest): Error {
  const { host, origin } = new URL(url)
  return new Error(
    `This test answers no ${method} ${url}: service.answerFetch('${origin}/*', Response.json({ … })) does, and the variable OUTGOING_ALLOW=${host} lets it reach the network`,
  )
}

export function makeOutgoingRequests(): OutgoingRequests {
  const requests: SentRequest[] = []
  const answers: KnownAnswer[] = []
  return {
    requests,
    answerFetch: (url, answer) => void answers.unshift({ pattern: patternOf(url), answer }),
    async twin({ method, url, headers, body }, { purpose, isAllowed }) {
      const known = answers.find(({ pattern }) => url.href.search(pattern) !== -1)
      const isStream = body instanceof ReadableStream
      const text =
        body === null || (isStream && !known)
          ? undefined
          : await new Response(body as ReadableStream | Uint8Array<ArrayBuffer>).text()
      const sent = { purpose, method, url: url.href, headers: new Headers(headers), body: text }
      requests.push(sent)
      if (!known && !isAllowed) throw unanswered(sent)
      if (!known) return undefined
      return known.answer instanceof Response ? known.answer.clone() : known.answer(sent)
    },
  }
}
