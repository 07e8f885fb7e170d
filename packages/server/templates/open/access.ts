/** Access rules that several resources share, in one place. */
import { anyone } from 'bindery-server'

export const readers = anyone
/** Any client that reaches the server: run it only in a network that you trust. */
export const writers = anyone
