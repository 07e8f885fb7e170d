/** Streams whose beginning was read already, to see what they are. */

/** What was read, and then the rest. Who stops reading ends the rest, once reading has begun. */
export async function* prependFirst<T>(read: readonly T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield* read
    for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return?.()
  }
}
