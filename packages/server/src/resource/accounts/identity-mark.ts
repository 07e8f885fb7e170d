/**
 * The marks of users, sessions, tokens, second factors, API keys, waiting mails and the audit. A
 * mark says which field of a resource has which meaning. An application marks its users; the others
 * are the engine's own tables.
 */
import {
  checkMembers,
  flag,
  isTable,
  kindOf,
  type MemberKind,
  type Members,
  oneOf,
  printValue,
  textKind,
} from '../members.ts'
import type { AccountCode } from './kept-account-code.ts'

/** Names the fields of the resource whose records log in. */
export type LoginMark<K extends string = string> = {
  /** The resource whose records log in. */
  readonly kind: 'login'
  /** The text that people log in with, such as an e-mail address; `unique` and `required`. */
  readonly login: K
  /** Their `password()`. */
  readonly secret: K
  /** Their `roleField()`. */
  readonly role: K
  /** The role that operates the service, where it is not the last one. `accounts` sets it. */
  readonly operator?: string | undefined
  /** Operators may erase records by the API. `accounts` sets it. */
  readonly erasure?: boolean | undefined
  /** The application's code about accounts. `accounts` sets it. */
  readonly code?: AccountCode | undefined
} & (
  | {
      /** A choice or a state; without it every user may act. */
      readonly status: K
      /** The value of it with which a user may act. */
      readonly activeStatus: string
    }
  /** Without a status every user may act. */
  | { readonly status?: undefined; readonly activeStatus?: undefined }
)
/** Whether a user with these values may act: the status is the active one, or there is none. */
export function mayAct({ status, activeStatus }: LoginMark, values: Readonly<Record<string, unknown>>): boolean {
  return status === undefined || values[status] === activeStatus
}

export type ApiKeyMark<K extends string = string> = {
  /** The resource of API keys. */
  readonly kind: 'api-key'
  /** The reference to the user as whom it acts. */
  readonly owner: K
  /** Its `token()`. */
  readonly token: K
  /** The `textList` that cuts it down; null for all that the owner may. */
  readonly scopes: K
  /** The `boolean` that switches it off. */
  readonly active: K
  /** The time at which it ends; null for never. */
  readonly expiresAt: K
  /** The time that the engine notes, exact to a minute. */
  readonly lastUsedAt: K
  /** The text that shows how the key begins. */
  readonly prefix?: K
  /** The address that it was last used from. */
  readonly lastUsedFrom?: K
  /** The `textList` of addresses and networks that it is bound to; null for all. */
  readonly addresses?: K
  /** The time at which another key took its place; `rotateKey` needs it. */
  readonly rotatedAt?: K
}
export type SessionMark<K extends string = string> = {
  /** The resource of log-ins. */
  readonly kind: 'session'
  /** The reference to the user. */
  readonly owner: K
  /** The time at which it ends. */
  readonly expiresAt: K
  /** The time that the engine notes at each refresh. */
  readonly lastUsedAt: K
  /** The client's `User-Agent`. */
  readonly userAgent: K
  /** The address that it came from. */
  readonly address: K
  /** Where that address is, as a trusted proxy says. */
  readonly place?: K
  /**
   * The time at which a second factor was shown in it; null where none was. Without it no session
   * is known to have shown one.
   */
  readonly factorAt?: K
}
export type RefreshTokenMark<K extends string = string> = {
  /** The resource of refresh tokens. */
  readonly kind: 'refresh-token'
  /** The reference to the session. */
  readonly session: K
  /** Its `hash()`. */
  readonly hash: K
  /** The time at which it was exchanged; null until then. */
  readonly usedAt: K
}
export type LinkedAccountMark<K extends string = string> = {
  /** The resource of log-ins by other issuers. */
  readonly kind: 'linked-account'
  /** The reference to the user. */
  readonly owner: K
  /** The address of the issuer; together with the subject it is `unique`. */
  readonly issuer: K
  /** The issuer's permanent name for the person. */
  readonly subject: K
}
export type OneTimeTokenMark<K extends string = string> = {
  /** The resource of tokens that are sent by mail and used once. It comes with `outgoing-mail`. */
  readonly kind: 'one-time-token'
  /** The reference to the user. */
  readonly owner: K
  /** The text that names its purpose. */
  readonly purpose: K
  /** Its `hash()`. */
  readonly hash: K
  /** The text with the new address that it proves; null in others. */
  readonly address: K
  /** The time at which it ends. */
  readonly expiresAt: K
}
export type OutgoingMailMark<K extends string = string> = {
  /** The resource of mails that are still to be sent. */
  readonly kind: 'outgoing-mail'
  /** The reference to the user; null where only an address was given. */
  readonly owner: K
  /** The text that says which mail it is. */
  readonly letter: K
  /** The text with the address that it goes to. */
  readonly recipient: K
  /** The text with what the mail is about, such as another address; null for nothing. */
  readonly detail: K
  /** The text with the languages that its reader asked for; null for none. */
  readonly languages: K
  /** The `integer` that counts how often it was tried. */
  readonly tries: K
  /** The time at which it is tried next. */
  readonly dueAt: K
}
export type FactorMark<K extends string = string> = {
  /** The resource of second factors. It comes with a `recovery-code`. */
  readonly kind: 'factor'
  /** The reference to the user. */
  readonly owner: K
  /** A `choice` of `totp` and `passkey`. */
  readonly type: K
  /** The name that the owner gives it. */
  readonly name: K
  /** Its `sealed()`: the key that codes are checked with. */
  readonly key: K
  /** Its `hash()`: the passkey is found by it. */
  readonly credential: K
  /** The time that the engine notes at each use. */
  readonly lastUsedAt: K
}
export type RecoveryCodeMark<K extends string = string> = {
  /** The resource of the codes that replace a lost factor. */
  readonly kind: 'recovery-code'
  /** The reference to the user. */
  readonly owner: K
  /** Its `hash()`. */
  readonly hash: K
}
/**
 * The kind of a factor: a code of an authenticator app (RFC 6238), or a key pair of a device
 * (WebAuthn).
 */
export const factorTypes = ['totp', 'passkey'] as const
export type FactorType = (typeof factorTypes)[number]

export type AuditMark<K extends string = string> = {
  /**
   * The resource of what happened to accounts. The engine writes its records; no caller changes or
   * deletes one.
   */
  readonly kind: 'audit'
  /** The time: `timestamp({ setOn: 'create' })`. */
  readonly at: K
  /** The event: a `choice(auditEventNames)`. */
  readonly event: K
  /** The user whom it happened to, a reference with `onDelete: 'keep'`; null where unknown. */
  readonly user: K
  /** The user who did it, such a reference too; null for the service, the console and strangers. */
  readonly actor: K
  /** By which credential: `session:ID`, `key:ID`, `console` or `service`; null for none. */
  readonly credential: K
  /** The address that the request came from. */
  readonly address: K
  /** The client's `User-Agent`. */
  readonly userAgent: K
  /** A `textList` of further facts, such as `from=USER`. */
  readonly details: K
}
export type IdentityMark<K extends string = string> =
  | LoginMark<K>
  | ApiKeyMark<K>
  | SessionMark<K>
  | RefreshTokenMark<K>
  | LinkedAccountMark<K>
  | OneTimeTokenMark<K>
  | OutgoingMailMark<K>
  | FactorMark<K>
  | RecoveryCodeMark<K>
  | AuditMark<K>

const members = {
  kind: textKind,
  login: textKind,
  secret: textKind,
  role: textKind,
  operator: textKind,
  erasure: flag,
  code: kindOf('set by accounts alone', isTable),
  status: textKind,
  activeStatus: textKind,
} satisfies Members<LoginMark>
const needed = ['login', 'secret', 'role'] as const satisfies readonly (keyof LoginMark)[]

/** The word that declares a table of the engine: `accounts` itself, or this member of it. */
const declaredBy: Readonly<Record<Exclude<IdentityMark['kind'], 'login'>, string>> = {
  session: 'sessions',
  'refresh-token': 'sessions',
  'api-key': 'keys',
  'linked-account': 'linkedAccounts',
  'one-time-token': 'recovery',
  'outgoing-mail': 'recovery',
  factor: 'factors',
  'recovery-code': 'factors',
  audit: 'audit',
}

export const identityKind: MemberKind = (value, path, report) => {
  if (!isTable(value)) return report({ path, problem: `must be an object, and is ${printValue(value)}` })
  const { kind } = value
  if (kind === 'login') return checkMembers(value, members, { path, report, needed })
  const member = Object.hasOwn(declaredBy, String(kind)) && declaredBy[kind as keyof typeof declaredBy]
  if (!member) return oneOf(['login'])(kind, `${path}.kind`, report)
  const problem = `the engine declares this resource itself: delete it, and write accounts({ …, ${member}: … })`
  report({ path, problem: `${problem}, which keeps its records` })
}
