/**
 * The same bytes in memory of their own, for what is kept. Node's small buffers, also those that
 * `Buffer.from`, `Buffer.copyBytesFrom` and zlib return, share pieces of 64 KB, and whoever keeps
 * one of them holds its whole piece.
 */
export function ownCopy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
