/** Uses of tokens that came by mail: each failed one is counted, and the refusal says no more. */
import type { ApiError } from '../../errors.ts'
import type { Author } from '../../storage/changes.ts'
import { type LogInClient, sessionAuthor } from '../sessions/start-session.ts'
import type { MailLimit } from '../throttles/mail-limit.ts'
import { invalidTokenError } from './one-time-tokens.ts'

/** `languages`: what `Accept-Language` said. */
export type RecoveryClient = Pick<LogInClient, 'address' | 'userAgent'> & { readonly languages: string | undefined }

/**
 * A token that is dead is a bad credential, as one for a refresh or the ticket of a second factor
 * is.
 */
export const badToken = () => invalidTokenError('unauthenticated')

/** Every use of a token from outside: a failed one is counted, and refused by `refusal`. */
export type UseToken = <T>(address: string, refusal: () => ApiError, use: () => Promise<T | undefined>) => Promise<T>

export function makeUsing(limit: MailLimit): UseToken {
  return async (address, refusal, use) => {
    await limit.checkTries(address)
    const used = await use()
    if (used !== undefined) return used
    await limit.failed(address)
    throw refusal()
  }
}

export function authorOf({ languages, ...from }: RecoveryClient): Author {
  return { ...sessionAuthor(from), languages }
}
