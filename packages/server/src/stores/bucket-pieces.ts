/**
 * Cuts a stream into pieces of one size for the parts of an object in a bucket. The pieces share
 * one buffer of that size, so a piece holds its bytes until the next one is asked for.
 */

import type { ByteSource } from './object-store.ts'

/** `isLast`: no piece follows. */
export type Piece = { readonly bytes: Buffer; readonly isLast: boolean }

export async function* piecesOf(source: ByteSource, bytesEach: number): AsyncGenerator<Piece> {
  const buffer = Buffer.allocUnsafeSlow(bytesEach)
  let filled = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === bytesEach) {
        yield { bytes: buffer, isLast: false }
        filled = 0
      }
      const copied = chunk.copy(buffer, filled, at)
      filled += copied
      at += copied
    }
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true }
}
