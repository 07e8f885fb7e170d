/** A receiver of webhooks: it verifies each by another library, and answers as a test says. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export type Received = {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: Record<string, unknown>
  readonly headers: IncomingMessage['headers']
}

/** Answers one request; by default 204. */
export type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => void

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The library takes no time far from its own; a test may have turned the clock of the sender. */
function verified(secret: string, body: string, headers: IncomingMessage['headers']): unknown {
  const library = new Webhook(secret)
  const sent = new Date(Number(headers['webhook-timestamp']) * 1000)
  if (Math.abs(Date.now() - sent.getTime()) < 240_000) return library.verify(body, headers as Record<string, string>)
  const right = library.sign(String(headers['webhook-id']), sent, body)
  if (!String(headers['webhook-signature']).split(' ').includes(right)) throw new Error('not signed by the secret')
  return JSON.parse(body)
}

const path = '/hook'

/**
 * A request that is not signed by `secret` is in `forged`. `others` answers those to other paths.
 */
export async function startReceiver() {
  const received: Received[] = []
  const forged: string[] = []
  const state: { secret: string; answer: Answer; others?: RequestListener } = {
    secret: '',
    answer: (_, response) => response.writeHead(204).end(),
  }
  const server = createServer(async (request, response) => {
    if (request.url !== path && state.others) return state.others(request, response)
    const body = await textOf(request).catch(() => '')
    try {
      const { headers } = request
      const event = verified(state.secret, body, headers) as Omit<Received, 'id'>
      const one = { ...event, id: String(headers['webhook-id']), headers }
      received.push(one)
      state.answer(one, response, request)
    } catch (error) {
      forged.push(`${error}`)
      response.writeHead(400).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    forged,
    state,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
