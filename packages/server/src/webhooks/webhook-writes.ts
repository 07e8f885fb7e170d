/** The part of writes that webhooks add: the steps of endpoints, and their actions. */
import type { EngineActions } from '../record/requested-write.ts'
import type { WriteStep } from '../record/stages.ts'
import { webhookActions } from './endpoints/endpoint-actions.ts'
import { type WebhookWriteDeps, webhookSteps } from './endpoints/endpoint-steps.ts'

export type WebhookWrites = { readonly steps: readonly WriteStep[]; readonly actions: EngineActions }

/** Both are empty in an application without webhooks. */
export function webhookWrites(deps: WebhookWriteDeps): WebhookWrites {
  return { steps: webhookSteps(deps), actions: webhookActions(deps) }
}
