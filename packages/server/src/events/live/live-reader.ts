/**
 * One stream of sets: its reader, its place in the log, and the lists that it follows. All of its
 * subscriptions are at one place, so one position resumes them together.
 */
import type { Principal } from '../../resource/principal.ts'
import type { LogPlace } from '../../storage/derived/kept-log.ts'
import { printTransaction } from '../print-events.ts'
import type { SeenTransaction } from '../read-feed.ts'
import type { Subscription } from './live-groups.ts'
import type { LiveStream } from './live-stream.ts'
import { type EventForm, eventName, printId } from './print-live.ts'

export type LiveReader = {
  readonly stream: LiveStream
  /** With the memberships of its place. */
  principal: Principal
  /** The digest of its other rights; a position has it. */
  readonly rights: string
  /** All events up to here have been sent. */
  place: LogPlace
  /** Whether the client has all that it begins with: before that no position resumes it. */
  isReady: boolean
  readonly subscriptions: readonly Subscription[]
}

/** Seals places of the log for a reader with these rights. */
export type SealPlace = (place: LogPlace, rights: string) => string

/** The request id of a write stays out: all readers of a group get the same text. */
const reader = { kind: 'anonymous' } as const

/**
 * The events of one subscription, as text. Where a stream has one, its last event has the position;
 * else the position follows the events of all.
 */
export function printSeen(
  seen: SeenTransaction,
  position: string,
  { form, name }: { readonly form: EventForm; readonly name: string | undefined },
): string {
  const printed = printTransaction(seen, { position, principal: reader })
  return printed
    .map((event) => {
      const id = name === undefined && event.last === true ? position : undefined
      return form.print({ event: eventName(name, String(event.type)), data: event, id })
    })
    .join('')
}

/** Sends what one transaction has for a reader. */
export function sendTransaction(reader: LiveReader, texts: readonly string[], position: string): void {
  const isOne = reader.subscriptions.length === 1 && reader.subscriptions[0]?.name === undefined
  reader.stream.send(isOne ? texts.join('') : `${texts.join('')}${printId(position)}`)
}

/** The client has to drop what it knows; the empty id keeps a browser from resuming. */
export function printLost(form: EventForm, why: string): string {
  return form.print({ event: 'lost', data: { error: `${why}: begin anew` }, id: '' })
}

type StreamEnd = { readonly error: string; readonly code: string; readonly position?: string | undefined }

export function printEnd(form: EventForm, { position, ...data }: StreamEnd): string {
  return form.print({ event: 'end', data: { ...data, ...(position && { position }) }, id: position })
}
