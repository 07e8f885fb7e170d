/** Who may: one place for the rules that several resources share. */
import { anyone } from 'bindery-server'

export const readers = anyone
/** Whoever reaches the server: keep it where only friends do. */
export const writers = anyone
