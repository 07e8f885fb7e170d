/**
 * The endpoints and deliveries of webhooks that need a look, as conditions: for metrics, and for
 * the findings of the doctor.
 */
import { timestampOf } from '../../base/clock.ts'
import { all, type Condition, equal, not } from '../condition.ts'
import type { WebhookCatalog } from './find-webhooks.ts'
import { undeclaredReason } from './webhook-words.ts'

const isNull = (field: string, is: boolean): Condition => ({ kind: 'null', field, isNull: is })
const compare = (field: string, operator: 'gte' | 'lte', atMs: number): Condition => ({
  ...{ kind: 'compare', field, operator, value: timestampOf(atMs) },
})

/** Endpoints that the server has switched off, besides those that are not declared any more. */
export const switchedOff: Condition = all(
  equal('active', false),
  isNull('disabledReason', false),
  not(equal('disabledReason', undeclaredReason)),
)

export const switchedOffSince = (sinceMs: number): Condition => all(switchedOff, compare('disabledAt', 'gte', sinceMs))

export const failing: Condition = all(equal('active', true), isNull('failingSince', false))

export const failingBefore = (atMs: number): Condition => all(failing, compare('failingSince', 'lte', atMs))

/** Deliveries that were given up since then. */
export const givenUpSince = (sinceMs: number): Condition =>
  all(equal('state', 'failed'), compare('endedAt', 'gte', sinceMs))

/** Deliveries that were due then, to endpoints that work. */
export function dueBefore({ endpoints }: Pick<WebhookCatalog, 'endpoints'>, atMs: number): Condition {
  const works = all(equal('active', true), isNull('failingSince', true))
  return all(equal('state', 'waiting'), compare('nextAt', 'lte', atMs), {
    ...{ kind: 'related', field: 'waitingId', resource: endpoints.name, where: works },
  })
}
