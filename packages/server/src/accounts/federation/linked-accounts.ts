/**
 * Finds, makes or links the account of a person who logs in by an OpenID provider, and takes over
 * the role in the provider's claims. Issuer and subject identify the person. A verified e-mail
 * address is looked up only while the person has no linked account. An existing account with it is
 * linked only after its owner consents.
 */
import { ApiError } from '../../errors.ts'
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import type { LinkedAccountMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { noPassword } from '../../resource/fields/secret.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import type { Author } from '../../storage/changes.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { noteWay } from '../code/noted-way.ts'
import { type ActiveUser, activeUser, type IdentityTables } from '../identity-tables.ts'
import { noteUnproven } from '../recovery/one-time-tokens.ts'
import { checkCredentialStillValid } from '../sessions/credential-still-valid.ts'
import { type LogInClient, sessionAuthor } from '../sessions/start-session.ts'

/** A person as an issuer identifies them. */
export type IssuerSubject = { readonly issuer: string; readonly subject: string }
export type ForeignLogIn = IssuerSubject & {
  /** Its name in the configuration. */
  readonly provider: string
  readonly email: string | undefined
  readonly isVerified: boolean
  /** Whether the issuer has seen a proof of the address. */
  readonly isProven: boolean
  /** The new role of the account; undefined leaves it. */
  readonly role: string | undefined
  readonly client: LogInClient
  /** Counts a sign-up. Throws `too-many-requests`. */
  readonly takeSignUp: () => Promise<void>
}

/** The account, or the one with the same address that has not consented yet. */
export type AccountMatch = { readonly user: ActiveUser } | { readonly toLink: string }

export type LinkedAccounts = {
  /**
   * Throws `forbidden` for a person who has no account and may have none, or whose account may not
   * act.
   */
  find(arrival: ForeignLogIn): Promise<AccountMatch>
  /**
   * Ties the person to the account, and returns the record of it. Throws `conflict` when the person
   * has another account here.
   */
  link(person: IssuerSubject, owner: { readonly principal: UserPrincipal; readonly author: Author }): Promise<Row>
}

export type LinkedAccountsDeps = {
  readonly storage: ReadStorage
  readonly records: RecordStore
  readonly marks: IdentityTables
  readonly settings: ServiceSettings
  readonly linked: MarkedTable<LinkedAccountMark>
  /** Whether a new person may make an account. */
  readonly maySignUp: boolean
  /** Receives messages for the operator. */
  readonly report: (message: string) => void
}

/** Throws `bad-request` for what is no address here. */
function addressOf(login: IdentityTables['login'], { email, isVerified }: ForeignLogIn): string {
  if (email === undefined)
    throw new ApiError('forbidden', 'The provider told no e-mail address, which an account needs')
  if (!isVerified) throw new ApiError('forbidden', 'The e-mail address is not verified by the provider')
  const field = login.resource.fields[login.mark.login] as Field
  return field.type.check(email, login.mark.login, field) as string
}

type RoleUpdate = Pick<LinkedAccountsDeps, 'report'> & Pick<IdentityTables, 'login'> & Pick<ForeignLogIn, 'role'>

/**
 * With the role that the issuer's claims give, but for the last user who operates the service, who
 * keeps theirs.
 */
async function withRole(tx: RecordTransaction, row: Row, { role, login, report }: RoleUpdate): Promise<Row> {
  if (role === undefined || row[login.mark.role] === role) return row
  try {
    return await tx.change(login.resource, row, { [login.mark.role]: role })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
    const held = row[login.mark.role]
    report(`A log-in would have made the last active ${held} ${row[login.resource.idField]} ${role}: the role is kept`)
    return row
  }
}

export function makeLinkedAccounts(parts: LinkedAccountsDeps): LinkedAccounts {
  const { storage, records, marks, settings, linked, maySignUp, report } = parts
  const { login, oneTimeToken } = marks
  const who = ({ issuer, subject }: IssuerSubject) =>
    all(equal(linked.mark.issuer, issuer), equal(linked.mark.subject, subject))
  const isUser = (id: unknown) => equal(login.resource.idField, id as Scalar)

  /**
   * The record of the person. Issuers distinguish subjects by every letter (OpenID Connect Core,
   * section 2), but unique texts here ignore case. So of two subjects that differ by case alone,
   * the second one is refused. Throws `forbidden`.
   */
  async function findLink(reads: Pick<ReadStorage, 'find'>, person: IssuerSubject): Promise<Row | undefined> {
    const row = (await reads.find(linked.resource, who(person)))?.row
    if (!row || (row[linked.mark.subject] === person.subject && row[linked.mark.issuer] === person.issuer)) return row
    throw new ApiError('forbidden', 'This log-in differs from that of another account by the case of letters alone')
  }

  async function tie(tx: RecordTransaction, { issuer, subject }: IssuerSubject, userId: string): Promise<Row> {
    const { owner, issuer: issuerField, subject: subjectField } = linked.mark
    const values = { [owner]: userId, [issuerField]: issuer, [subjectField]: subject }
    return tx.insert(await tx.prepare(linked.resource, values))
  }

  /** Undefined for a new person. */
  async function enter(arrival: ForeignLogIn): Promise<ActiveUser | undefined> {
    if (!(await findLink(storage, arrival))) return undefined
    return records.transaction(sessionAuthor(arrival.client), async (tx) => {
      const link = await findLink(tx, arrival)
      const row = link && (await tx.lock(login.resource, isUser(link[linked.mark.owner])))?.row
      if (!row) return undefined // it has just gone
      if (!activeUser(login, row)) throw new ApiError('forbidden', 'The account is not active')
      return activeUser(login, await withRole(tx, row, { role: arrival.role, login, report }))
    })
  }

  async function signUp(arrival: ForeignLogIn, email: string): Promise<ActiveUser> {
    await arrival.takeSignUp()
    const { login: name, secret, role, status, activeStatus } = login.mark
    const user = await records.transaction(sessionAuthor(arrival.client), async (tx) => {
      noteWay(tx, 'oidc', arrival.provider)
      const values = {
        [name]: email,
        [secret]: noPassword,
        ...(arrival.role && { [role]: arrival.role }),
        // The address is proven, so the account waits for approval at most.
        ...(status !== undefined && settings.signUp !== 'approval' && { [status]: activeStatus }),
      }
      const row = await tx.insert(await tx.prepare(login.resource, values))
      const id = row[login.resource.idField] as string
      await tie(tx, arrival, id)
      if (oneTimeToken && !arrival.isProven) await noteUnproven(tx, oneTimeToken, id)
      return activeUser(login, row)
    })
    if (!user) throw new ApiError('forbidden', 'The account was made, and has to be activated by an administrator')
    return user
  }

  return {
    async find(arrival) {
      const user = await enter(arrival)
      if (user) return { user }
      const email = addressOf(login, arrival)
      const owner = (await storage.find(login.resource, equal(login.mark.login, email)))?.row
      if (owner) return { toLink: owner[login.resource.idField] as string }
      if (!maySignUp)
        throw new ApiError('forbidden', 'There is no account with this e-mail address, and sign-up is closed')
      try {
        return { user: await signUp(arrival, email) }
      } catch (error) {
        // Two log-ins of one person at once make one account.
        const other = error instanceof ApiError && error.code === 'conflict' ? await enter(arrival) : undefined
        if (other) return { user: other }
        throw error
      }
    },

    link(person, { principal, author }) {
      const { userId } = principal
      return records.transaction(author, async (tx) => {
        await checkCredentialStillValid(tx, marks, principal)
        const found = await findLink(tx, person)
        if (!found) return tie(tx, person, userId)
        if (found[linked.mark.owner] === userId) return found
        throw new ApiError('conflict', 'This log-in belongs to another account already')
      })
    },
  }
}
