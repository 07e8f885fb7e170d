/**
 * How factors come to be: what the app or the device needs, with a ticket that says whose it will be, and then a proof that it works. Somebody
 * who is logged in has confirmed who they are before; a log-in that may do nothing else ends with a session.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { Records, Writing } from '../../record/records.ts'
import type { FactorType } from '../../resource/accounts/identity-mark.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { Author } from '../../storage/changes.ts'
import type { Row, StoredReads } from '../../storage/storage.ts'
import { type Acting, type FactorMarks, findActing, lockActing, type Marks } from '../marks.ts'
import type { Client } from '../sessions/entrance.ts'
import type { LogIn, Sessions } from '../sessions/session.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import { invalidTicket, type Ticket, type Tickets } from '../tokens/ticket.ts'
import { type Handed, makeFactorMaking, type Shown, type Wanted } from './factor-making.ts'
import type { Factors, NewFactor } from './factors.ts'
import { noteFactor } from './note-factor.ts'
import type { Passkeys } from './passkeys.ts'
import type { PartyAt } from './relying-party.ts'
import { restsOn } from './second-step.ts'

export type Begun = Handed & { readonly ticket: string }

type Stored = {
  readonly factor: Row
  /** Where it is the user's first factor. */
  readonly recoveryCodes: readonly string[] | undefined
}
/** `logIn`: where the ticket was that of a log-in. */
export type Enrolled = Stored & { readonly logIn: LogIn | undefined }

export type Enrolment = {
  /** For somebody who is logged in and confirmed it. Throws `bad-request`. */
  begin(userId: string, wanted: Wanted): Promise<Begun>
  /** For a log-in that may do nothing else. Throws `unauthenticated` (`Invalid ticket`) and `bad-request`. */
  beginAtLogIn(ticket: string, wanted: Wanted): Promise<Begun>
  /** Whose ticket it is, and whether it is that of a log-in. Throws `unauthenticated`. */
  about(ticket: string): { readonly userId: string; readonly atLogIn: boolean }
  /** Throws `unauthenticated` (`Invalid ticket`, `Invalid code`, `Invalid passkey`) and `conflict`. */
  finish(ticket: string, shown: Shown, by: { readonly author: Author; readonly client: Client }): Promise<Enrolled>
  /** New codes in place of the old ones. Throws `conflict` for a user without factors. */
  renewCodes(userId: string, author: Author): Promise<readonly string[]>
}

const names: Readonly<Record<FactorType, string>> = { totp: 'Authenticator app', passkey: 'Passkey' }

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly records: Records
  readonly secrets: readonly Buffer[]
  readonly login: Marks['login']
  readonly session: Marks['session']
  readonly marks: FactorMarks
  readonly factors: Factors
  readonly tickets: Tickets
  readonly passkeys: Passkeys | undefined
  readonly begin: Sessions['begin']
  readonly partyAt: PartyAt
  readonly publicUrl: string | undefined
}

/** What is stored of an enrolment, and the row of the user that it needs. */
function makeStore({ storage, login, factors }: Parts) {
  return {
    /** The user, who may still act. Throws `unauthenticated` (`Invalid ticket`). */
    async getUser(userId: string): Promise<Acting> {
      const found = await findActing(storage, login, userId)
      if (!found) throw invalidTicket()
      return found
    },
    /** With the user's row locked, so that two first factors do not each make codes. Throws the same. */
    async lockUser(writing: Writing, userId: string): Promise<Row> {
      const found = await lockActing(writing, login, userId)
      if (!found) throw invalidTicket()
      return found.row
    },
    /** The first one comes with recovery codes. */
    async add(writing: Writing, factor: NewFactor): Promise<Stored> {
      const isFirst = (await factors.typesOf(writing, factor.userId)).length === 0
      const row = await factors.add(writing, factor)
      const { recoveryCodes } = factors
      return { factor: row, recoveryCodes: isFirst ? await recoveryCodes.replace(writing, factor.userId) : undefined }
    },
  }
}

/** The end of a log-in that may do nothing but enrol. */
function makeFinishAtLogIn(parts: Parts, { getUser, add }: ReturnType<typeof makeStore>) {
  const { storage, clock, login, factors, begin } = parts
  const throttle = makeThrottle(storage, clock)
  return async (ticket: Ticket<'login'>, factor: NewFactor, client: Client): Promise<Enrolled> => {
    const { user } = await getUser(ticket.userId)
    let stored: Stored | undefined
    const second = async (writing: Writing) => {
      // Whoever has one by now shows it; the password alone must not add another.
      if ((await factors.typesOf(writing, ticket.userId)).length > 0) throw invalidTicket()
      stored = await add(writing, factor)
    }
    const holds = (row: Row) => restsOn(login, row) === ticket.restsOn
    const logIn = await begin({ user, holds, second }, { ...client, device: ticket.device })
    await throttle.forget(ticket.counted)
    return { ...(stored as unknown as Stored), logIn }
  }
}

export function makeEnrolment(parts: Parts): Enrolment {
  const { records, login, marks, factors, tickets } = parts
  const { resource, mark } = marks.factor
  const making = makeFactorMaking(parts)
  const store = makeStore(parts)
  const finishAtLogIn = makeFinishAtLogIn(parts, store)

  function nameOf({ type, name }: Wanted): string {
    if (name === undefined || name.trim() === '') return names[type]
    const field = resource.fields[mark.name] as Field
    return field.type.check(name, mark.name, field) as string
  }

  async function start(userId: string, wanted: Wanted, atLogIn?: Ticket<'login'>): Promise<Begun> {
    const { row, user } = await store.getUser(userId)
    const name = nameOf(wanted)
    const { kept, handed } = await making.start(user, wanted)
    const rests = atLogIn?.restsOn ?? restsOn(login, row)
    const ticket = tickets.issue('enrol', { userId, restsOn: rests, name, ...kept, ...(atLogIn && { login: atLogIn }) })
    return { ticket, ...handed }
  }

  return {
    begin: (userId, wanted) => start(userId, wanted),
    async beginAtLogIn(text, wanted) {
      const ticket = tickets.open('login', text)
      if (!ticket.enrolling) throw invalidTicket()
      return start(ticket.userId, wanted, ticket)
    },
    about(text) {
      const { userId, login: atLogIn } = tickets.open('enrol', text)
      return { userId, atLogIn: atLogIn !== undefined }
    },
    async finish(text, shown, { author, client }) {
      const ticket = tickets.open('enrol', text)
      const { userId, name } = ticket
      const factor = { userId, name, key: await making.prove(ticket, shown) }
      if (ticket.login) return finishAtLogIn(ticket.login as Ticket<'login'>, factor, client)
      return records.transaction(author, async (writing) => {
        const row = await store.lockUser(writing, userId)
        if (restsOn(login, row) !== ticket.restsOn) throw invalidTicket()
        await noteFactor(writing, parts.session, author.sessionId)
        return { ...(await store.add(writing, factor)), logIn: undefined }
      })
    },
    renewCodes(userId, author) {
      return records.transaction(author, async (writing) => {
        await store.lockUser(writing, userId)
        if ((await factors.typesOf(writing, userId)).length === 0)
          throw new ApiError('conflict', 'Recovery codes stand in for a factor; enrol one first')
        return factors.recoveryCodes.replace(writing, userId)
      })
    },
  }
}
