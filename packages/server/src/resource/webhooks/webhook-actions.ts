/** Actions on webhooks, which the engine does itself: `webhooks/` has their work. */
import { defineAction, doneByEngine } from '../action.ts'
import { boolean } from '../fields/boolean.ts'
import { integer } from '../fields/numbers/integer.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import type { ActionTraits } from '../traits.ts'
import { webhookNames } from './webhook-words.ts'

const daySeconds = 24 * 60 * 60

export const rotateSecret = defineAction({
  summary: 'Give one endpoint another secret, which is shown once',
  description: 'Deliveries are signed by both secrets until the overlap is over.',
  input: {
    overlapSeconds: integer({
      default: daySeconds,
      min: 0,
      max: 7 * daySeconds,
      description: 'How long the secret before signs too.',
      example: 3_600,
    }),
  },
  run: () => doneByEngine(),
})

export const pingEndpoint = defineAction({
  summary: 'Send a test to one endpoint',
  returns: webhookNames.delivery,
  creates: true,
  run: () => doneByEngine(),
})

export const replayEndpoint = defineAction({
  summary: 'Send deliveries of one endpoint again',
  description: 'All that were made in the range, or those of them that failed. Each keeps its id.',
  input: {
    since: timestamp({ required: true, description: 'From this time on.', example: '2026-11-27T08:00:00.000Z' }),
    until: timestamp({ description: 'To this time; null for now.' }),
    onlyFailed: boolean({ default: false, description: 'Of these, those that were given up.' }),
  },
  output: { count: integer({ required: true, description: 'How many are sent again.' }) },
  run: () => doneByEngine(),
} as never)

export const replayDelivery = defineAction({ summary: 'Send one delivery again', run: () => doneByEngine() })

/** Undefined for an action of the application. */
export function traitsOfWebhooks(action: { readonly run: unknown } | undefined): ActionTraits | undefined {
  return action?.run === rotateSecret.run ? { reveals: true } : undefined
}
