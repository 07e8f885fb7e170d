/** Who may: one place for the rules that several resources share. */
import { anyone, user } from 'bindery-server'

export const readers = anyone
/** Whoever has logged in. */
export const writers = user
