/**
 * Decides when a request is repeated: after no response, or one that says "not now", and only where
 * a second arrival has no further effect.
 */
import { parseRetryAfter, RequestError } from './request-error.ts'

export type RetryOptions = {
  /** The maximum number of repeats. */
  readonly retries: number
  /** A longer wait is left to the caller, in seconds. */
  readonly retryAfterMax: number
  /** The longest wait for the first byte of a response, and then for each next one. */
  readonly timeoutMs: number
}

const firstWaitMs = 200
/** RFC 9110, 9.2.2: idempotent methods. */
const repeatable = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']
/** Statuses whose answers have no body (RFC 9110, 6.4.1). */
const bodiless = [204, 205, 304]
const notNow = [429, 502, 503, 504]

function mayRepeat({ method, headers, url }: Request): boolean {
  // All refreshes within a minute return the same tokens.
  return repeatable.includes(method) || headers.has('idempotency-key') || url.endsWith('/auth/refresh')
}

/**
 * Milliseconds until the next try; undefined when the response is final. A 409 with `Retry-After`
 * means that the same keyed request may still run.
 */
function waitMsOf(request: Request, answer: Response | undefined, tries: number): number | undefined {
  const asked = parseRetryAfter(answer?.headers.get('retry-after') ?? null, Date.now())
  const runsStill = answer?.status === 409 && asked !== undefined && request.headers.has('idempotency-key')
  if (answer && !runsStill && !notNow.includes(answer.status)) return undefined
  // Random, so that clients do not all return at the same moment.
  const backoffMs = firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random())
  return asked === undefined ? backoffMs : asked * 1000 + Math.random() * firstWaitMs
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}

/**
 * The same body, which fails when no bytes arrive for that time: a connection cut silently would
 * block its reader for ever. Its error, and that of a connection that breaks, is a `RequestError`
 * with the code `no-answer`. `named`: at the begin of its message.
 */
export function limitIdle(
  body: ReadableStream<Uint8Array>,
  { named, idleMs }: { readonly named: string; readonly idleMs: number },
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const failed = (how: string, cause?: unknown) => new RequestError(`${named} ${how}`, { code: 'no-answer', cause })
  return new ReadableStream({
    async pull(controller) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(failed(`stopped for ${idleMs} ms`)), idleMs)
      })
      try {
        const { done, value } = await Promise.race([reader.read(), late])
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        void reader.cancel(error).catch(() => undefined)
        // Fetch says so of a connection that has ended too early.
        controller.error(error instanceof TypeError ? failed('broke off', error) : error)
      } finally {
        clearTimeout(timer)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** The same response with the limit of `limitIdle`. */
export function withIdleLimit(answer: Response, { url, idleMs }: { url: string; idleMs: number }): Response {
  // Browsers give an empty body to responses that can have none.
  if (!answer.body || bodiless.includes(answer.status)) return answer
  const { origin, pathname } = new URL(url)
  const body = limitIdle(answer.body, { named: `The answer from ${origin}${pathname}`, idleMs })
  const { status, statusText, headers } = answer
  return new Response(body, { status, statusText, headers })
}

type SendRequest = (request: Request, signal: AbortSignal) => Promise<Response>

/**
 * Undefined when no response came in time, with the reason. Throws the error of the caller's own
 * signal.
 */
async function tryOnce(request: Request, send: SendRequest, timeoutMs: number) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    return { answer: await send(request.clone(), AbortSignal.any([request.signal, late.signal])) }
  } catch (cause) {
    if (request.signal.aborted || cause instanceof RequestError) throw cause
    return { cause }
  } finally {
    clearTimeout(timer)
  }
}

/** Throws `RequestError` with the code `no-answer` when there was no response. */
export async function sendWithRetry(request: Request, send: SendRequest, options: RetryOptions): Promise<Response> {
  let lost = false
  for (let tries = 1; ; tries += 1) {
    const { answer, cause } = await tryOnce(request, send, options.timeoutMs)
    // The first try had worked, but its response was lost.
    if (lost && request.method === 'DELETE' && answer?.status === 404) return new Response(null, { status: 204 })
    lost ||= answer === undefined
    const waitMs = waitMsOf(request, answer, tries)
    const ends = waitMs === undefined || tries > options.retries || waitMs > (options.retryAfterMax + 1) * 1000
    if (ends || !mayRepeat(request)) {
      if (answer) return answer
      const { origin, pathname } = new URL(request.url)
      throw new RequestError(`No answer from ${origin}${pathname}`, { code: 'no-answer', cause })
    }
    await answer?.body?.cancel()
    await sleep(waitMs, request.signal)
  }
}
