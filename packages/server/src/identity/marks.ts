/** The resources that identity works on, if any, and which of their records are users who may act. */
import { StartError } from '../errors.ts'
import type { Catalog, Marked } from '../resource/catalog.ts'
import {
  type ApiKeyMark,
  type AuditMark,
  type LoginMark,
  mayAct,
  type OneTimeTokenMark,
  type OutgoingMailMark,
  type RefreshTokenMark,
  type SessionMark,
} from '../resource/identity-mark.ts'
import type { Role } from '../resource/rule.ts'
import type { Row } from '../storage/storage.ts'
import { findIdentityMistakes } from './check-marks.ts'

export type Marks = {
  readonly login: Marked<LoginMark>
  readonly session: Marked<SessionMark>
  readonly refreshToken: Marked<RefreshTokenMark>
  /** Absent in an application without keys. */
  readonly apiKey: Marked<ApiKeyMark> | undefined
  /** Absent in an application without mails. */
  readonly outgoingMail: Marked<OutgoingMailMark> | undefined
  /** Absent where accounts are not recovered by mail; never there without mails. */
  readonly oneTimeToken: Marked<OneTimeTokenMark> | undefined
  /** Absent in an application without an audit. */
  readonly audit?: Marked<AuditMark> | undefined
}

/** Undefined in an application without users. Throws a `StartError` that names each mistake with its file and field. */
export function marksOf(catalog: Catalog): Marks | undefined {
  const mistakes = findIdentityMistakes(catalog)
  if (mistakes.length > 0)
    throw new StartError(`The declarations have mistakes:\n${mistakes.map((m) => `  ${m}`).join('\n')}`)
  const { login, session, refreshToken, ...others } = catalog
  const { apiKey, oneTimeToken, outgoingMail, audit } = others
  return login && session && refreshToken && { login, session, refreshToken, apiKey, oneTimeToken, outgoingMail, audit }
}

/** A user who may act. */
export type ActiveUser = { readonly userId: string; readonly role: Role; readonly login: string }

/** The user of a record; undefined when the user may not act. */
export function activeUser({ mark, resource }: Marked<LoginMark>, row: Row | undefined): ActiveUser | undefined {
  if (!row || !mayAct(mark, row)) return undefined
  return { userId: row[resource.idField] as string, role: row[mark.role] as Role, login: row[mark.login] as string }
}
