/**
 * Says that the events after a position can no longer be told. The log does not go back that far,
 * or one change moved too many records. The reader reads its lists again, and begins at the end.
 */

export class LostPlace extends Error {}

/** `why`: a sentence for the caller, without a full stop. */
export function lost(why: string): LostPlace {
  return new LostPlace(why)
}
