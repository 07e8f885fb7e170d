/**
 * The endpoints of a service at work: each active one has one effect, which runs while there is
 * something to do. Changes that an endpoint may be about make its effect due at once.
 */
import { EffectAgain, type EffectKind } from '../effects/effect-kind.ts'
import type { EffectRunner } from '../effects/run-effects.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { KeptLog } from '../storage/derived/kept-log.ts'
import { type Bell, makeBell } from './bell.ts'
import { runEndpoint } from './run-webhook.ts'
import { type ActiveEndpoint, makeWaker } from './wake-endpoints.ts'
import { type WebhookRoom, webhookKind } from './webhook-room.ts'

/** Endpoints that one process runs at once. One that waits for answers takes one place. */
const atOnce = 1_000
const timeoutMs = 10 * 60_000

export type WebhookRuns = {
  readonly kind: EffectKind
  /** Begins to follow changes; `effects` runs the kind. */
  start(effects: Pick<EffectRunner, 'hasten'>): Promise<void>
  /** Resolves when all changes up to now have reached their endpoints. */
  settled(): Promise<void>
  /** Wakes no endpoint any more. */
  stop(): void
}

/** The effect that runs an endpoint. */
export function effectOf(id: string) {
  return { kind: webhookKind, key: id, inOrder: true, beginsChain: true, payload: {} } as const
}

/** Leaves the effects of endpoints that have none: an operator may have removed them. */
async function leaveMissing({ engine }: WebhookRoom, active: readonly ActiveEndpoint[]): Promise<void> {
  for (const { id } of active) {
    if ((await engine.storage.effects.unended(webhookKind, id, 1)) > 0) continue
    await engine.records.transaction(serviceAuthor, (tx) => tx.leave(effectOf(id)))
  }
}

export function makeWebhookRuns(room: WebhookRoom, log: KeptLog): WebhookRuns {
  const running = new Map<string, Bell>()
  const waker = makeWaker(room, log, running)
  return {
    kind: {
      name: webhookKind,
      async run({ key }, { signal }) {
        const id = key as string
        const bell = running.get(id) ?? makeBell()
        running.set(id, bell)
        const waitMs = await runEndpoint(room, id, { signal, bell })
        if (waitMs !== undefined) throw new EffectAgain(waitMs)
      },
      settled(key) {
        const id = key as string
        const bell = running.get(id)
        running.delete(id)
        if (bell?.isRung()) waker.wakeSoon(id)
      },
      inOrder: true,
      atOnce,
      triesMax: Number.POSITIVE_INFINITY,
      timeoutMs,
      backoff: { firstMs: 1_000, factor: 3, mostMs: 60_000 },
      words: {
        again: 'The run of a webhook endpoint failed, and is tried again',
        givenUp: 'A webhook endpoint is not run any more',
      },
    },
    async start(effects) {
      const active = await waker.start(effects)
      await leaveMissing(room, active)
    },
    settled: waker.settled,
    stop: waker.stop,
  }
}
