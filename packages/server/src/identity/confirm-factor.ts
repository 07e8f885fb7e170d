/**
 * Who changes their factors shows who they are once more: by the password of today, or by a factor that they have. A token left on a screen is
 * not enough. Guesses count like those of log-ins.
 */
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { Records } from '../record/records.ts'
import { equal } from '../resource/condition.ts'
import { currentPassword } from '../resource/credentials.ts'
import type { StoredReads } from '../storage/storage.ts'
import type { Confirm } from './confirm.ts'
import { authorAt } from './entrance.ts'
import type { SentProof } from './factor-log-in.ts'
import type { Factors, Proof } from './factors.ts'
import type { Failures } from './failures.ts'
import type { Marks } from './marks.ts'
import type { PartyAt } from './relying-party.ts'
import { accountOf, type Origin } from './session.ts'
import { makeThrottle } from './throttle.ts'
import type { Tickets } from './ticket.ts'

/** `undefined`: nothing was sent. */
export type Confirmation = { readonly kind: 'password'; readonly password: string } | SentProof | undefined

/**
 * Throws `forbidden`, which names what is missing or wrong (`currentPassword is required`, `code is wrong`), `too-many-requests`, and
 * `unauthenticated` for a bad ticket.
 */
export type ConfirmSelf = (userId: string, sent: Confirmation, from: Origin) => Promise<void>

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly records: Records
  readonly login: Marks['login']
  readonly factors: Factors
  readonly tickets: Tickets
  readonly confirm: Confirm
  readonly partyAt: PartyAt
  readonly failures: Failures
}

export function makeConfirmSelf(parts: Parts): ConfirmSelf {
  const { storage, clock, records, login, factors, tickets, confirm, partyAt, failures } = parts
  const throttle = makeThrottle(storage, clock)

  async function proofOf(sent: SentProof): Promise<Proof> {
    if (sent.kind !== 'passkey') return sent
    const party = partyAt(sent.place)
    const ticket = tickets.open('passkey', sent.ticket)
    await tickets.spend(ticket)
    return { kind: 'passkey', party, response: sent.response, challenge: ticket.challenge, alone: false }
  }

  return async (userId, sent, from) => {
    if (!sent) throw new ApiError('forbidden', `${currentPassword} is required`)
    const row = (await storage.find(login.resource, equal(login.resource.idField, userId)))?.row
    const name = (row?.[login.mark.login] as string | undefined) ?? ''
    if (sent.kind === 'password') {
      const stored = row?.[login.mark.secret] as string | undefined
      return confirm({ userId, login: name, stored, password: sent.password, ...from })
    }
    const proof = await proofOf(sent)
    const { account } = accountOf(login, name)
    await throttle.reserve(account, from.address)
    const isGood = await records.transaction(authorAt(from), (writing) => factors.take(writing, userId, proof))
    if (isGood) return throttle.forget(account)
    await throttle.wrong(from.address)
    await failures.note({ ...from, event: 'factor-failed', userId, proof: sent.kind })
    throw new ApiError('forbidden', `${sent.kind} is wrong`)
  }
}
