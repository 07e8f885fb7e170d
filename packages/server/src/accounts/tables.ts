/**
 * The tables of people who log in, made of what an application says: which of them are there, and
 * what is changed of each.
 */
import type { Declared } from '../resource/define.ts'
import type { Mistake } from '../resource/members.ts'
import { auditTable } from './audit/audit-table.ts'
import { type Extended, extended, extensionMistakes, type NameBy, type Wanted } from './extend-table.ts'
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
 * The letters are what is wanted of each: `S` of sessions, `K` of keys, `F` of factors, `I` of
 * linked accounts, `R` of recovery, `A` of the audit.
 */
type If<X, T> = X extends false ? undefined : T

/**
 * The tables by their names; undefined where one is not wanted. `N`: the name of the resource of
 * users.
 */
export type Tables<N extends string, S, K, F, I, R, A> = {
  readonly apiKeys: If<K, Extended<KeyTable<N>, K>>
  readonly sessions: Extended<SessionTable<N>, S>
  readonly refreshTokens: ReturnType<typeof refreshTokenTable<NameBy<S, 'session'>>>
  readonly oneTimeTokens: If<R, ReturnType<typeof oneTimeTokenTable<N>>>
  readonly outgoingMails: If<R, ReturnType<typeof outgoingMailTable<N>>>
  readonly factors: If<F, Extended<FactorTable<N>, F>>
  readonly recoveryCodes: If<F, ReturnType<typeof recoveryCodeTable<N>>>
  readonly auditEvents: If<A, Extended<AuditTable<N>, A>>
  readonly linkedAccounts: If<I, Extended<LinkedAccountTable<N>, I>>
}

/** The words of an application about the tables, of a right form. */
export type Said = {
  readonly sessions?: Exclude<Wanted, boolean>
  readonly keys?: boolean | (Exclude<Wanted, boolean> & { readonly prefix?: string })
  readonly factors?: Wanted
  readonly linkedAccounts?: Wanted
  readonly recovery?: boolean
  readonly audit?: Wanted
}

type Made = {
  readonly tables: Readonly<Record<keyof Tables<string, 0, 0, 0, 0, 0, 0>, Declared | undefined>>
  readonly mistakes: readonly Mistake[]
}

/**
 * Each table is there unless it is not wanted; keys are there where they are. `operator`: the role
 * that operates the service.
 */
export function tablesOf(said: Said, users: string, operator: string): Made {
  const mistakes: Mistake[] = []
  const { keys = false, factors, recovery = true } = said
  function made(
    own: Declared,
    member: 'sessions' | 'keys' | 'factors' | 'linkedAccounts' | 'audit',
  ): Declared | undefined {
    const wanted = member === 'keys' ? keys : said[member]
    if (wanted === false) return undefined
    mistakes.push(...extensionMistakes(own, wanted, member))
    return extended(own, wanted)
  }
  const sessions = made(sessionTable(users), 'sessions') as Declared
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
    auditEvents: made(auditTable(users, operator), 'audit'),
    linkedAccounts: made(linkedAccountTable(users), 'linkedAccounts'),
  }
  return { tables, mistakes }
}
