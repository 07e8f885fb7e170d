/**
 * The account methods of the client, besides logging in with a password: mails with links,
 * passkeys, and the user's sessions on all devices.
 */

import type { NextStep } from '../request-error.ts'
import { showPasskey } from './browser-passkeys.ts'
import type { LogInClientApi } from './log-in.ts'
import type { SessionInfo } from './tokens.ts'

/** A session of the user. */
export type OpenSession = {
  readonly id: string
  /** `Firefox on Linux` */
  readonly device?: string | null
  readonly address?: string | null
  /** The location of the address, where a proxy reports it. */
  readonly place?: string | null
  /** Whether it is the session of this client. */
  readonly current?: boolean
  readonly createdAt: string
  readonly lastUsedAt: string
  readonly expiresAt: string
}

export type AccountsClient = {
  /**
   * Has a mail sent to the address, with a link to choose a new password. The answer is the same
   * whether the account exists or not.
   */
  forgot(email: string): Promise<void>
  /**
   * Chooses a new password with the token of that mail, which ends all sessions. Throws
   * `RequestError`: 400 for a token that is no longer valid.
   */
  reset(choice: { readonly token: string; readonly password: string }): Promise<void>
  /** Verifies an address with the token of a mail, or has that mail sent once more. */
  verify(proof: { readonly token: string } | { readonly email: string }): Promise<void>
  /**
   * Verifies the address of the logged-in user. Without a token it has a mail sent; the token of
   * that mail verifies it. Throws `RequestError`: 403 for a token that is no longer valid.
   */
  verifyOwn(token?: string): Promise<void>
  /** Has a mail sent with a link that logs in; its token goes to `logIn({ token })`. */
  askForLink(email: string): Promise<void>
  /**
   * In browsers: logs in with a passkey, or finishes the log-in whose second step this is. Throws
   * the browser's error when the user shows no passkey, and `RequestError` otherwise.
   */
  logInByPasskey(step?: Pick<NextStep, 'ticket'>): Promise<SessionInfo | undefined>
  /** The user's own sessions, the latest log-in first. */
  sessions(): Promise<readonly OpenSession[]>
  /** Ends a session at once, on any device. */
  endSession(id: string): Promise<void>
  /** Ends all of the user's sessions but this one. */
  endOtherSessions(): Promise<void>
}

export type AccountsClientOptions = {
  readonly logIn: LogInClientApi
  /**
   * Sends a request to a path below `/api/v1`, and returns the body of the response. Throws
   * `RequestError`.
   */
  readonly ask: (
    method: string,
    path: string,
    sent?: { readonly body?: unknown; readonly query?: Readonly<Record<string, unknown>> },
  ) => Promise<unknown>
}

/** As declared in applications that `npm create bindery` makes; a user has at most a hundred. */
const sessionsPath = '/sessions'
const sessionsMax = 100

export function makeAccounts({ logIn, ask }: AccountsClientOptions): AccountsClient {
  const post = async (path: string, body: unknown) => void (await ask('POST', `/auth/${path}`, { body }))

  async function own(): Promise<SessionInfo> {
    // After a reload only the cookie is left, and the client does not know the user yet.
    const session = (await logIn.session()) ?? ((await logIn.resume()) ? await logIn.session() : undefined)
    if (session) return session
    throw new TypeError('No user is logged in')
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
