/**
 * Accounts by mail: a forgotten password, an address that is to be proven, a log-in by a link. A
 * request for a mail leaves work that waits, whether the address is anybody's or not; who it
 * belongs to is looked up when the mail is made, long after the answer. So the answer says nothing,
 * and takes no longer for one than for the other.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import { defaultOf } from '../../operation/body.ts'
import type { Records, Writing } from '../../record/records.ts'
import type { OneTimeTokenMark } from '../../resource/accounts/identity-mark.ts'
import type { Marked } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { noPassword } from '../../resource/fields/secret.ts'
import type { Settings } from '../../resource/rule.ts'
import { type Author, serviceAuthor } from '../../storage/changes.ts'
import type { Row, StoredReads } from '../../storage/storage.ts'
import { tellAudit } from '../audit/audit.ts'
import { activeUser, findActing, type Marks } from '../marks.ts'
import type { Passwords } from '../passwords/password.ts'
import { authorAt, type Client } from '../sessions/entrance.ts'
import { accountOf, type LogIn, type Sessions } from '../sessions/session.ts'
import { type MailLimit, makeMailLimit } from '../throttles/mail-limit.ts'
import { type FirstProof, makeFirstProof } from './first-proof.ts'
import { type Letters, makeLetters } from './letters.ts'
import { deadToken, makeOneTimeTokens, type OneTimeTokens } from './one-time-tokens.ts'
import { makeOwnAddress, type OwnAddress } from './own-address.ts'
import { mailKind } from './owner-letters.ts'

export type AskedLetter = 'reset' | 'log-in' | 'verify'
/** `languages`: what `Accept-Language` said. */
export type Asking = Pick<Client, 'address' | 'userAgent'> & { readonly languages: string | undefined }

/** A new password, and whose it is: throws `bad-request` for one that is too easy to guess. */
export type CheckPassword = (password: string, user: Row) => void

export type Recovery = Letters &
  OwnAddress & {
    /** Before a mail is left to be made: counts it for this log-in name. Throws `too-many-requests`, and `unavailable` while too many wait. */
    countMail(email: string, address: string): Promise<void>
    /** Leaves a mail to be made. Throws the same. */
    ask(letter: AskedLetter, email: string, asking: Asking): Promise<void>
    /** A new password for the owner of a token, which ends all sessions. Throws `bad-request`, `unauthenticated`, `too-many-requests`. */
    reset(reset: { token: string; password: string; check: CheckPassword }, asking: Asking): Promise<void>
    /** An address is proven. Throws `unauthenticated`, `too-many-requests`, and `conflict` where another user has it by now. */
    verify(token: string, asking: Asking): Promise<void>
    /** Throws `unauthenticated`, `too-many-requests`. */
    logIn(token: string, client: Client): Promise<LogIn>
  }

export type RecoveryParts = {
  readonly storage: StoredReads
  readonly records: Records
  readonly clock: Clock
  readonly settings: Settings
  readonly marks: Marks
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly mailsWaitingMax: number
}

/** A token that is dead is a bad credential, as one for a refresh or the ticket of a second factor is. */
const badToken = () => deadToken('unauthenticated')

/** The status that the declaration gives a new user once nothing is left to prove. */
function provenStatus({ resource, mark }: Marks['login'], { clock, settings }: RecoveryParts): unknown {
  const field = resource.fields[mark.status as string] as Field
  const context = { now: timestampOf(clock()), settings: { ...settings, verifyEmail: false }, role: null }
  return defaultOf(field, context)
}

/** Undefined where the application declares no such tokens. */
export function makeRecovery(parts: RecoveryParts): Recovery | undefined {
  const { storage, records, clock, sessions, marks } = parts
  const { login, oneTimeToken, outgoingMail } = marks
  if (!oneTimeToken || !outgoingMail) return undefined
  const tokens = makeOneTimeTokens({ clock, login, tokens: oneTimeToken })
  const limit = makeMailLimit(storage, clock)
  const letters = makeLetters({ records, login, tokens })
  const firstProof = makeFirstProof({ marks, letters })
  const using = makeUsing(limit)
  return {
    ...letters,
    ...makeOwnAddress({ login, oneTimeToken, tokens, letters, limit }),
    ...makeUses({ ...parts, tokens, oneTimeToken, letters, firstProof, using }),
    ...makeAsk(parts, { letters, limit }),
    logIn,
  }

  /** The owner of the token as they are now. A password from before the first proof is a stranger's, for all that is known. */
  async function enter(writing: Writing, token: string): Promise<Row | undefined> {
    const user = (await tokens.spend(writing, token, ['log-in']))?.user
    if (!user || !activeUser(login, user)) return user
    const isFirst = await firstProof.settle(writing, { user, languages: undefined })
    return isFirst ? writing.change(login.resource, user, { [login.mark.secret]: noPassword }) : user
  }

  async function logIn(token: string, client: Client): Promise<LogIn> {
    const refusal = () => new ApiError('unauthenticated', 'Invalid credentials')
    const before = await using(client.address, refusal, () =>
      records.transaction(authorAt(client), (writing) => enter(writing, token)),
    )
    const user = activeUser(login, before)
    if (!user) throw refusal()
    const { login: name, secret } = login.mark
    return sessions.begin(
      { user, holds: (now) => now[name] === before[name] && now[secret] === before[secret] },
      client,
    )
  }
}

/** Every use of a token from outside: in vain it counts, and is refused by `refusal`. */
type Using = <T>(address: string, refusal: () => ApiError, use: () => Promise<T | undefined>) => Promise<T>

function makeUsing(limit: MailLimit): Using {
  return async (address, refusal, use) => {
    await limit.checkTries(address)
    const used = await use()
    if (used !== undefined) return used
    await limit.failed(address)
    throw refusal()
  }
}

type AskParts = {
  readonly letters: Letters
  readonly limit: MailLimit
}

function makeAsk(
  { storage, records, marks: { login }, mailsWaitingMax }: RecoveryParts,
  { letters, limit }: AskParts,
): Pick<Recovery, 'countMail' | 'ask'> {
  async function countMail(email: string, address: string): Promise<void> {
    await limit.asked(accountOf(login, email).account, address)
    if ((await storage.effects.count(mailKind, mailsWaitingMax)) < mailsWaitingMax) return
    throw new ApiError('unavailable', 'Too many mails wait to be sent, try again later', { retryAfterSeconds: 60 })
  }

  return {
    countMail,
    async ask(letter, email, { address, languages }) {
      await countMail(email, address)
      if (!accountOf(login, email).exists) return
      const asked = { letter, recipient: email, detail: address, languages }
      await records.transaction(serviceAuthor, (writing) => letters.send(writing, asked))
    },
  }
}

function authorOf({ languages, ...from }: Asking): Author {
  return { ...authorAt(from), languages }
}

type UseParts = RecoveryParts & {
  readonly tokens: OneTimeTokens
  readonly oneTimeToken: Marked<OneTimeTokenMark>
  readonly letters: Letters
  readonly firstProof: FirstProof
  readonly using: Using
}

function makeUses(parts: UseParts): Pick<Recovery, 'reset' | 'verify'> {
  const { storage, records, sessions, passwords, tokens, oneTimeToken, letters, firstProof, using } = parts
  const { login } = parts.marks
  const idOf = (user: Row) => user[login.resource.idField] as Scalar

  async function prove(writing: Writing, token: string): Promise<true | undefined> {
    const spent = await tokens.spend(writing, token, ['verify', 'new-address'])
    if (!spent || !(await letters.isFor(writing, spent.purpose, spent.user))) return undefined
    const { user, address, purpose } = spent
    const { status } = login.mark
    await tellAudit(writing, { event: 'email-verified', userId: idOf(user) })
    if (purpose === 'new-address') await writing.change(login.resource, user, { [login.mark.login]: address })
    else if (status !== undefined) await writing.change(login.resource, user, { [status]: provenStatus(login, parts) })
    // Where somebody still has to approve, the status is the same, and the proof is done all the same.
    await writing.removeWhere(oneTimeToken.resource, equal(oneTimeToken.mark.owner, idOf(user)))
    return true
  }

  /** The owner of a token who may choose a password; judged before anything is hashed. */
  async function resettingUser(token: string): Promise<Row | undefined> {
    const row = await tokens.find(storage, token, ['reset'])
    return row && (await findActing(storage, login, row[oneTimeToken.mark.owner] as Scalar))?.row
  }

  /**
   * The hash of a new password; undefined where another request has used the token before it was
   * this one's turn.
   */
  async function hashFor(token: string, password: string): Promise<string | undefined> {
    let isUsed = false
    const first = async () => {
      isUsed = (await resettingUser(token)) === undefined
      if (isUsed) throw badToken()
    }
    return passwords.hash(password, first).catch((error) => {
      if (isUsed) return undefined
      throw error
    })
  }

  return {
    async reset({ token, password, check }, asking) {
      const name = await using(asking.address, badToken, async () => {
        const user = await resettingUser(token)
        if (!user) return undefined
        check(password, user)
        const hash = await hashFor(token, password)
        if (hash === undefined) return undefined
        return records.transaction(authorOf(asking), async (writing) => {
          const spent = await tokens.spend(writing, token, ['reset'])
          if (!spent || !activeUser(login, spent.user)) return undefined
          const covers = { resource: login.resource, row: spent.user }
          await tellAudit(writing, { event: 'password-reset', userId: idOf(spent.user), covers })
          await firstProof.settle(writing, { user: spent.user, languages: asking.languages })
          await writing.change(login.resource, spent.user, { [login.mark.secret]: hash })
          return spent.user[login.mark.login] as string
        })
      })
      await sessions.forgive(name)
    },

    async verify(token, asking) {
      const use = () => records.transaction(authorOf(asking), (writing) => prove(writing, token))
      await using(asking.address, badToken, use)
    },
  }
}
