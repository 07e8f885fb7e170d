/**
 * Says that the events after a position can no longer be told, and why. The log does not go back
 * that far, or one change moved too many records. The reader reads its lists again, and begins at
 * the end.
 */
import type { Resource } from '../resource/catalog.ts'
import type { LogLoss } from '../storage/derived/kept-log.ts'

export class LostPlace extends Error {}

/** `why`: a sentence for the caller, without a full stop. */
export function lost(why: string): LostPlace {
  return new LostPlace(why)
}

const sentences: Readonly<Record<Exclude<LogLoss, 'many'>, string>> = {
  cut: 'The log goes back less far',
  ahead: 'The position is of another database, of a copy, or of one before a restore',
  past: 'Records were changed past the log',
  removed: 'Changes were removed from the log past the service',
  erased: 'Values of the changes were erased',
}

/** `of`: the resource whose changes were asked for. */
export function lostBy(loss: LogLoss, of?: Pick<Resource, 'plural'>): LostPlace {
  return lost(loss === 'many' ? `Too many ${of?.plural ?? 'records'} have changed since` : sentences[loss])
}
