/**
 * Identity in an application without users: every caller is anonymous, and every credential is
 * invalid.
 */
import { ApiError } from '../errors.ts'
import { anonymous } from '../resource/principal.ts'
import { type Identity, keyOf } from './identity.ts'
import { makeIsCommonPassword } from './passwords/common-passwords.ts'
import { makePasswords } from './passwords/password.ts'

export function makeIdentityWithoutUsers(): Identity {
  const passwords = makePasswords()
  return {
    sessions: undefined,
    recovery: undefined,
    isCommonPassword: makeIsCommonPassword(),
    hashPassword: passwords.hash,
    confirm: undefined,
    confirmSelf: async () => {
      throw new ApiError('unauthenticated', 'Token required') // there is no user to be
    },
    factors: undefined,
    takeSignUp: async () => undefined, // there is no user to make
    publicKeys: undefined,
    viewAs: undefined,
    consoleCodes: undefined,
    federation: undefined,
    findCaller: async () => undefined,
    version: () => 0,
    holds: () => true,
    async identify(credentials, { machine }) {
      const { authorization } = credentials
      const key = keyOf(credentials)
      if (authorization && !machine)
        throw new ApiError('unauthenticated', authorization.startsWith('Bearer ') ? 'Invalid token' : 'Token required')
      if (key) throw new ApiError('unauthenticated', 'Invalid API key')
      return anonymous
    },
  }
}
