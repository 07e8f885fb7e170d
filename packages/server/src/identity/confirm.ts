/** Whether somebody who is logged in knows the password of the account. It is asked before credentials change, and guesses count as log-ins. */
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { StoredReads } from '../storage/storage.ts'
import type { Marks } from './marks.ts'
import type { Passwords } from './password.ts'
import { accountOf } from './session.ts'
import { makeThrottle } from './throttle.ts'

/** `login`: the name that the account logs in with; `stored`: the hash of its password. */
export type Confirming = {
  readonly login: string
  readonly stored: string | undefined
  readonly password: string
  readonly address: string
}

/** Throws `forbidden` (`currentPassword is wrong`) or `too-many-requests`. */
export type Confirm = (confirming: Confirming) => Promise<void>

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly login: Marks['login']
  readonly passwords: Passwords
}

export function makeConfirm({ storage, clock, login, passwords }: Parts): Confirm {
  const throttle = makeThrottle(storage, clock)
  return async ({ login: name, stored, password, address }) => {
    const { account } = accountOf(login, name)
    await throttle.check(account, address)
    await passwords.inTurn(async (verify) => {
      await throttle.check(account, address)
      if (await verify(password, stored)) return throttle.succeeded(account, address)
      await throttle.failed(account, address)
      throw new ApiError('forbidden', 'currentPassword is wrong')
    })
  }
}
