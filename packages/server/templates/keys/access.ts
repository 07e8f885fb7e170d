/** Access rules that several resources share, in one place. */
import { apiKey, user } from 'bindery-server'

/** Any caller with an API key. Scopes such as tasks:read narrow a key. */
export const readers = apiKey(user)
export const writers = apiKey(user)
