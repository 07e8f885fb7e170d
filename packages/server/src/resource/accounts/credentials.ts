/**
 * The current password, which a user sends with a change of their own credentials. Its name is no
 * field, and the server never stores it.
 */
import type { ResourceTraits } from '../traits.ts'
import type { LoginMark } from './identity-mark.ts'

/** A user sends it beside new credentials of their own. */
export const currentPassword = 'currentPassword'

/** Of the resource of users: the name that people log in with, their password, their role. */
export function traitsOfUsers({ login, secret, role }: LoginMark): ResourceTraits {
  const credentials = [login, secret]
  const description = 'The password of today, where one changes the own credentials.'
  const form = { description, lengthMax: 1024, format: 'password' }
  return { credentials, people: { name: login, role }, proof: { name: currentPassword, of: credentials, ...form } }
}
