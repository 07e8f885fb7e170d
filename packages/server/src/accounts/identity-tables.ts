/** The resources that identity uses, if any, and which of their records are users who may act. */
import { StartError } from '../errors.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import {
  type ApiKeyMark,
  type AuditMark,
  type FactorMark,
  type LinkedAccountMark,
  type LoginMark,
  mayAct,
  type OneTimeTokenMark,
  type OutgoingMailMark,
  type RecoveryCodeMark,
  type RefreshTokenMark,
  type SessionMark,
} from '../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { ReadStorage, Row } from '../storage/storage.ts'
import { findIdentityProblems } from './check-identity-tables.ts'

/** Second factors, and the recovery codes for users who have lost them. */
export type FactorTables = {
  readonly factor: MarkedTable<FactorMark>
  readonly recoveryCode: MarkedTable<RecoveryCodeMark>
}

export type IdentityTables = {
  readonly login: MarkedTable<LoginMark>
  readonly session: MarkedTable<SessionMark>
  readonly refreshToken: MarkedTable<RefreshTokenMark>
  /** Absent in an application without keys. */
  readonly apiKey: MarkedTable<ApiKeyMark> | undefined
  /** Absent where no log-ins by other issuers are declared. */
  readonly linkedAccount: MarkedTable<LinkedAccountMark> | undefined
  /** Absent in an application without mails. */
  readonly outgoingMail: MarkedTable<OutgoingMailMark> | undefined
  /** Absent where accounts are not recovered by mail; never there without mails. */
  readonly oneTimeToken: MarkedTable<OneTimeTokenMark> | undefined
  /** Absent in an application without second factors. */
  readonly factors: FactorTables | undefined
  /** Absent in an application without an audit. */
  readonly audit?: MarkedTable<AuditMark> | undefined
}

/**
 * Undefined in an application without users. Throws a `StartError` that names each mistake with its
 * file and field.
 */
export function identityTablesOf(catalog: Catalog): IdentityTables | undefined {
  const mistakes = findIdentityProblems(catalog)
  if (mistakes.length > 0)
    throw new StartError(`The declarations have mistakes:\n${mistakes.map((m) => `  ${m}`).join('\n')}`)
  const { login, session, refreshToken, ...others } = catalog
  if (!login || !session || !refreshToken) return undefined
  const { apiKey, oneTimeToken, outgoingMail, factor, recoveryCode, audit, linkedAccount } = others
  const factors = factor && recoveryCode && { factor, recoveryCode }
  return { login, session, refreshToken, apiKey, oneTimeToken, outgoingMail, factors, audit, linkedAccount }
}

/** A user who may act. */
export type ActiveUser = { readonly userId: string; readonly role: string; readonly login: string }

/** The user of a record; undefined when the user may not act. */
export function activeUser({ mark, resource }: MarkedTable<LoginMark>, row: Row | undefined): ActiveUser | undefined {
  if (!row || !mayAct(mark, row)) return undefined
  return { userId: row[resource.idField] as string, role: row[mark.role] as string, login: row[mark.login] as string }
}

/** A user who may act, with the record as it is stored. */
export type ActingUser = { readonly user: ActiveUser; readonly row: Row }

function actingOf(login: MarkedTable<LoginMark>, row: Row | undefined): ActingUser | undefined {
  const user = activeUser(login, row)
  return row && user && { user, row }
}

/** The user with this id; undefined for one who is not there, or may not act. */
export async function findActing(
  reads: Pick<ReadStorage, 'find'>,
  login: MarkedTable<LoginMark>,
  id: Scalar,
): Promise<ActingUser | undefined> {
  return actingOf(login, (await reads.find(login.resource, equal(login.resource.idField, id)))?.row)
}

/** The same, with the record locked until the transaction ends. */
export async function lockActing(
  writing: Pick<RecordTransaction, 'lock'>,
  login: MarkedTable<LoginMark>,
  id: Scalar,
): Promise<ActingUser | undefined> {
  return actingOf(login, (await writing.lock(login.resource, equal(login.resource.idField, id)))?.row)
}

/**
 * When a session ends, in milliseconds since 1970: at its end, or after it was unused for too long.
 * NaN where there is none.
 */
export function expiryOf(
  { session }: Pick<IdentityTables, 'session'>,
  row: Row | undefined,
  idleMs: number | undefined,
): number {
  const { expiresAt, lastUsedAt } = session.mark
  const endMs = Date.parse((row?.[expiresAt] as string) ?? '')
  return idleMs === undefined ? endMs : Math.min(endMs, Date.parse((row?.[lastUsedAt] as string) ?? '') + idleMs)
}
