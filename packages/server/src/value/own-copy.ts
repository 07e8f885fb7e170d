/**
 * Copies bytes that are kept into memory of their own. Node's small buffers share pieces of 64 KB,
 * also those that `Buffer.from`, `Buffer.copyBytesFrom` and zlib return. A kept one holds its whole
 * piece in memory.
 */
export function ownCopy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
