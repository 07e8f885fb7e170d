/** Endpoints for tests, each with a receiver of its own. */
import assert from 'node:assert/strict'
import type { Ask, AskOptions } from 'bindery-server/test'
import { type Answer, startReceiver } from './receiver.ts'

type ShownDelivery = { readonly [name: string]: unknown; readonly id: string; readonly state: string }

/** `as`: the owner. `settle`: resolves when all changes before are told. */
export function makeEndpoints(ask: Ask, as: AskOptions, settle: () => Promise<void>) {
  const receivers: Awaited<ReturnType<typeof startReceiver>>[] = []

  async function endpoint(body: object = {}, answer?: Answer) {
    const receiver = await startReceiver()
    receivers.push(receiver)
    if (answer) receiver.state.answer = answer
    await settle()
    const sent = { url: receiver.url, resources: ['books'], ...body }
    const made = await ask('POST', '/api/v1/webhook-endpoints', { body: sent, ...as })
    assert.equal(made.status, 201, made.text)
    receiver.state.secret = made.body.secret
    const { id } = made.body
    return {
      receiver,
      id: id as string,
      secret: made.body.secret as string,
      read: async () => (await ask('GET', `/api/v1/webhook-endpoints/${id}`, as)).body,
      deliveries: async () =>
        (await ask('GET', `/api/v1/webhook-deliveries?endpointId=${id}&limit=100`, as)).body.data as ShownDelivery[],
      act: (action: string, input: object = {}) =>
        ask('POST', `/api/v1/webhook-endpoints/${id}/${action}`, { body: input, ...as }),
      change: (values: object) => ask('PATCH', `/api/v1/webhook-endpoints/${id}`, { body: values, ...as }),
      end: () => ask('DELETE', `/api/v1/webhook-endpoints/${id}`, as),
    }
  }
  return {
    endpoint,
    receivers,
    async stop() {
      for (const one of receivers) await one.stop()
    },
  }
}
