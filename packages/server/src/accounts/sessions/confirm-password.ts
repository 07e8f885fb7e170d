/**
 * Checks that a logged-in user knows the password of the account, before credentials change.
 * Guesses count as log-ins.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { RecordStore } from '../../record/record-store.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import { makeFailureAudit } from '../audit/failures.ts'
import type { IdentityTables } from '../identity-tables.ts'
import type { Passwords } from '../passwords/password.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import { accountOf } from './session.ts'

/** `login`: the name that the account logs in with; `stored`: the hash of its password. */
export type PasswordConfirmation = {
  readonly userId: Scalar
  readonly login: string
  readonly stored: string | undefined
  readonly password: string
  readonly address: string
  readonly userAgent?: string | undefined
}

/** Throws `forbidden` (`currentPassword is wrong`) or `too-many-requests`. */
export type ConfirmPassword = (confirming: PasswordConfirmation) => Promise<void>

type ConfirmPasswordDeps = {
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly records: RecordStore
  readonly marks: IdentityTables
  readonly passwords: Passwords
}

export function makeConfirmPassword({
  storage,
  records,
  clock,
  marks,
  passwords,
}: ConfirmPasswordDeps): ConfirmPassword {
  const failures = makeFailureAudit({ storage, records, clock, marks })
  const throttle = makeThrottle(storage, clock)
  return async ({ userId, login: name, stored, password, address, userAgent }) => {
    const { account } = accountOf(marks.login, name)
    await throttle.check(account, address)
    const isRight = await passwords.inTurn(async (verify) => {
      await throttle.check(account, address)
      const found = await verify(password, stored)
      await (found ? throttle.succeeded(account, address) : throttle.failed(account, address))
      return found
    })
    if (isRight) return
    await failures.note({ userId, address, userAgent, proof: 'currentPassword' })
    throw new ApiError('forbidden', 'currentPassword is wrong')
  }
}
