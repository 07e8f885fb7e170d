/**
 * Logs in and keeps the session: the access token in memory, and one refresh for all requests that
 * were refused at once. In browsers the refresh token stays in its HttpOnly cookie, which scripts
 * cannot read. Elsewhere it is kept beside the access token.
 */
import { RequestError } from '../request-error.ts'
import { parseSession, type SessionInfo, type TokenStore, tokensOf } from './tokens.ts'

export type LogInCredentials = { readonly email: string; readonly password: string; readonly [more: string]: unknown }

/**
 * The second step of a log-in: the ticket of the first one, and the second factor. A passkey goes
 * with the ticket of its challenge.
 */
export type SecondFactor = { readonly ticket: string } & (
  | { readonly code: string }
  | { readonly recoveryCode: string }
  | { readonly passkey: object }
)

/** The token of a mail with a link that logs in. */
export type MailedLink = { readonly token: string }

export type RefreshBy = 'cookie' | 'token'

type AuthPath = 'login' | 'login-link' | 'factor' | 'refresh' | 'logout'

export type LogInOptions = {
  readonly store: TokenStore
  readonly by: RefreshBy
  /** Sends a body to `/auth/…`. Throws `RequestError`. */
  readonly post: (path: AuthPath, body: unknown) => Promise<unknown>
  readonly onLogOut?: (() => void) | undefined
}

/**
 * The answer of a log-out drops the cookie. A log-in waits for it: else the cookie of the new
 * session would be dropped.
 */
function afterLogOut(post: LogInOptions['post']): LogInOptions['post'] {
  let leaving: Promise<unknown> | undefined
  return async (path, body) => {
    await leaving?.catch(() => undefined)
    const sent = post(path, body)
    if (path === 'logout') leaving = sent
    return sent
  }
}

export function makeLogIn({ store, by, post: postAtOnce, onLogOut }: LogInOptions) {
  const post = afterLogOut(postAtOnce)
  let renewing: Promise<boolean> | undefined
  /** Rises with each log-in and log-out; the result of a refresh that began before is dropped. */
  let era = 0
  /** The server refused the refresh; another one before the next log-in would fail too. */
  let over = false

  async function keep(body: unknown): Promise<string> {
    const { accessToken, refreshToken } = tokensOf(body)
    await store.write(by === 'cookie' ? { accessToken } : { accessToken, refreshToken })
    return accessToken
  }

  async function end(): Promise<void> {
    over = true
    await store.write(undefined)
  }

  /** Handles a refused refresh token. */
  async function refused(begun: number): Promise<boolean> {
    if (begun !== era) return true
    const wasLoggedIn = (await store.read()) !== undefined
    await end()
    if (wasLoggedIn) onLogOut?.()
    return false
  }

  async function refresh(): Promise<boolean> {
    const begun = era
    const refreshToken = by === 'token' ? (await store.read())?.refreshToken : undefined
    if (over || (by === 'token' && refreshToken === undefined)) return false
    try {
      const body = await post('refresh', by === 'token' ? { refreshToken } : undefined)
      if (begun === era) await keep(body)
      return true
    } catch (error) {
      if (error instanceof RequestError && error.status === 401) return refused(begun)
      throw error
    }
  }

  function renewOnce(): Promise<boolean> {
    renewing ??= refresh().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  return {
    async accessToken(): Promise<string | undefined> {
      return (await store.read())?.accessToken
    },

    /**
     * After a refusal of `used`: whether there is another token to try. Throws `RequestError` when
     * that cannot be found out now.
     */
    async renew(used: string | undefined): Promise<boolean> {
      const now = (await store.read())?.accessToken
      return now !== undefined && now !== used ? true : renewOnce()
    },

    async logIn(proof: LogInCredentials | SecondFactor | MailedLink): Promise<SessionInfo | undefined> {
      const body = await post('ticket' in proof ? 'factor' : 'email' in proof ? 'login' : 'login-link', proof)
      era += 1
      over = false
      return parseSession(await keep(body))
    },

    /**
     * Forgets the tokens in any case; throws `RequestError` when the server could not be reached.
     */
    async logOut(): Promise<void> {
      const { refreshToken } = (await store.read()) ?? {}
      era += 1
      await end()
      await post('logout', by === 'token' && refreshToken ? { refreshToken } : undefined)
    },

    /**
     * Resumes the session of an earlier page, by its cookie or the token store. False when there is
     * none.
     */
    resume(): Promise<boolean> {
      over = false
      return renewOnce()
    },

    async session(): Promise<SessionInfo | undefined> {
      const { accessToken } = (await store.read()) ?? {}
      return accessToken === undefined ? undefined : parseSession(accessToken)
    },
  }
}

export type LogInClientApi = ReturnType<typeof makeLogIn>
