/**
 * Tickets: the proven part of a log-in, which the client holds until the next step. They are
 * sealed, so no client reads or makes one, and last five minutes. The server stores nothing before
 * one is spent.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { LogInWay } from '../../resource/accounts/account-code.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import { makeSeal } from './seal.ts'

const ticketSeconds = 5 * 60
const lengthMax = 4096

/** The data of each kind of ticket. A ticket is good for nothing else. */
export type TicketData = {
  /** The first proof of a log-in was good: a factor is due, or its first one is to be enrolled. */
  readonly login: {
    readonly userId: string
    /**
     * The fingerprint of the account's credentials, which must be the same when the session begins.
     */
    readonly restsOn: string
    /** The name under which guesses are counted. */
    readonly counted: string
    readonly device?: string | undefined
    /** The first proof, and the provider that gave it; absent in a ticket of an earlier version. */
    readonly way?: LogInWay | undefined
    readonly provider?: string | undefined
    /** Nothing but enrolment is open. */
    readonly enrolling: boolean
  }
  /** A challenge for a passkey: of a log-in's user, or of any user. */
  readonly passkey: { readonly challenge: string; readonly login?: TicketData['login'] }
  /** A factor that is being enrolled. */
  readonly enrol: {
    readonly userId: string
    readonly restsOn: string
    readonly name: string
    /** The secret of the codes, in base64url. */
    readonly secret?: string
    readonly challenge?: string
    /** The log-in that it is a part of; absent where the user is logged in. */
    readonly login?: TicketData['login']
  }
}
export type TicketPurpose = keyof TicketData
export type Ticket<P extends TicketPurpose> = TicketData[P] & { readonly id: string; readonly expiresMs: number }

export type Tickets = {
  /** `untilMs`: where it may not last as long as others. */
  issue<P extends TicketPurpose>(purpose: P, facts: TicketData[P], untilMs?: number): string
  /**
   * Throws `unauthenticated` (`Invalid ticket`) for one that is invented, expired or for another
   * purpose.
   */
  open<P extends TicketPurpose>(purpose: P, text: string): Ticket<P>
  /** Marks the one use that it is good for. Throws the same for a second one, on any process. */
  spend(ticket: { readonly id: string }): Promise<void>
}

export function invalidTicket(): ApiError {
  return new ApiError('unauthenticated', 'Invalid ticket')
}

export function makeChallenge(): string {
  return randomBytes(32).toString('base64url')
}

type TicketDeps = { readonly secrets: readonly Buffer[]; readonly clock: Clock; readonly storage: ReadStorage }

export function makeTickets({ secrets, clock, storage }: TicketDeps): Tickets {
  const seal = makeSeal(secrets, 'tickets')
  return {
    issue(purpose, facts, untilMs = clock() + ticketSeconds * 1000) {
      const id = randomBytes(16).toString('base64url')
      return seal.seal(JSON.stringify({ ...facts, id, expiresMs: untilMs }), purpose)
    },
    open<P extends TicketPurpose>(purpose: P, text: string): Ticket<P> {
      const opened = text.length > lengthMax ? undefined : seal.open(text, purpose)
      const ticket = opened && (JSON.parse(opened.text) as Ticket<P>)
      if (!ticket || ticket.expiresMs <= clock()) throw invalidTicket()
      return ticket
    },
    async spend({ id }) {
      // Counters are shared by all processes and count in one step, so of two only one is the
      // first.
      const { count } = await storage.countUp(`ticket ${id}`, ticketSeconds * 1000, clock())
      if (count > 1) throw invalidTicket()
    },
  }
}
