/**
 * The way by which an account or a password comes, for the application's code. The code of accounts
 * that knows it notes it in its transaction; the author of a write tells all others.
 */
import { isTrusted } from '../../record/author.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { PasswordWay, SignUpWay } from '../../resource/accounts/account-code.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { consoleCredential, serviceAuthor } from '../../storage/changes.ts'

type NotedWay = 'oidc' | 'invitation' | 'first-start' | 'reset' | 'link' | 'console-code'
type Note = { way?: NotedWay; provider?: string | undefined }
const noted = Symbol('the way to an account')
const noteIn = (tx: RecordTransaction): Note => tx.remembered(noted, () => ({}))

/** For the account that this transaction is about. */
export function noteWay(tx: RecordTransaction, way: NotedWay, provider?: string): void {
  Object.assign(noteIn(tx), { way, provider })
}

export type AccountWay<W> = { readonly way: W; readonly provider: string | null }

const signUps: ReadonlySet<string> = new Set(['oidc', 'invitation', 'first-start'] satisfies (NotedWay & SignUpWay)[])

/** Whether code of the application writes: what was noted is about another account. */
function isByApplication({ author, depth }: RecordTransaction): boolean {
  return depth > 0 || author.cause !== undefined
}

function isOperator({ author }: RecordTransaction, { roles }: Pick<Catalog, 'roles'>): boolean {
  return author.credential === consoleCredential || (author.role !== null && roles.reaches(author.role, roles.operator))
}

export function signUpWayOf(tx: RecordTransaction): AccountWay<SignUpWay> {
  const { way, provider = null } = noteIn(tx)
  if (isByApplication(tx)) return { way: 'application', provider: null }
  if (way !== undefined && signUps.has(way)) return { way: way as NotedWay & SignUpWay, provider }
  if (tx.author.credential === serviceAuthor.credential) return { way: 'application', provider: null }
  return { way: isOperator(tx, tx.catalog) ? 'operator' : 'password', provider: null }
}

export function passwordWayOf(tx: RecordTransaction, userId: unknown): AccountWay<PasswordWay> {
  const { way } = noteIn(tx)
  if (isByApplication(tx)) return { way: 'application', provider: null }
  if (way !== undefined && way !== 'oidc' && way !== 'first-start') return { way, provider: null }
  if (tx.author.userId === userId) return { way: 'own', provider: null }
  const isByService = isTrusted(tx.author) && tx.author.credential !== consoleCredential
  return { way: isByService ? 'application' : 'operator', provider: null }
}
