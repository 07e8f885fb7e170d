/** Tells an error of a source from one of the place into which its bytes go. */
import type { ByteSource } from './object-store.ts'

/**
 * Gives the bytes of a source to `take`. Returns the error of the source where it fails. Throws
 * what `take` throws otherwise.
 */
export async function passOn(
  source: ByteSource,
  take: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<Error | undefined> {
  let failure: Error | undefined
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      yield* source
    } catch (error) {
      failure = error as Error
      throw error
    }
  }
  try {
    await take(bytes())
  } catch (error) {
    if (!failure) throw error
  }
  return failure
}
