/** Puts pieces that were already read back in front of the rest of a stream. */

/**
 * The pieces that were read, then the rest. A reader that stops early also ends the rest, once
 * reading has begun.
 */
export async function* prependFirst<T>(read: readonly T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield* read
    for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return?.()
  }
}
