/**
 * Makes ids for requests that bring none: a random text for the process, and a counter in base 36:
 * `q3Zk_0aX-1f`.
 */
import { randomBytes } from 'node:crypto'

export function makeRequestIds(): () => string {
  const process = randomBytes(6).toString('base64url')
  let next = 0
  return () => `${process}-${(next++).toString(36)}`
}
