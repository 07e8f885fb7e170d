/** Access rules that several resources share, in one place. */
import { anyone, user } from 'bindery-server'

export const readers = anyone
/** Every logged-in user. */
export const writers = user
