/**
 * Makes the declarations of the account tables from the options of an application: which tables
 * exist, and the changes to each.
 */
import type { DeclaredResource } from '../resource/define.ts'
import type { MemberProblem } from '../resource/members.ts'
import { auditTable } from './audit/audit-table.ts'
import {
  type ExtendedName,
  type ExtendedTable,
  extendTable,
  extensionMistakes,
  type TableOption,
} from './extend-table.ts'
import { factorTable, recoveryCodeTable } from './factors/factor-table.ts'
import { linkedAccountTable } from './federation/linked-account-table.ts'
import { keyTable } from './keys/key-table.ts'
import { oneTimeTokenTable, outgoingMailTable } from './recovery/mail-tables.ts'
import { sessionTable } from './sessions/session-table.ts'
import { refreshTokenTable } from './tokens/refresh-token-table.ts'

export type SessionTable<N extends string> = ReturnType<typeof sessionTable<N>>
export type KeyTable<N extends string> = ReturnType<typeof keyTable<N>>
export type FactorTable<N extends string> = ReturnType<typeof factorTable<N>>
export type LinkedAccountTable<N extends string> = ReturnType<typeof linkedAccountTable<N>>
export type AuditTable<N extends string> = ReturnType<typeof auditTable<N>>

/**
 * The letters stand for the options of each table: `S` of sessions, `K` of keys, `F` of factors.
 * `I` is of linked accounts, `R` of recovery, `A` of the audit.
 */
type IfWanted<X, T> = X extends false ? undefined : T

/**
 * The tables by their names; undefined where one is not wanted. `N`: the name of the resource of
 * users.
 */
export type Tables<N extends string, S, K, F, I, R, A> = {
  readonly apiKeys: IfWanted<K, ExtendedTable<KeyTable<N>, K>>
  readonly sessions: ExtendedTable<SessionTable<N>, S>
  readonly refreshTokens: ReturnType<typeof refreshTokenTable<ExtendedName<S, 'session'>>>
  readonly oneTimeTokens: IfWanted<R, ReturnType<typeof oneTimeTokenTable<N>>>
  readonly outgoingMails: IfWanted<R, ReturnType<typeof outgoingMailTable<N>>>
  readonly factors: IfWanted<F, ExtendedTable<FactorTable<N>, F>>
  readonly recoveryCodes: IfWanted<F, ReturnType<typeof recoveryCodeTable<N>>>
  readonly auditEvents: IfWanted<A, ExtendedTable<AuditTable<N>, A>>
  readonly linkedAccounts: IfWanted<I, ExtendedTable<LinkedAccountTable<N>, I>>
}

/** The options for tables in `accounts`, of a right form. */
export type TableOptions = {
  readonly sessions?: Exclude<TableOption, boolean>
  readonly keys?: boolean | (Exclude<TableOption, boolean> & { readonly prefix?: string })
  readonly factors?: TableOption
  readonly linkedAccounts?: TableOption
  readonly recovery?: boolean
  readonly audit?: TableOption
  /** Events of the audit besides those of every application. */
  readonly auditEvents?: readonly string[]
}

type TablesResult = {
  readonly tables: Readonly<Record<keyof Tables<string, 0, 0, 0, 0, 0, 0>, DeclaredResource | undefined>>
  readonly mistakes: readonly MemberProblem[]
}

/**
 * Each table exists unless the options exclude it; keys exist only where they include them.
 * `operator`: the role that operates the service.
 */
export function tablesOf(said: TableOptions, users: string, operator: string): TablesResult {
  const mistakes: MemberProblem[] = []
  const { keys = false, factors, recovery = true } = said
  function made(
    own: DeclaredResource,
    member: 'sessions' | 'keys' | 'factors' | 'linkedAccounts' | 'audit',
  ): DeclaredResource | undefined {
    const wanted = member === 'keys' ? keys : said[member]
    if (wanted === false) return undefined
    mistakes.push(...extensionMistakes(own, wanted, member))
    return extendTable(own, wanted)
  }
  const sessions = made(sessionTable(users), 'sessions') as DeclaredResource
  const prefix = (typeof keys === 'object' && keys.prefix) || 'bk_'
  const isRenamed = typeof factors === 'object' && Boolean(factors.access?.update)
  const tables = {
    apiKeys: made(keyTable(users, prefix), 'keys'),
    sessions,
    refreshTokens: refreshTokenTable(sessions.name),
    oneTimeTokens: recovery ? oneTimeTokenTable(users) : undefined,
    outgoingMails: recovery ? outgoingMailTable(users) : undefined,
    factors: made(factorTable(users, isRenamed), 'factors'),
    recoveryCodes: factors === false ? undefined : recoveryCodeTable(users),
    auditEvents: made(auditTable(users, operator, said.auditEvents), 'audit'),
    linkedAccounts: made(linkedAccountTable(users), 'linkedAccounts'),
  }
  return { tables, mistakes }
}
