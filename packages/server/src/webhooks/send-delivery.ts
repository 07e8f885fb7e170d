/** One try of a delivery: the signed request, and what its answer means. */
import { parseRetryAfter } from '../client/request-error.ts'
import { answerLengthMax } from '../resource/webhooks/webhook-tables.ts'
import { signMessage } from '../webhook/signature.ts'
import type { WaitingDelivery } from './delivery-queue.ts'
import { type Endpoint, sealedFor, type WebhookRoom } from './webhook-room.ts'

/** A try that is over. `status`: undefined without an answer. */
export type TriedDelivery = {
  readonly atMs: number
  readonly tookMs: number
  /** Where it was sent; undefined where there was nothing to send. */
  readonly url?: string
  readonly status?: number
  readonly error?: string
  readonly answer?: string
  /** The endpoint takes nothing before this. */
  readonly retryAfterMs?: number | undefined
}

const errorLengthMax = 300
const retryAfterMsMax = 24 * 60 * 60_000

/** Those that sign now: the current one, and the one before for a while after a rotation. */
export function openSecrets({ seal }: Pick<WebhookRoom, 'seal'>, endpoint: Endpoint, nowMs: number): string[] {
  const { secret, previousSecret, previousUntil } = endpoint
  const isKept = previousSecret !== null && previousUntil !== null && Date.parse(previousUntil) > nowMs
  return [secret, ...(isKept ? [previousSecret] : [])].flatMap((one) => seal.open(one, sealedFor)?.text ?? [])
}

/** Undefined where the receiver does not say it. */
function retryAfterOf({ headers }: Response, nowMs: number): number | undefined {
  const seconds = parseRetryAfter(headers.get('retry-after'), nowMs)
  return seconds === undefined ? undefined : nowMs + Math.min(seconds * 1000, retryAfterMsMax)
}

/** As much of it as is kept. An answer that ends early says what it said. */
async function readBeginning(body: Response['body']): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  try {
    for (let bytes = 0; bytes < answerLengthMax; ) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      bytes += value.length
    }
  } catch {
    // the status is what counts
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  const text = Buffer.concat(chunks).subarray(0, answerLengthMax).toString('utf8')
  return text.replaceAll('\0', '').toWellFormed()
}

function textOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const text = error instanceof Error ? `${error.message}${cause}` : String(error)
  return text.slice(0, errorLengthMax).replaceAll('\0', '').toWellFormed()
}

/** The body of a delivery: what Standard Webhooks recommends. */
export function bodyOf({ event, at }: Pick<WaitingDelivery, 'event' | 'at'>, data: object): string {
  return JSON.stringify({ type: event, timestamp: at, data })
}

export type SentMessage = { readonly id: string; readonly url: string; readonly body: string }

/** Never throws, unless `signal` ends it. */
export async function sendMessage(
  { engine: { clock }, fetch }: Pick<WebhookRoom, 'fetch'> & { readonly engine: { clock(): number } },
  { id, url, body }: SentMessage,
  { secrets, signal }: { readonly secrets: readonly string[]; readonly signal: AbortSignal },
): Promise<TriedDelivery> {
  const atMs = clock()
  const timestamp = Math.floor(atMs / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Bindery-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage(secrets, { id, timestamp, body }),
  }
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const { status } = answer
    const retryAfterMs = retryAfterOf(answer, clock())
    return { atMs, url, status, answer: await readBeginning(answer.body), tookMs: clock() - atMs, retryAfterMs }
  } catch (error) {
    signal.throwIfAborted()
    return { atMs, url, tookMs: clock() - atMs, error: textOf(error) }
  }
}

/** The id of a message is that of its delivery. */
export const messageId = (id: string): string => `msg_${id}`

export const isSuccess = ({ status = 0 }: TriedDelivery): boolean => status >= 200 && status < 300
