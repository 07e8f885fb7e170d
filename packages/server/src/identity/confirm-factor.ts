/**
 * Who changes their factors shows who they are once more: by the password of today, or by a factor that they have. A token left on a screen is
 * not enough. Guesses count like those of log-ins.
 */
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { Records } from '../record/records.ts'
import { equal } from '../resource/condition.ts'
import { currentPassword } from '../resource/credentials.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { StoredReads } from '../storage/storage.ts'
import type { Confirm } from './confirm.ts'
import type { SentProof } from './factor-log-in.ts'
import type { Factors, Proof } from './factors.ts'
import type { Marks } from './marks.ts'
import type { PartyAt } from './relying-party.ts'
import { accountOf } from './session.ts'
import { makeThrottle } from './throttle.ts'
import type { Tickets } from './ticket.ts'

/** `undefined`: nothing was sent. */
export type Confirmation = { readonly kind: 'password'; readonly password: string } | SentProof | undefined

/**
 * Throws `forbidden`, which names what is missing or wrong (`currentPassword is required`, `code is wrong`), `too-many-requests`, and
 * `unauthenticated` for a bad ticket.
 */
export type ConfirmSelf = (userId: string, sent: Confirmation, address: string) => Promise<void>

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly records: Records
  readonly login: Marks['login']
  readonly factors: Factors
  readonly tickets: Tickets
  readonly confirm: Confirm
  readonly partyAt: PartyAt
}

export function makeConfirmSelf(parts: Parts): ConfirmSelf {
  const { storage, clock, records, login, factors, tickets, confirm, partyAt } = parts
  const throttle = makeThrottle(storage, clock)

  async function proofOf(sent: SentProof): Promise<Proof> {
    if (sent.kind !== 'passkey') return sent
    const party = partyAt(sent.place)
    const ticket = tickets.open('passkey', sent.ticket)
    await tickets.spend(ticket)
    return { kind: 'passkey', party, response: sent.response, challenge: ticket.challenge, alone: false }
  }

  return async (userId, sent, address) => {
    if (!sent) throw new ApiError('forbidden', `${currentPassword} is required`)
    const row = (await storage.find(login.resource, equal(login.resource.idField, userId)))?.row
    const name = (row?.[login.mark.login] as string | undefined) ?? ''
    if (sent.kind === 'password') {
      const stored = row?.[login.mark.secret] as string | undefined
      return confirm({ login: name, stored, password: sent.password, address })
    }
    const proof = await proofOf(sent)
    const { account } = accountOf(login, name)
    await throttle.reserve(account, address)
    const isGood = await records.transaction(serviceAuthor, (writing) => factors.take(writing, userId, proof))
    if (isGood) return throttle.forget(account)
    await throttle.wrong(address)
    throw new ApiError('forbidden', `${sent.kind} is wrong`)
  }
}
