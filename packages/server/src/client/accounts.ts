/**
 * What people do about their own account besides logging in with a password: by mail, by a passkey,
 * and their sessions on all devices.
 */
import { showPasskey } from './browser-passkeys.ts'
import type { LogInClientApi } from './log-in.ts'
import type { NextStep } from './request-error.ts'
import type { SessionInfo } from './tokens.ts'

/** Where one is logged in. */
export type OpenSession = {
  readonly id: string
  /** `Firefox on Linux` */
  readonly device?: string | null
  readonly address?: string | null
  /** Of the address, where a proxy says it. */
  readonly place?: string | null
  /** Whether it is the one of this client. */
  readonly current?: boolean
  readonly createdAt: string
  readonly lastUsedAt: string
  readonly expiresAt: string
}

export type AccountsClient = {
  /**
   * Has a mail sent, by which the owner of the address chooses a new password. It says nothing of
   * whether there is such an account.
   */
  forgot(email: string): Promise<void>
  /**
   * Chooses a new password by the token of that mail, which ends all sessions. Throws
   * `RequestError`: 400 for a token that is no good any more.
   */
  reset(choice: { readonly token: string; readonly password: string }): Promise<void>
  /** Proves an address by the token of a mail, or has that mail sent once more. */
  verify(proof: { readonly token: string } | { readonly email: string }): Promise<void>
  /**
   * Proves the address of whoever is logged in: without a token it has a mail sent, with the token
   * of that mail it is proven. Throws `RequestError`: 403 for a token that is no good any more.
   */
  verifyOwn(token?: string): Promise<void>
  /** Has a mail sent with a link that logs in; its token goes to `logIn({ token })`. */
  askForLink(email: string): Promise<void>
  /**
   * In browsers: logs in by a passkey, or ends the log-in of which this step is due. Throws what
   * the browser throws when nobody shows one, and `RequestError` otherwise.
   */
  logInByPasskey(step?: Pick<NextStep, 'ticket'>): Promise<SessionInfo | undefined>
  /** One's own, the latest log-in first. */
  sessions(): Promise<readonly OpenSession[]>
  /** Ends a session at once, on whatever device it is. */
  endSession(id: string): Promise<void>
  /** Ends all of one's own sessions but this one. */
  endOtherSessions(): Promise<void>
}

export type AccountsClientOptions = {
  readonly logIn: LogInClientApi
  /**
   * Sends a request to a path below `/api/v1`, and returns the body of its answer. Throws
   * `RequestError`.
   */
  readonly ask: (
    method: string,
    path: string,
    sent?: { readonly body?: unknown; readonly query?: Readonly<Record<string, unknown>> },
  ) => Promise<unknown>
}

/** As applications declare them that `npm create bindery` makes; a user has at most a hundred. */
const sessionsPath = '/sessions'
const sessionsMax = 100

export function makeAccounts({ logIn, ask }: AccountsClientOptions): AccountsClient {
  const post = async (path: string, body: unknown) => void (await ask('POST', `/auth/${path}`, { body }))

  async function own(): Promise<SessionInfo> {
    // After a reload the cookie alone is there, and nobody knows yet whose it is.
    const session = (await logIn.session()) ?? ((await logIn.resume()) ? await logIn.session() : undefined)
    if (session) return session
    throw new TypeError('Nobody is logged in')
  }

  return {
    forgot: (email) => post('forgot', { email }),
    reset: ({ token, password }) => post('reset', { token, password }),
    verify: (proof) => post('verify', proof),
    async verifyOwn(token) {
      const { userId } = await own()
      await ask('POST', `/users/${encodeURIComponent(userId)}/verify`, { body: token === undefined ? {} : { token } })
    },
    askForLink: (email) => post('login-link', { email }),

    async logInByPasskey(step) {
      const { ticket, options } = (await ask('POST', '/auth/passkey', {
        body: step ? { ticket: step.ticket } : {},
      })) as { ticket: string; options: object }
      return logIn.logIn({ ticket, passkey: await showPasskey(options) })
    },

    async sessions() {
      const { userId } = await own()
      const query = { userId, limit: sessionsMax }
      return ((await ask('GET', sessionsPath, { query })) as { data: readonly OpenSession[] }).data
    },
    async endSession(id) {
      await ask('DELETE', `${sessionsPath}/${encodeURIComponent(id)}`)
    },
    async endOtherSessions() {
      const { sessionId } = await own()
      await ask('POST', `${sessionsPath}/${encodeURIComponent(sessionId)}/end-others`)
    },
  }
}
