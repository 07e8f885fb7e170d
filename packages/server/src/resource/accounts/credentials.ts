/**
 * The password of today, which a write to one's own credentials needs beside it: under a name that
 * is no field, and is never stored.
 */
import type { ResourceTraits } from '../traits.ts'
import type { LoginMark } from './identity-mark.ts'

/** Sent beside new credentials by the user whose they are. */
export const currentPassword = 'currentPassword'

/** Of the resource of users: the name that people log in with, and their password. */
export function traitsOfUsers({ login, secret }: LoginMark): ResourceTraits {
  const credentials = [login, secret]
  const description = 'The password of today, where one changes the own credentials.'
  const form = { description, lengthMax: 1024, format: 'password' }
  return { credentials, proof: { name: currentPassword, of: credentials, ...form } }
}
