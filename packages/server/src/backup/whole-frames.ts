/**
 * Checks that compressed data ends with a whole Zstandard frame. Node 24.15 accepts a truncated
 * frame, and ignores the bytes after the last content: an empty frame, which Node writes at the
 * end. So this file parses the frames itself (RFC 8878, section 3.1.1).
 */

type FrameStream = AsyncIterable<Buffer>
type NeededBytes = { readonly bytes: number; readonly what: 'a frame' | 'a head' | 'content' }

const magic = 0xfd2fb528
/** The checksum of a frame without content, if it has one. */
const checksumOfNothing = 0x51d8e999

/** Bytes of the dictionary id and of the content size, by their flags in the frame's descriptor. */
const dictionaryBytes = [0, 1, 2, 4] as const
const sizeBytes = [0, 2, 4, 8] as const

/** Bytes between a frame's descriptor and its first block. */
function headBytes(descriptor: number): number {
  const isSingle = ((descriptor >> 5) & 1) === 1
  const size = descriptor >> 6 === 0 && isSingle ? 1 : (sizeBytes[descriptor >> 6] as number)
  return (isSingle ? 0 : 1) + (dictionaryBytes[descriptor & 3] as number) + size
}

/**
 * Yields the number of bytes that the parser needs next. It receives the bytes of headers; content
 * is skipped.
 */
function* walkFrames(): Generator<NeededBytes, never, Buffer> {
  for (;;) {
    const start = yield { bytes: 5, what: 'a frame' }
    if (start.readUInt32LE(0) !== magic) throw new Error('unknown frame')
    const descriptor = start[4] as number
    yield { bytes: headBytes(descriptor), what: 'content' }
    let isEmpty = true
    for (let isLast = false; !isLast; ) {
      const head = (yield { bytes: 3, what: 'a head' }).readUIntLE(0, 3)
      isLast = (head & 1) === 1
      const isRepeated = ((head >> 1) & 3) === 1
      if (head >> 3 > 0) isEmpty = false
      yield { bytes: isRepeated ? 1 : head >> 3, what: 'content' }
    }
    const hasChecksum = ((descriptor >> 2) & 1) === 1
    if (!hasChecksum) continue
    const checksum = (yield { bytes: 4, what: 'a head' }).readUInt32LE(0)
    if (isEmpty && checksum !== checksumOfNothing) throw new Error('wrong checksum')
  }
}

/** The same bytes. Throws where they are not frames, and at the end when that is inside a frame. */
export async function* wholeFrames(chunks: FrameStream): AsyncGenerator<Buffer> {
  const walk = walkFrames()
  let want = walk.next().value
  let [head, left] = [Buffer.alloc(0), want.bytes]
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(left, chunk.length - at)
      if (want.what !== 'content') head = Buffer.concat([head, chunk.subarray(at, at + taken)])
      at += taken
      left -= taken
      while (left === 0) {
        want = walk.next(head).value
        head = Buffer.alloc(0)
        left = want.bytes
      }
    }
    yield chunk
  }
  if (want.what !== 'a frame' || head.length > 0) throw new Error('unexpected end of file')
}
