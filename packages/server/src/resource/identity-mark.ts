/** The marks of users, their sessions and refresh tokens, and API keys: which field of the resource is what. */
import { isTable, type Kind, type Members, objectOf, oneOf, shown, word } from './members.ts'

/** Names the fields of the resource whose records log in. */
export type LoginMark<K extends string = string> = {
  readonly kind: 'login'
  readonly login: K
  readonly secret: K
  readonly role: K
} & (
  | { readonly status: K; readonly activeStatus: string }
  /** Without a status every user may act. */
  | { readonly status?: undefined; readonly activeStatus?: undefined }
)
export type ApiKeyMark<K extends string = string> = {
  readonly kind: 'api-key'
  readonly owner: K
  readonly token: K
  readonly scopes: K
  readonly active: K
  readonly expiresAt: K
  readonly lastUsedAt: K
}
export type SessionMark<K extends string = string> = {
  readonly kind: 'session'
  readonly owner: K
  readonly expiresAt: K
  readonly lastUsedAt: K
  readonly userAgent: K
  readonly address: K
}
export type RefreshTokenMark<K extends string = string> = {
  readonly kind: 'refresh-token'
  readonly session: K
  readonly hash: K
  readonly usedAt: K
}
export type IdentityMark<K extends string = string> =
  | LoginMark<K>
  | ApiKeyMark<K>
  | SessionMark<K>
  | RefreshTokenMark<K>

type Mark<K extends IdentityMark['kind']> = Members<Extract<IdentityMark, { readonly kind: K }>>
const login: Mark<'login'> = { kind: word, login: word, secret: word, role: word, status: word, activeStatus: word }
const apiKey: Mark<'api-key'> = {
  kind: word,
  owner: word,
  token: word,
  scopes: word,
  active: word,
  expiresAt: word,
  lastUsedAt: word,
}
const session: Mark<'session'> = {
  kind: word,
  owner: word,
  expiresAt: word,
  lastUsedAt: word,
  userAgent: word,
  address: word,
}
const refreshToken: Mark<'refresh-token'> = { kind: word, session: word, hash: word, usedAt: word }

const marks = { login, 'api-key': apiKey, session, 'refresh-token': refreshToken } as const
const kinds = oneOf(Object.keys(marks))
const optional: readonly string[] = ['status', 'activeStatus'] satisfies readonly (keyof LoginMark)[]

export const identityKind: Kind = (value, path, report) => {
  if (!isTable(value)) return report({ path, problem: `must be an object, and is ${shown(value)}` })
  if (!Object.hasOwn(marks, String(value.kind))) return kinds(value.kind, `${path}.kind`, report)
  const members = marks[value.kind as keyof typeof marks]
  const needed = Object.keys(members).filter((name) => !optional.includes(name))
  objectOf(members, { needed })(value, path, report)
}
