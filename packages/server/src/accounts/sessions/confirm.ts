/** Whether somebody who is logged in knows the password of the account. It is asked before credentials change, and guesses count as log-ins. */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { Records } from '../../record/records.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { StoredReads } from '../../storage/storage.ts'
import { makeFailures } from '../audit/failures.ts'
import type { Marks } from '../marks.ts'
import type { Passwords } from '../passwords/password.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import { accountOf } from './session.ts'

/** `login`: the name that the account logs in with; `stored`: the hash of its password. */
export type Confirming = {
  readonly userId: Scalar
  readonly login: string
  readonly stored: string | undefined
  readonly password: string
  readonly address: string
  readonly userAgent?: string | undefined
}

/** Throws `forbidden` (`currentPassword is wrong`) or `too-many-requests`. */
export type Confirm = (confirming: Confirming) => Promise<void>

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly records: Records
  readonly marks: Marks
  readonly passwords: Passwords
}

export function makeConfirm({ storage, records, clock, marks, passwords }: Parts): Confirm {
  const failures = makeFailures({ storage, records, clock, marks })
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
