/**
 * Positions of the feed: the sealed place in the log, and a digest of the rights of its reader that
 * the log does not know.
 */
import { splitPosition } from '../endpoint/positions.ts'
import { parameterError } from '../operation/parameters.ts'
import type { Principal } from '../resource/principal.ts'
import type { LogPlace } from '../storage/derived/kept-log.ts'
import type { FeedRoom } from './feed-room.ts'
import { lost, lostBy } from './lost.ts'

type SealingRoom = Pick<FeedRoom, 'positions' | 'rightsOf'>

export async function sealPosition(
  { positions, rightsOf }: SealingRoom,
  place: LogPlace,
  principal: Principal,
): Promise<string> {
  return `${(await positions()).seal(place)}.${rightsOf(principal)}`
}

/**
 * Throws `bad-request` for no position, and `LostPlace` for one of another database, or of other
 * rights.
 */
export async function openPosition(
  { positions, rightsOf }: SealingRoom,
  after: string,
  principal: Principal,
): Promise<LogPlace> {
  const { token, digest } = splitPosition(after)
  const place = (await positions()).open(token)
  if (place === undefined) throw parameterError('after', 'after must be a position that this service has given')
  if (place === null) throw lostBy('ahead')
  if (digest !== undefined && digest !== rightsOf(principal)) throw lost('The rights of the caller have changed')
  return place
}
