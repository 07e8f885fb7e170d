/** Tells which lists and records change while they are looked at. */
import type { ResourceDescription } from 'bindery-server/client'

/** Lists and records at an address of their own, whose changes the server keeps. */
export function isLive({ live, path = '' }: ResourceDescription): boolean {
  return live === true && path.lastIndexOf('/') === 0
}
