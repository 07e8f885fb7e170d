/** Who may: one place for the rules that several resources share. */
import { apiKey, user } from 'bindery-server'

/** Whatever has an API key. A key can be cut down to scopes such as tasks:read. */
export const readers = apiKey(user)
export const writers = apiKey(user)
