/**
 * Accounts by mail: a forgotten password, an address to prove, a log-in by a link. A request queues
 * a mail whether the address has an account or not; the account is looked up when the mail is made.
 * So the response reveals nothing, and takes as long in both cases.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import { defaultOf } from '../../operation/body.ts'
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import type { OneTimeTokenMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { noPassword } from '../../resource/fields/secret.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { recordAudit } from '../audit/audit.ts'
import { noteWay } from '../code/noted-way.ts'
import { activeUser, findActing, type IdentityTables } from '../identity-tables.ts'
import type { Passwords } from '../passwords/password.ts'
import { accountOf, type LogInResult, type SessionService } from '../sessions/session.ts'
import { type LogInClient, sessionAuthor } from '../sessions/start-session.ts'
import { type MailLimit, makeMailLimit } from '../throttles/mail-limit.ts'
import { type AcceptInvitation, type CheckPassword, type InvitationKeeper, makeAccept } from './accept-invitation.ts'
import { type AccountMails, makeAccountMails } from './account-mails.ts'
import { type FirstProof, makeFirstProof } from './first-proof.ts'
import { makeOneTimeTokens, type OneTimeTokens } from './one-time-tokens.ts'
import { makeOwnAddress, type OwnAddress } from './own-address.ts'
import { mailKind } from './owner-mails.ts'
import { authorOf, badToken, makeUsing, type RecoveryClient, type UseToken } from './use-token.ts'

/** `by`: the user who asks for it, or the address where there is none. */
type AskedMail = { readonly email: string; readonly by: string }
export type RequestableMail = 'reset' | 'log-in' | 'verify'
export type Recovery = AccountMails &
  OwnAddress & {
    /**
     * Before a mail is left to be made: counts it for this log-in name. Throws `too-many-requests`,
     * and `unavailable` while too many wait.
     */
    countMail(email: string, address: string): Promise<void>
    /** Throws `unavailable` while too many mails wait. */
    checkRoom(): Promise<void>
    /**
     * Counts a mail in the transaction that leaves it. So a refused write costs nothing. Throws
     * `too-many-requests`.
     */
    countInvitation(tx: RecordTransaction, invitation: AskedMail & { readonly tenant: string }): Promise<void>
    countProposal(tx: RecordTransaction, proposal: AskedMail): Promise<void>
    /** Leaves a mail to be made. Throws the same. */
    ask(letter: RequestableMail, email: string, asking: RecoveryClient): Promise<void>
    /**
     * A new password for the owner of a token, which ends all sessions. Throws `bad-request`,
     * `unauthenticated`, `too-many-requests`.
     */
    reset(reset: { token: string; password: string; check: CheckPassword }, asking: RecoveryClient): Promise<void>
    /**
     * An address is proven. Throws `unauthenticated`, `too-many-requests`, and `conflict` where
     * another user has it by now.
     */
    verify(token: string, asking: RecoveryClient): Promise<void>
    /** Undefined in an application without invitations. */
    readonly accept: AcceptInvitation | undefined
    /** Throws `unauthenticated`, `too-many-requests`. */
    logIn(token: string, client: LogInClient): Promise<LogInResult>
  }

export type RecoveryDeps = {
  readonly storage: ReadStorage
  readonly records: RecordStore
  readonly clock: Clock
  readonly settings: ServiceSettings
  readonly marks: IdentityTables
  readonly sessions: SessionService
  readonly passwords: Passwords
  readonly mailsWaitingMax: number
  /** Undefined in an application without invitations. */
  readonly invitations?: InvitationKeeper | undefined
}

/** The status that the declaration gives a new user once nothing is left to prove. */
function provenStatus({ resource, mark }: IdentityTables['login'], { clock, settings }: RecoveryDeps): unknown {
  const field = resource.fields[mark.status as string] as Field
  const context = { now: timestampOf(clock()), settings: { ...settings, verifyEmail: false }, role: null }
  return defaultOf(field, context)
}

/** Undefined where the application declares no such tokens. */
export function makeRecovery(parts: RecoveryDeps): Recovery | undefined {
  const { storage, records, clock, sessions, marks } = parts
  const { login, oneTimeToken, outgoingMail } = marks
  if (!oneTimeToken || !outgoingMail) return undefined
  const tokens = makeOneTimeTokens({ clock, login, tokens: oneTimeToken })
  const limit = makeMailLimit(storage, clock)
  const { invitations } = parts
  const mails = makeAccountMails({ records, login, tokens, invitations, limit })
  const firstProof = makeFirstProof({ marks, mails })
  const using = makeUsing(limit)
  return {
    ...mails,
    ...makeOwnAddress({ login, oneTimeToken, tokens, mails, limit }),
    ...makeUses({ ...parts, tokens, oneTimeToken, mails, firstProof, using }),
    ...makeAsk(parts, { mails, limit }),
    accept: invitations && makeAccept({ ...parts, login, oneTimeToken, tokens, firstProof, using, invitations }),
    logIn,
  }

  /**
   * The owner of the token as stored now. A password from before the first proof may be a
   * stranger's.
   */
  async function enter(tx: RecordTransaction, token: string): Promise<Row | undefined> {
    const user = (await tokens.spend(tx, token, ['log-in']))?.user
    if (!user || !activeUser(login, user)) return user
    noteWay(tx, 'link')
    const isFirst = await firstProof.settle(tx, { user, languages: undefined })
    return isFirst ? tx.change(login.resource, user, { [login.mark.secret]: noPassword }) : user
  }

  async function logIn(token: string, client: LogInClient): Promise<LogInResult> {
    const refusal = () => new ApiError('unauthenticated', 'Invalid credentials')
    const before = await using(client.address, refusal, () =>
      records.transaction(sessionAuthor(client), (tx) => enter(tx, token)),
    )
    const user = activeUser(login, before)
    if (!user) throw refusal()
    const { login: name, secret } = login.mark
    return sessions.begin(
      { user, way: 'link', holds: (now) => now[name] === before[name] && now[secret] === before[secret] },
      client,
    )
  }
}

type RequestDeps = {
  readonly mails: AccountMails
  readonly limit: MailLimit
}

function makeAsk(
  { storage, records, marks: { login }, mailsWaitingMax }: RecoveryDeps,
  { mails, limit }: RequestDeps,
): Pick<Recovery, 'countMail' | 'checkRoom' | 'countInvitation' | 'countProposal' | 'ask'> {
  const named = (email: string) => accountOf(login, email).account

  async function checkRoom(): Promise<void> {
    if ((await storage.effects.count(mailKind, mailsWaitingMax)) < mailsWaitingMax) return
    throw new ApiError('unavailable', 'Too many mails wait to be sent, try again later', { retryAfterSeconds: 60 })
  }

  async function countMail(email: string, address: string): Promise<void> {
    await limit.asked(named(email), address)
    await checkRoom()
  }

  return {
    countMail,
    checkRoom,
    countInvitation: (tx, { email, by, tenant }) => limit.invited(tx, { by, tenant, account: named(email) }),
    countProposal: (tx, { email, by }) => limit.proposed(tx, { by, account: named(email) }),
    async ask(letter, email, { address, languages }) {
      await countMail(email, address)
      if (!accountOf(login, email).exists) return
      const asked = { letter, recipient: email, detail: address, languages }
      await records.transaction(serviceAuthor, (tx) => mails.send(tx, asked))
    },
  }
}

type RedeemDeps = RecoveryDeps & {
  readonly tokens: OneTimeTokens
  readonly oneTimeToken: MarkedTable<OneTimeTokenMark>
  readonly mails: AccountMails
  readonly firstProof: FirstProof
  readonly using: UseToken
}

function makeUses(parts: RedeemDeps): Pick<Recovery, 'reset' | 'verify'> {
  const { storage, records, sessions, passwords, tokens, oneTimeToken, mails, firstProof, using } = parts
  const { login } = parts.marks
  const idOf = (user: Row) => user[login.resource.idField] as Scalar

  async function prove(tx: RecordTransaction, token: string): Promise<true | undefined> {
    const spent = await tokens.spend(tx, token, ['verify', 'new-address'])
    if (!spent || !(await mails.isFor(tx, spent.purpose, spent.user))) return undefined
    const { user, address, purpose } = spent
    const { status } = login.mark
    await recordAudit(tx, { event: 'email-verified', userId: idOf(user) })
    if (purpose === 'new-address') await tx.change(login.resource, user, { [login.mark.login]: address })
    else if (status !== undefined) await tx.change(login.resource, user, { [status]: provenStatus(login, parts) })
    // Where an operator still has to approve, the status stays the same, and the proof is done
    // anyway.
    await tx.removeWhere(oneTimeToken.resource, equal(oneTimeToken.mark.owner, idOf(user)))
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
        return records.transaction(authorOf(asking), async (tx) => {
          const spent = await tokens.spend(tx, token, ['reset'])
          if (!spent || !activeUser(login, spent.user)) return undefined
          noteWay(tx, 'reset')
          const covers = { resource: login.resource, row: spent.user }
          await recordAudit(tx, { event: 'password-reset', userId: idOf(spent.user), covers })
          await firstProof.settle(tx, { user: spent.user, languages: asking.languages })
          await tx.change(login.resource, spent.user, { [login.mark.secret]: hash })
          return spent.user[login.mark.login] as string
        })
      })
      await sessions.forgive(name)
    },

    async verify(token, asking) {
      const use = () => records.transaction(authorOf(asking), (tx) => prove(tx, token))
      await using(asking.address, badToken, use)
    },
  }
}
