/**
 * The application's code about accounts as the mark of the users keeps it. `account-code.ts` types
 * it for declarations; this file imports no field.
 */
import type { Retries } from '../effects/retries.ts'

export const accountEvents = ['signedUp', 'loggedIn', 'passwordChanged'] as const
export type AccountEvent = (typeof accountEvents)[number]

/** The fields of the users are not known to the compiler here. */
type AnyCode = (context: never) => unknown

export type AccountCode = {
  /** The file of `accounts`, for sentences. */
  readonly writtenIn: string
  readonly hooks: {
    readonly beforeSignUp?: AnyCode | undefined
    readonly beforeLogIn?: AnyCode | undefined
    readonly limitMs?: number | undefined
  }
  readonly effects: Readonly<
    Record<
      string,
      {
        readonly on: readonly AccountEvent[]
        readonly run: AnyCode
        readonly retries?: Retries
        readonly timeoutSeconds?: number
      }
    >
  >
}
