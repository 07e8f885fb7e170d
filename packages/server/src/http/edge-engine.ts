/**
 * The engine as HTTP sees it: operations, and the step that turns credentials into a principal.
 * HTTP knows nothing else of accounts, which are a feature above it.
 */
import type { Engine } from '../perform/engine.ts'
import type { Principal, UserPrincipal } from '../resource/principal.ts'

/** The credentials of a request, as they were sent. Empty texts count as absent. */
export type RequestCredentials = {
  readonly authorization: string | undefined
  readonly keyHeader: string | undefined
  readonly keyParameter: string | undefined
}

/**
 * `address`: where the request comes from. Without it no key that is bound to addresses is good.
 * `tokenAsOfMs`: the time at which an access token must be good, for answers that last longer. Its
 * session must be good now.
 */
export type IdentifyOptions = {
  readonly machine: boolean
  readonly address?: string
  readonly tokenAsOfMs?: number | undefined
}

export type CallerIdentification = {
  /**
   * Throws `unauthenticated` for any bad credential that is sent, and `bad-request` for two
   * different keys. A good token takes precedence over a good key. On a machine route only the key
   * counts, and a token beside it is ignored.
   */
  identify(credentials: RequestCredentials, options: IdentifyOptions): Promise<Principal>
  /**
   * The principal of a token of this user, who is named by log-in in any case, or by id. Undefined
   * for a user who is not there or may not act.
   */
  findCaller(word: string): Promise<UserPrincipal | undefined>
  /** The same number as before: every caller has the same rights. Undefined: that is not known. */
  version(): number | undefined
  /**
   * Whether the credential that gave this principal still gives it. False where that is not known.
   */
  holds(principal: Principal): boolean
  /** Seals the tokens of signed addresses. Undefined in an application without users. */
  readonly linkSeal?: LinkSeal | undefined
  /** Seals the secrets that are stored for others. Undefined in an application without users. */
  readonly storedSeal?: LinkSeal | undefined
}

/** `bound`: for what alone the sealed text opens. */
export type LinkSeal = {
  seal(text: string, bound: string): string
  open(sealed: string, bound: string): { readonly text: string } | undefined
}

/** The engine as the edges have it. */
export type EdgeEngine = Engine & { readonly identity: CallerIdentification }
