/**
 * Code of an application about its accounts: hooks before one is made and before one logs in, and
 * effects of what happened to one. `accounts` declares it. Any way to an account runs it.
 */
import type { KnownCaller } from '../code/acting-caller.ts'
import type { InsideCode } from '../code/code-context.ts'
import type { HookChanges } from '../code/hooks.ts'
import type { EffectContext, EffectRecord } from '../effects/declared-effect.ts'
import { type Retries, retriesKind } from '../effects/retries.ts'
import type { Fields } from '../fields/field.ts'
import { functionKind, limitMsKind, listOfKind, type Members, objectOf, oneOf, timeoutKind } from '../members.ts'
import type { FieldName } from '../record-of.ts'
import { type AccountEvent, accountEvents } from './kept-account-code.ts'

/**
 * How an account is made. `password`: a stranger or another caller who does not operate the service
 * makes it. `oidc`: a log-in by a provider. `invitation`: a person accepts one. `operator`: an
 * operator or the command line. `application`: its own code. `first-start`: the first account of a
 * new database.
 */
export type SignUpWay = 'password' | 'oidc' | 'invitation' | 'operator' | 'application' | 'first-start'

/**
 * The proof that a log-in began with; a second factor may have followed. `link`: of a mail.
 * `passkey`: alone. `console-code`: the code that the start prints.
 */
export type LogInWay = 'password' | 'passkey' | 'oidc' | 'link' | 'console-code'

/**
 * How a password changed. `own`: the user sent the current one. `reset`: by a mail. `invitation`
 * and `link`: it was never proven, and ended with the first proof of the address. `console-code`:
 * the first account is taken over. `operator`: another caller or the command line. `application`:
 * its own code.
 */
export type PasswordWay = 'own' | 'reset' | 'invitation' | 'link' | 'console-code' | 'operator' | 'application'

/** The client of a request; null at the command line and in the service's own work. */
type AccountClient = {
  /** The addresses that count as one for limits: an IPv4 address, or a /64 network of IPv6. */
  readonly addressGroup: string | null
  readonly userAgent: string | null
}

/** Every hook of accounts receives this. `W`: the ways. */
type AccountHookContext<F extends Fields, W extends string> = InsideCode & {
  /** How the account is made, or the proof that the log-in began with. */
  readonly way: W
  /** The name of the provider in `OIDC_PROVIDERS`; null for other ways. */
  readonly provider: string | null
  /** The client of the request, as its group of addresses and its `User-Agent`. */
  readonly client: AccountClient
  /**
   * Throws, which undoes the transaction: with a field `bad-request`, which names it, and without
   * one `conflict`.
   */
  readonly refuse: (sentence: string, field?: FieldName<F>) => never
}

/** Of a hook before a sign-up. */
export type SignUpContext<F extends Fields = Fields> = AccountHookContext<F, SignUpWay> & {
  /** The values that were given, without secrets. */
  readonly sent: Partial<EffectRecord<F>>
  /** As it would be stored, without secrets. */
  readonly record: EffectRecord<F>
  /** The author of the write. There is no user for strangers and at the command line. */
  readonly caller: KnownCaller
}

/** Of a hook before a log-in. */
export type LogInContext<F extends Fields = Fields> = AccountHookContext<F, LogInWay> & {
  /** The record as it is stored, locked, without secrets. */
  readonly user: EffectRecord<F>
  /** Whether a second factor was shown in this log-in, or a passkey, which counts as one. */
  readonly hasFactor: boolean
}

type SignUpResult<F extends Fields> = HookChanges<F> | undefined

/** `F`: the fields of the users. */
export type AccountHooks<F extends Fields = Fields> = {
  /**
   * Runs before an account is made, in the transaction, whichever way it comes. It may refuse, or
   * return values that the server stores in place of these, as `hooks.beforeCreate` of the users.
   */
  readonly beforeSignUp?: (context: SignUpContext<F>) => SignUpResult<F> | Promise<SignUpResult<F>>
  /**
   * Runs before a session begins, in its transaction, once the user has shown all proofs that are
   * due. A refusal is no wrong password. Only the client that has shown the proofs reads it.
   */
  readonly beforeLogIn?: (context: LogInContext<F>) => void | Promise<void>
  /** Milliseconds that a hook may wait for anything but its `records(…)`: 200 by default. */
  readonly limitMs?: number
}

/** The event that caused an effect, with the way of it. */
type EventWay =
  | { readonly event: 'signedUp'; readonly way: SignUpWay }
  | { readonly event: 'loggedIn'; readonly way: LogInWay }
  | { readonly event: 'passwordChanged'; readonly way: PasswordWay }

/** `record`: the user as stored at that moment, without secrets. */
export type AccountEffectContext<F extends Fields = Fields> = Omit<EffectContext<EffectRecord<F>>, 'previous'> &
  EventWay & {
    /** The name of the provider in `OIDC_PROVIDERS`; null for other ways. */
    readonly provider: string | null
  }

/** `F`: the fields of the users. */
export type AccountEffect<F extends Fields = Fields> = {
  /** Any of `signedUp`, `loggedIn` and `passwordChanged`. */
  readonly on: readonly AccountEvent[]
  /** The work, after the commit, at least once. One that throws is tried again. */
  readonly run: (given: AccountEffectContext<F>) => Promise<void> | void
  /** How often it is tried, and when: 10 times over a day by default. */
  readonly retries?: Retries
  /** How long one try may take; 30 seconds by default. */
  readonly timeoutSeconds?: number
}

const hookMembers = {
  beforeSignUp: functionKind,
  beforeLogIn: functionKind,
  limitMs: limitMsKind,
} satisfies Members<AccountHooks>
export const accountHooksKind = objectOf(hookMembers)

const effectMembers = {
  on: listOfKind(oneOf(accountEvents)),
  run: functionKind,
  retries: retriesKind,
  timeoutSeconds: timeoutKind,
} satisfies Members<AccountEffect>
export const accountEffectKind = objectOf(effectMembers, { needed: ['on', 'run'] })
