/**
 * Gives back memory at once. Bytes lie outside of the heap, where memory waits for a collection of
 * the whole heap, and 20 MB of it ask for one. A body of 1 MB cost 5 ms of collections so.
 */

/** Smaller ones are left to the collection: a call costs about a microsecond. */
const worthwhile = 4096

/**
 * The bytes are gone after it, so nothing may read them any more, the system included. Bytes that
 * share their memory with others stay.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  if (byteLength < worthwhile || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return
  buffer.transfer(0)
}
