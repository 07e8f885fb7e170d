/**
 * When a request is sent again: after no answer, or one that says "not now", and only what does the
 * same when it arrives twice.
 */
import { parseRetryAfter, RequestError } from './request-error.ts'

export type RetryOptions = {
  /** How often it is sent again at most. */
  readonly retries: number
  /** A longer wait is left to the caller. */
  readonly retryAfterMax: number
  /** How long an answer may take to begin, and then to go on. */
  readonly timeoutMs: number
}

const firstWaitMs = 200
/** RFC 9110, 9.2.2: idempotent methods. */
const repeatable = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']
/** Statuses whose answers have no body (RFC 9110, 6.4.1). */
const bodiless = [204, 205, 304]
const notNow = [429, 502, 503, 504]

function mayRepeat({ method, headers, url }: Request): boolean {
  // Each refresh within a minute brings the same tokens.
  return repeatable.includes(method) || headers.has('idempotency-key') || url.endsWith('/auth/refresh')
}

/**
 * Milliseconds until the next try; undefined when the answer stands. The same keyed request may
 * still run: 409 with `Retry-After`.
 */
function waitMsOf(request: Request, answer: Response | undefined, tries: number): number | undefined {
  const asked = parseRetryAfter(answer?.headers.get('retry-after') ?? null, Date.now())
  const runsStill = answer?.status === 409 && asked !== undefined && request.headers.has('idempotency-key')
  if (answer && !runsStill && !notNow.includes(answer.status)) return undefined
  // Spread, so that many clients do not come back at the same moment.
  const backoffMs = firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random())
  return asked === undefined ? backoffMs : asked * 1000 + Math.random() * firstWaitMs
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
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
 * The same answer, whose body fails where nothing of it has come for so long: a connection that is
 * cut without a word leaves a reader waiting for ever. The error is a `RequestError` with the code
 * `no-answer`.
 */
export function withIdleLimit(answer: Response, { url, idleMs }: { url: string; idleMs: number }): Response {
  // Browsers have an empty body on answers that can have none.
  if (!answer.body || bodiless.includes(answer.status)) return answer
  const reader = answer.body.getReader()
  const { origin, pathname } = new URL(url)
  const stalled = () =>
    new RequestError(`The answer from ${origin}${pathname} stopped for ${idleMs} ms`, { code: 'no-answer' })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(stalled()), idleMs)
      })
      try {
        const { done, value } = await Promise.race([reader.read(), late])
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        void reader.cancel(error).catch(() => undefined)
        controller.error(error)
      } finally {
        clearTimeout(timer)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const { status, statusText, headers } = answer
  return new Response(body, { status, statusText, headers })
}

type SendRequest = (request: Request, signal: AbortSignal) => Promise<Response>

/**
 * Undefined when no answer came in time, with the reason. Throws what the caller's own signal says.
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

/** Throws `RequestError` with the code `no-answer` when none came. */
export async function sendWithRetry(request: Request, send: SendRequest, options: RetryOptions): Promise<Response> {
  let lost = false
  for (let tries = 1; ; tries += 1) {
    const { answer, cause } = await tryOnce(request, send, options.timeoutMs)
    // The answer to the first try was lost, and it had worked.
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
