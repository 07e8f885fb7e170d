/**
 * The second step of a log-in, and log-ins by a passkey alone. Guesses count like those of
 * passwords, with a counter of their own.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { RequestOrigin } from '../../resource/traits.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import type { FailureAudit } from '../audit/failures.ts'
import { whenProven } from '../code/run-account-hooks.ts'
import { type ActiveUser, findActing, type IdentityTables } from '../identity-tables.ts'
import { accountOf, type LogInResult, type SessionService } from '../sessions/session.ts'
import type { LogInClient, ProvenUser } from '../sessions/start-session.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import { invalidTicket, makeChallenge, type TicketData, type Tickets } from '../tokens/ticket.ts'
import type { Factors, Proof } from './factors.ts'
import { noPasskeys, type Passkeys, type WebauthnJson } from './passkeys.ts'
import type { RelyingPartyFor } from './relying-party.ts'
import { credentialFingerprint } from './second-step.ts'

/** The proof in a request: exactly one of these, a passkey with the ticket of its challenge. */
export type SentProof =
  | { readonly kind: 'code' | 'recoveryCode'; readonly code: string }
  | {
      readonly kind: 'passkey'
      readonly response: WebauthnJson
      readonly place: RequestOrigin
      readonly ticket: string
    }

export type PasskeyChallenge = { readonly ticket: string; readonly options: WebauthnJson }

export type FactorLogIn = {
  /**
   * The request that a browser passes to the device: for a passkey of the log-in with this ticket,
   * or for any passkey. Throws `unauthenticated` (`Invalid ticket`), and `bad-request` where there
   * are no passkeys.
   */
  ask(place: RequestOrigin, ticket: string | undefined): Promise<PasskeyChallenge>
  /**
   * Begins the session. Throws `unauthenticated` (`Invalid ticket`, `Invalid code`, …) and
   * `too-many-requests`.
   */
  logIn(ticket: string | undefined, sent: SentProof, client: LogInClient): Promise<LogInResult>
}

type LoginTicketData = TicketData['login']
type FactorLogInDeps = {
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly login: IdentityTables['login']
  readonly begin: SessionService['begin']
  readonly factors: Factors
  readonly tickets: Tickets
  readonly passkeys: Passkeys | undefined
  readonly partyAt: RelyingPartyFor
  readonly failures: FailureAudit
}

const sentences = {
  code: 'Invalid code',
  recoveryCode: 'Invalid recovery code',
  passkey: 'Invalid passkey',
} as const

/** `unauthenticated` for a proof that is wrong. */
export function wrongProof(kind: Proof['kind']): ApiError {
  return new ApiError('unauthenticated', sentences[kind])
}

export function makeFactorLogIn(deps: FactorLogInDeps): FactorLogIn {
  const { storage, clock, login, begin, factors, tickets, passkeys, partyAt, failures } = deps
  const throttle = makeThrottle(storage, clock)

  /**
   * A device that has logged in before has a counter of its own. All others share the counter of
   * the user, even after a change of the log-in name.
   */
  function guesserOf({ userId, login: name }: ActiveUser, counted: string): string {
    return counted === accountOf(login, name).account ? userId : counted
  }

  async function open(
    proven: ProvenUser,
    facts: LoginTicketData | undefined,
    client: LogInClient,
  ): Promise<LogInResult> {
    // No client guesses a signature: a passkey alone is counted by address, and closes no account.
    const guesser = facts && guesserOf(proven.user, facts.counted)
    if (guesser === undefined) await throttle.checkAddress(client.address)
    else await throttle.reserve(guesser, client.address)
    try {
      return await whenProven(begin(proven, { ...client, device: facts?.device }), async () => {
        if (facts) await throttle.forget(facts.counted)
        if (guesser !== undefined) await throttle.forgetGuesses(guesser)
      })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unauthenticated') {
        await throttle.wrong(client.address)
        await failures.note({ ...client, event: 'factor-failed', userId: proven.user.userId })
      }
      throw error
    }
  }

  const takes = (userId: string, proof: Proof) => async (tx: RecordTransaction) => {
    if (!(await factors.take(tx, userId, proof))) throw wrongProof(proof.kind)
  }

  /** The second step of a log-in whose first one this ticket stands for. */
  async function second(facts: LoginTicketData, proof: Proof, client: LogInClient): Promise<LogInResult> {
    const found = facts.enrolling ? undefined : await findActing(storage, login, facts.userId)
    if (!found) throw invalidTicket()
    const holds = (row: Row) => credentialFingerprint(login, row) === facts.restsOn
    const { way = 'password', provider } = facts
    return open({ user: found.user, way, provider, holds, second: takes(facts.userId, proof) }, facts, client)
  }

  /** A passkey counts as both factors when its device asked for a PIN or the like. */
  async function alone(proof: Proof & { kind: 'passkey' }, client: LogInClient): Promise<LogInResult> {
    const userId = await factors.ownerOf(storage, proof.response)
    const found = userId === undefined ? undefined : await findActing(storage, login, userId)
    if (!found || userId === undefined) throw wrongProof('passkey')
    // A device names the user that it made the key for (WebAuthn, section 7.2, step 6).
    const handle = (proof.response.response as WebauthnJson | undefined)?.userHandle
    if (typeof handle === 'string' && Buffer.from(handle, 'base64url').toString() !== userId)
      throw wrongProof('passkey')
    const proven = { user: found.user, way: 'passkey', holds: () => true, second: takes(userId, proof) } as const
    return open(proven, undefined, client)
  }

  return {
    async ask(place, text) {
      if (!passkeys) throw noPasskeys()
      const party = partyAt(place)
      const facts = text === undefined ? undefined : tickets.open('login', text)
      const keys = facts && (await factors.passkeysOf(storage, facts.userId))
      const challenge = makeChallenge()
      const ticket = tickets.issue('passkey', { challenge, ...(facts && { login: facts }) }, facts?.expiresMs)
      return { ticket, options: await passkeys.request(party, { challenge, keys }) }
    },

    async logIn(text, sent, client) {
      if (sent.kind !== 'passkey') return second(tickets.open('login', text ?? ''), sent, client)
      const party = partyAt(sent.place)
      const ticket = tickets.open('passkey', sent.ticket)
      await tickets.spend(ticket)
      const { response } = sent
      const { challenge, login: facts } = ticket
      const proof = { kind: 'passkey', party, response, challenge, alone: facts === undefined } as const
      return facts ? second(facts, proof, client) : alone(proof, client)
    },
  }
}
