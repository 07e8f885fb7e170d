/** The tables of accounts in a catalog: each is found by its mark, whatever its name is. */
import type { Resource } from '../resolved-resource.ts'
import type {
  ApiKeyMark,
  AuditMark,
  FactorMark,
  IdentityMark,
  LinkedAccountMark,
  LoginMark,
  OneTimeTokenMark,
  OutgoingMailMark,
  RecoveryCodeMark,
  RefreshTokenMark,
  SessionMark,
} from './identity-mark.ts'

export type MarkedTable<M> = { readonly resource: Resource; readonly mark: M }

export type MarkedTables = {
  /** The resource whose records are the callers: a user's own record is there. */
  readonly self: Resource | undefined
  /** Operators may erase records by the API. */
  readonly hasErasures: boolean
  readonly login: MarkedTable<LoginMark> | undefined
  readonly apiKey: MarkedTable<ApiKeyMark> | undefined
  readonly session: MarkedTable<SessionMark> | undefined
  readonly refreshToken: MarkedTable<RefreshTokenMark> | undefined
  readonly linkedAccount: MarkedTable<LinkedAccountMark> | undefined
  readonly oneTimeToken: MarkedTable<OneTimeTokenMark> | undefined
  readonly outgoingMail: MarkedTable<OutgoingMailMark> | undefined
  readonly factor: MarkedTable<FactorMark> | undefined
  readonly recoveryCode: MarkedTable<RecoveryCodeMark> | undefined
  readonly audit: MarkedTable<AuditMark> | undefined
}

export function findMarkedTables(resources: ReadonlyMap<string, Resource>): MarkedTables {
  function marked<M extends IdentityMark>(kind: M['kind']): MarkedTable<M> | undefined {
    const resource = [...resources.values()].find((one) => one.identity?.kind === kind)
    return resource && { resource, mark: resource.identity as M }
  }
  const login = marked<LoginMark>('login')
  return {
    self: login?.resource,
    hasErasures: login?.mark.erasure === true,
    login,
    apiKey: marked<ApiKeyMark>('api-key'),
    session: marked<SessionMark>('session'),
    refreshToken: marked<RefreshTokenMark>('refresh-token'),
    linkedAccount: marked<LinkedAccountMark>('linked-account'),
    oneTimeToken: marked<OneTimeTokenMark>('one-time-token'),
    outgoingMail: marked<OutgoingMailMark>('outgoing-mail'),
    factor: marked<FactorMark>('factor'),
    recoveryCode: marked<RecoveryCodeMark>('recovery-code'),
    audit: marked<AuditMark>('audit'),
  }
}
