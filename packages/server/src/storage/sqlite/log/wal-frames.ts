/**
 * Parses the write-ahead log (sqlite.org/fileformat2.html, section 4). It has a header and frames.
 * Each frame is a page with its number and a checksum that continues from the frame before. A frame
 * that does not continue the chain is from before the log's last restart, or incomplete.
 */

const headerBytes = 32
const frameHeaderBytes = 24
const magic = 0x377f0682

/** A pair of running sums. */
export type FrameChecksum = readonly [number, number]

/** The position of a reader in the log. `salts` change each time the log restarts. */
export type WalPosition = {
  readonly salts: string
  readonly pageBytes: number
  /** Whether checksums read words with the most significant byte first. */
  readonly bigEndian: boolean
  /** Behind the last frame that was read. */
  readonly offset: number
  readonly sums: FrameChecksum
}

export type WalFrames = {
  /** Whole transactions: frames in the order of the log. */
  readonly bytes: Buffer
  readonly place: WalPosition
  /** Whether the chain of frames reaches the end of these bytes, and may continue behind them. */
  readonly isCut: boolean
}

function sumUp(bytes: Buffer, [first, second]: FrameChecksum, bigEndian: boolean): FrameChecksum {
  let a = first
  let b = second
  for (let i = 0; i < bytes.length; i += 8) {
    const x = bigEndian ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i)
    const y = bigEndian ? bytes.readUInt32BE(i + 4) : bytes.readUInt32LE(i + 4)
    a = (a + x + b) >>> 0
    b = (b + y + a) >>> 0
  }
  return [a, b]
}

/** The header of a log; undefined for other bytes. */
export function parseHeader(bytes: Buffer): WalPosition | undefined {
  if (bytes.length < headerBytes) return undefined
  const found = bytes.readUInt32BE(0)
  if ((found & ~1) >>> 0 !== magic) return undefined
  const bigEndian = (found & 1) === 1
  const sums = sumUp(bytes.subarray(0, 24), [0, 0], bigEndian)
  if (sums[0] !== bytes.readUInt32BE(24) || sums[1] !== bytes.readUInt32BE(28)) return undefined
  const salts = bytes.toString('hex', 16, 24)
  return { salts, pageBytes: bytes.readUInt32BE(8), bigEndian, offset: headerBytes, sums }
}

/**
 * `bytes`: the log from `place.offset` on. Returns only whole transactions: frames without a commit
 * are left for the next read.
 */
export function readFrames(bytes: Buffer, place: WalPosition): WalFrames {
  const { pageBytes, bigEndian, salts } = place
  const frameBytes = frameHeaderBytes + pageBytes
  let committed = { bytes: 0, sums: place.sums }
  let { sums } = place
  let isCut = true
  for (let from = 0; from + frameBytes <= bytes.length; from += frameBytes) {
    isCut = bytes.toString('hex', from + 8, from + 16) === salts
    if (!isCut) break
    sums = sumUp(bytes.subarray(from, from + 8), sums, bigEndian)
    sums = sumUp(bytes.subarray(from + frameHeaderBytes, from + frameBytes), sums, bigEndian)
    isCut = sums[0] === bytes.readUInt32BE(from + 16) && sums[1] === bytes.readUInt32BE(from + 20)
    if (!isCut) break
    const isCommit = bytes.readUInt32BE(from + 4) > 0
    if (isCommit) committed = { bytes: from + frameBytes, sums }
  }
  return {
    bytes: bytes.subarray(0, committed.bytes),
    place: { ...place, offset: place.offset + committed.bytes, sums: committed.sums },
    isCut,
  }
}

export type WalPage = {
  readonly number: number
  readonly content: Buffer
  /** Pages of the database after this commit, or 0. */
  readonly size: number
}

/** The pages in checked frames. */
export function* pagesIn(bytes: Buffer, pageBytes: number): Generator<WalPage> {
  const frameBytes = frameHeaderBytes + pageBytes
  for (let from = 0; from + frameBytes <= bytes.length; from += frameBytes)
    yield {
      number: bytes.readUInt32BE(from),
      size: bytes.readUInt32BE(from + 4),
      content: bytes.subarray(from + frameHeaderBytes, from + frameBytes),
    }
}
