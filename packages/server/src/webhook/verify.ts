/**
 * `bindery-server/webhook`, for those who receive webhooks. `verify` checks that a request is
 * signed by the secret of an endpoint and is not old. Any implementation of Standard Webhooks does
 * the same.
 */
import { isSigned } from './signature.ts'

/** An event of a webhook. `data`: by its type, as the document of the API describes. */
export type WebhookEvent<D = unknown> = {
  /** The same at each try: do the work of an id once. */
  readonly id: string
  /** `products.change` */
  readonly type: string
  /** When the change was made, RFC 3339. */
  readonly timestamp: string
  readonly data: D
}

/** Headers as `fetch` and as Node have them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** That of the endpoint, or several during a rotation. */
  readonly secret: string | readonly string[]
  /** How old a request may be, and how far ahead its clock; 300 by default. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970. */
  readonly now?: number
}

/** The request does not come from the sender, or is too old. Answer it with 400 or 401. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  const text = typeof found === 'string' ? found : undefined
  if (!text) throw new WebhookVerificationError(`The request has no header ${name}`)
  return text
}

/** As it was signed, with a mark of its byte order if it has one. */
function textOf(body: string | Uint8Array): string {
  if (typeof body === 'string') return body
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new WebhookVerificationError('The body is not UTF-8')
  }
}

function checkTime(text: string, { toleranceSeconds = 300, now = Date.now() }: Omit<VerifyOptions, 'secret'>): number {
  const timestamp = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  const late = now / 1000 - timestamp
  if (Number.isNaN(late)) throw new WebhookVerificationError('webhook-timestamp is not in seconds')
  if (Math.abs(late) > toleranceSeconds)
    throw new WebhookVerificationError(`The request is ${late > 0 ? 'too old' : 'of the future'}`)
  return timestamp
}

/**
 * Checks a request, and returns its event: `verify(await request.text(), request.headers, { secret
 * })`. `body`: as it came, not parsed. Throws `WebhookVerificationError`.
 */
export function verify<D = unknown>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  { secret, ...options }: VerifyOptions,
): WebhookEvent<D> {
  const text = textOf(body)
  const id = headerOf(headers, 'webhook-id')
  const signature = headerOf(headers, 'webhook-signature')
  const timestamp = checkTime(headerOf(headers, 'webhook-timestamp'), options)
  const message = { id, timestamp, body: text }
  if (![secret].flat().some((one) => isSigned(one, message, signature)))
    throw new WebhookVerificationError('No signature of the request is by this secret')
  const event = JSON.parse(text) as Omit<WebhookEvent<D>, 'id'>
  return { ...event, id }
}
