/**
 * Enrols a second factor in two steps. The first gives a secret or a challenge, and a ticket that
 * names the user; the second checks a proof that the factor works. A logged-in user has confirmed
 * their identity before. A log-in that may only enrol ends with a session.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import type { FactorType } from '../../resource/accounts/identity-mark.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { Author } from '../../storage/changes.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { whenProven } from '../code/run-account-hooks.ts'
import { type ActingUser, type FactorTables, findActing, type IdentityTables, lockActing } from '../identity-tables.ts'
import type { LogInResult, SessionService } from '../sessions/session.ts'
import type { LogInClient } from '../sessions/start-session.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import { invalidTicket, type Ticket, type Tickets } from '../tokens/ticket.ts'
import { type FactorProof, type FactorRequest, type FactorSetup, makeFactorCreation } from './factor-creation.ts'
import type { Factors, NewFactor } from './factors.ts'
import { noteFactor } from './note-factor.ts'
import type { Passkeys } from './passkeys.ts'
import type { RelyingPartyFor } from './relying-party.ts'
import { credentialFingerprint } from './second-step.ts'

export type EnrolmentStart = FactorSetup & { readonly ticket: string }

type StoredFactor = {
  readonly factor: Row
  /** Where it is the user's first factor. */
  readonly recoveryCodes: readonly string[] | undefined
}
/** `logIn`: where the ticket was that of a log-in. */
export type EnrolmentResult = StoredFactor & { readonly logIn: LogInResult | undefined }

export type Enrolment = {
  /** For a logged-in user who confirmed it. Throws `bad-request`. */
  begin(userId: string, wanted: FactorRequest): Promise<EnrolmentStart>
  /**
   * For a log-in that may do nothing else. Throws `unauthenticated` (`Invalid ticket`) and
   * `bad-request`.
   */
  beginAtLogIn(ticket: string, wanted: FactorRequest): Promise<EnrolmentStart>
  /** The user of the ticket, and whether it is the ticket of a log-in. Throws `unauthenticated`. */
  about(ticket: string): { readonly userId: string; readonly atLogIn: boolean }
  /**
   * Throws `unauthenticated` (`Invalid ticket`, `Invalid code`, `Invalid passkey`) and `conflict`.
   */
  finish(
    ticket: string,
    shown: FactorProof,
    by: { readonly author: Author; readonly client: LogInClient },
  ): Promise<EnrolmentResult>
  /** New codes in place of the old ones. Throws `conflict` for a user without factors. */
  renewCodes(userId: string, author: Author): Promise<readonly string[]>
}

const names: Readonly<Record<FactorType, string>> = { totp: 'Authenticator app', passkey: 'Passkey' }

type EnrolmentDeps = {
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly records: RecordStore
  readonly secrets: readonly Buffer[]
  readonly login: IdentityTables['login']
  readonly session: IdentityTables['session']
  readonly marks: FactorTables
  readonly factors: Factors
  readonly tickets: Tickets
  readonly passkeys: Passkeys | undefined
  readonly begin: SessionService['begin']
  readonly partyAt: RelyingPartyFor
  readonly publicUrl: string | undefined
}

/** The stored data of an enrolment, and the row of the user that it needs. */
function makeStore({ storage, login, factors }: EnrolmentDeps) {
  return {
    /** The user, who may still act. Throws `unauthenticated` (`Invalid ticket`). */
    async getUser(userId: string): Promise<ActingUser> {
      const found = await findActing(storage, login, userId)
      if (!found) throw invalidTicket()
      return found
    },
    /**
     * With the user's row locked, so that two first factors do not each make codes. Throws the
     * same.
     */
    async lockUser(tx: RecordTransaction, userId: string): Promise<Row> {
      const found = await lockActing(tx, login, userId)
      if (!found) throw invalidTicket()
      return found.row
    },
    /** The first one comes with recovery codes. */
    async add(tx: RecordTransaction, factor: NewFactor): Promise<StoredFactor> {
      const isFirst = (await factors.typesOf(tx, factor.userId)).length === 0
      const row = await factors.add(tx, factor)
      const { recoveryCodes } = factors
      return { factor: row, recoveryCodes: isFirst ? await recoveryCodes.replace(tx, factor.userId) : undefined }
    },
  }
}

/** The end of a log-in that may only enrol. */
function makeFinishAtLogIn(deps: EnrolmentDeps, { getUser, add }: ReturnType<typeof makeStore>) {
  const { storage, clock, login, factors, begin } = deps
  const throttle = makeThrottle(storage, clock)
  return async (ticket: Ticket<'login'>, factor: NewFactor, client: LogInClient): Promise<EnrolmentResult> => {
    const { user } = await getUser(ticket.userId)
    let stored: StoredFactor | undefined
    const second = async (tx: RecordTransaction) => {
      // A user who has a factor by now shows it; the password alone must not add another.
      if ((await factors.typesOf(tx, ticket.userId)).length > 0) throw invalidTicket()
      stored = await add(tx, factor)
    }
    const holds = (row: Row) => credentialFingerprint(login, row) === ticket.restsOn
    const { way = 'password', provider, device, counted } = ticket
    const begun = begin({ user, way, provider, holds, second }, { ...client, device })
    const logIn = await whenProven(begun, () => throttle.forget(counted))
    return { ...(stored as unknown as StoredFactor), logIn }
  }
}

export function makeEnrolment(deps: EnrolmentDeps): Enrolment {
  const { records, login, marks, factors, tickets } = deps
  const { resource, mark } = marks.factor
  const making = makeFactorCreation(deps)
  const store = makeStore(deps)
  const finishAtLogIn = makeFinishAtLogIn(deps, store)

  function nameOf({ type, name }: FactorRequest): string {
    if (name === undefined || name.trim() === '') return names[type]
    const field = resource.fields[mark.name] as Field
    return field.type.check(name, mark.name, field) as string
  }

  async function start(userId: string, wanted: FactorRequest, atLogIn?: Ticket<'login'>): Promise<EnrolmentStart> {
    const { row, user } = await store.getUser(userId)
    const name = nameOf(wanted)
    const { kept, handed } = await making.start(user, wanted)
    const rests = atLogIn?.restsOn ?? credentialFingerprint(login, row)
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
      return records.transaction(author, async (tx) => {
        const row = await store.lockUser(tx, userId)
        if (credentialFingerprint(login, row) !== ticket.restsOn) throw invalidTicket()
        await noteFactor(tx, deps.session, author.sessionId)
        return { ...(await store.add(tx, factor)), logIn: undefined }
      })
    },
    renewCodes(userId, author) {
      return records.transaction(author, async (tx) => {
        await store.lockUser(tx, userId)
        if ((await factors.typesOf(tx, userId)).length === 0)
          throw new ApiError('conflict', 'Recovery codes stand in for a factor; enrol one first')
        return factors.recoveryCodes.replace(tx, userId)
      })
    },
  }
}
