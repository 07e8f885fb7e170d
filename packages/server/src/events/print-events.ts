/**
 * Events as callers see them. All events of a transaction name it; the last one has the position
 * behind it, from which a reader goes on.
 */
import { hash } from 'node:crypto'
import { timestampOf } from '../base/clock.ts'
import { splitPosition } from '../endpoint/positions.ts'
import type { Principal } from '../resource/principal.ts'
import type { RecordEvent } from './events-of.ts'
import type { SeenTransaction } from './read-feed.ts'

export type PrintedEvent = Readonly<Record<string, unknown>>

/** One event as a caller sees it. */
export function printEvent(event: RecordEvent): PrintedEvent {
  const { resource, id } = event
  const named = { type: event.type, resource: resource.slug, id }
  if (event.type === 'leave' || event.type === 'delete') return named
  const version = event.version === undefined ? {} : { version: event.version }
  const before = event.type === 'change' ? { before: event.before } : {}
  return { ...named, ...version, record: event.record, ...before }
}

const transactionLength = 16

/** `position`: the sealed one behind the transaction. Callers see their own request ids alone. */
export function printTransaction(
  { transaction, events }: SeenTransaction,
  { position, principal }: { readonly position: string; readonly principal: Principal },
): readonly PrintedEvent[] {
  const { atMs, userId, requestId } = transaction
  const isOwn = principal.kind === 'user' && userId === principal.userId
  const of = hash('sha256', splitPosition(position).token, 'base64url').slice(0, transactionLength)
  const common = { at: timestampOf(atMs), transaction: of, ...(isOwn && requestId !== undefined && { requestId }) }
  return events.map((event, i) => ({
    ...printEvent(event),
    ...common,
    ...(i === events.length - 1 && { last: true, position }),
  }))
}
