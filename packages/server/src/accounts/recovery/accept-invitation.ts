/**
 * Accepts invitations: the token of the mail proves the address. An account is made where the
 * address has none, and its owner chooses the password. A feature keeps the invitations, and does
 * the rest of an acceptance.
 */
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import type { OneTimeTokenMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import { fieldError } from '../../resource/fields/field.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { noteWay } from '../code/noted-way.ts'
import { activeUser, type IdentityTables } from '../identity-tables.ts'
import type { Passwords } from '../passwords/password.ts'
import { hashToken } from '../tokens/token.ts'
import type { FirstProof } from './first-proof.ts'
import { isUnproven, type OneTimeTokens } from './one-time-tokens.ts'
import { authorOf, badToken, type RecoveryClient, type UseToken } from './use-token.ts'

/** The mail of an invitation. `about`: the name of the thing that it invites to. */
export type InvitationMail = { readonly recipient: string; readonly about: string }

/** Keeps invitations that wait for an address. */
export type InvitationKeeper = {
  /**
   * Ties an invitation to the hash of a new token. Undefined for one that does not wait any more.
   * `name`: as its mail was queued with it.
   */
  renew(tx: RecordTransaction, name: string, hash: string): Promise<InvitationMail | undefined>
  /** The address of the waiting invitation with this hash. */
  findAddress(reads: Pick<ReadStorage, 'find'>, hash: string): Promise<string | undefined>
  /** Makes the user a member; false where the invitation does not wait any more. */
  accept(tx: RecordTransaction, hash: string, userId: Scalar): Promise<boolean>
}

/** Checks a new password of a user: throws `bad-request` for one that is too easy to guess. */
export type CheckPassword = (password: string, user: Readonly<Record<string, unknown>>) => void

export type Acceptance = {
  readonly token: string
  /** Needed where the acceptance makes the account, or is the first proof of its address. */
  readonly password: string | undefined
  readonly check: CheckPassword
}
/** Throws `unauthenticated` for a token that is none, `bad-request` and `too-many-requests`. */
export type AcceptInvitation = (acceptance: Acceptance, asking: RecoveryClient) => Promise<void>

export type AcceptDeps = {
  readonly storage: ReadStorage
  readonly records: RecordStore
  readonly passwords: Passwords
  readonly login: IdentityTables['login']
  readonly oneTimeToken: MarkedTable<OneTimeTokenMark>
  readonly tokens: OneTimeTokens
  readonly firstProof: FirstProof
  readonly using: UseToken
  readonly invitations: InvitationKeeper
}

const passwordNeeded = () => fieldError('password', 'is required')

/** The account of the address, active and proven; undefined for one that may not act. */
function makeEnter({ login: { resource, mark }, oneTimeToken, tokens, firstProof }: AcceptDeps) {
  const status = mark.status === undefined ? {} : { [mark.status]: mark.activeStatus }

  async function makeUser(tx: RecordTransaction, address: string, secret: string | undefined): Promise<Row> {
    if (secret === undefined) throw passwordNeeded()
    // The inviter answers for the account, so it is active whatever SIGN_UP says.
    return tx.insert(await tx.prepare(resource, { [mark.login]: address, [mark.secret]: secret, ...status }))
  }

  return async (tx: RecordTransaction, address: string, secret: string | undefined): Promise<Row | undefined> => {
    noteWay(tx, 'invitation')
    const user = (await tx.lock(resource, equal(mark.login, address)))?.row
    if (!user) return makeUser(tx, address, secret)
    const id = user[resource.idField] as Scalar
    const isAwaited = await tokens.isAwaited(tx, id)
    const isFirst = await firstProof.settle(tx, { user, languages: undefined })
    // A password from before the first proof may be a stranger's.
    if (isFirst && secret === undefined) throw passwordNeeded()
    const changes = { ...(isFirst && { [mark.secret]: secret }), ...(isAwaited && status) }
    if (isAwaited) await tx.removeWhere(oneTimeToken.resource, equal(oneTimeToken.mark.owner, id))
    const proven = Object.keys(changes).length === 0 ? user : await tx.change(resource, user, changes)
    return activeUser({ resource, mark }, proven) && proven
  }
}

export function makeAccept(deps: AcceptDeps): AcceptInvitation {
  const { storage, records, passwords, login, oneTimeToken, using, invitations } = deps
  const enter = makeEnter(deps)

  /** The hash of the password, where the acceptance needs one. */
  async function secretFor(address: string, { password, check }: Acceptance): Promise<string | undefined> {
    const user = (await storage.find(login.resource, equal(login.mark.login, address)))?.row
    const unproven = user && isUnproven(oneTimeToken, user[login.resource.idField] as Scalar)
    if (unproven && (await storage.count(oneTimeToken.resource, unproven)) === 0) return undefined
    if (!password) throw passwordNeeded()
    check(password, user ?? { [login.mark.login]: address })
    return passwords.hash(password)
  }

  return async (acceptance, asking) => {
    const hash = hashToken(acceptance.token)
    await using(asking.address, badToken, async () => {
      const address = await invitations.findAddress(storage, hash)
      if (address === undefined) return undefined
      const secret = await secretFor(address, acceptance)
      return records.transaction(authorOf(asking), async (tx) => {
        const user = await enter(tx, address, secret)
        const isAccepted = user && (await invitations.accept(tx, hash, user[login.resource.idField] as Scalar))
        // Withdrawn meanwhile: the account is not made either.
        if (!isAccepted) throw badToken()
        return true
      })
    })
  }
}
