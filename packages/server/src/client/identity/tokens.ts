/** Access and refresh tokens: the store for them, and the claims of an access token. */
import { RequestError } from '../request-error.ts'

export type Tokens = { readonly accessToken: string; readonly refreshToken?: string | undefined }

/** Stores tokens. Only memory is safe from other scripts of a page. */
export type TokenStore = {
  read(): Tokens | undefined | Promise<Tokens | undefined>
  /** `undefined` forgets them. */
  write(tokens: Tokens | undefined): void | Promise<void>
}

/** The logged-in user and session, from the access token. */
export type SessionInfo = {
  readonly userId: string
  readonly role: string
  readonly email: string
  /** The id of this session in `sessions()`. */
  readonly sessionId: string
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number
}

export function memoryStore(): TokenStore {
  let kept: Tokens | undefined
  return {
    read: () => kept,
    write(tokens) {
      kept = tokens
    },
  }
}

/** The claims of an access token, without verification: only the server can verify them. */
export function parseSession(accessToken: string): SessionInfo | undefined {
  try {
    const bytes = atob((accessToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)))
    const { userId, role, email, sid, exp } = JSON.parse(text)
    return { userId, role, email, sessionId: sid, expiresAtMs: exp * 1000 }
  } catch {
    return undefined
  }
}

/** Throws `RequestError` for an answer without an access token. */
export function tokensOf(body: unknown): Tokens {
  const { accessToken, refreshToken } = (body ?? {}) as Partial<Tokens>
  if (typeof accessToken === 'string') return { accessToken, refreshToken }
  throw new RequestError('The log-in needs another step, or this is no Bindery server', {
    code: 'invalid-answer',
    body,
  })
}
