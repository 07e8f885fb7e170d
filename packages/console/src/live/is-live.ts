/** Tells which lists and records change while they are looked at. */
import type { ResourceDescription } from 'bindery-server/client'

/** Those whose changes the server keeps. */
export function isLive({ live }: ResourceDescription): boolean {
  return live === true
}
