/** Loads the feature of webhooks where the application declares them, and nothing elsewhere. */
import type { ServedEngine } from '../../accounts/served-engine.ts'
import type { Log } from '../../http/logs/log.ts'
import { findWebhooks } from '../../resource/webhooks/find-webhooks.ts'
import type { WebhookWriteDeps } from '../../webhooks/endpoints/endpoint-steps.ts'
import type { Webhooks } from '../../webhooks/open-webhooks.ts'
import type { WebhookWrites } from '../../webhooks/webhook-writes.ts'

const nothing: WebhookWrites = { steps: [], actions: new Map() }

export async function loadWebhookWrites(deps: WebhookWriteDeps): Promise<WebhookWrites> {
  if (!findWebhooks(deps.catalog)) return nothing
  const { webhookWrites } = await import('../../webhooks/webhook-writes.ts')
  return webhookWrites(deps)
}

/** Makes the records of declared endpoints equal to their declarations. Throws `StartError`. */
export async function keepDeclaredWebhooks(engine: ServedEngine): Promise<void> {
  if (!findWebhooks(engine.catalog)) return
  const { keepDeclared } = await import('../../webhooks/endpoints/keep-declared.ts')
  await keepDeclared(engine)
}

/** Undefined in an application without webhooks. */
export async function loadWebhooks(engine: ServedEngine, log: Log): Promise<Webhooks | undefined> {
  if (!findWebhooks(engine.catalog)) return undefined
  const { openWebhooks } = await import('../../webhooks/open-webhooks.ts')
  return openWebhooks(engine, log)
}
