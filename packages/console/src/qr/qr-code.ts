/**
 * A text as a QR code: bytes in UTF-8 at error correction level M (ISO/IEC 18004). One version of
 * 40 fits the text, and the mask with the fewest penalty points is chosen.
 */
import { correctionWords } from './qr-correction.ts'
import { masks, penaltyOf } from './qr-mask.ts'

/** By version: correction words of each block, and the number of blocks. */
const wordsOfBlock = [
  0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
]
const blockCounts = [
  0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33,
  35, 37, 38, 40, 43, 45, 47, 49,
]

/** Rows of modules; true is dark. */
export type QrCode = readonly (readonly boolean[])[]

type Grid = {
  readonly size: number
  readonly dark: boolean[][]
  /** Modules of patterns, which hold no data. */
  readonly fixed: boolean[][]
}

/** Bits that a version has for data and correction. */
function rawBits(version: number): number {
  const all = (16 * version + 128) * version + 64
  if (version < 2) return all
  const aligned = Math.floor(version / 7) + 2
  return all - (25 * aligned - 10) * aligned + 55 - (version < 7 ? 0 : 36)
}

const rawWords = (version: number) => Math.floor(rawBits(version) / 8)
const dataWords = (version: number) =>
  rawWords(version) - (wordsOfBlock[version] as number) * (blockCounts[version] as number)
const lengthBits = (version: number) => (version < 10 ? 8 : 16)

/** Throws `RangeError` for a text that fits in no version. */
function versionFor(bytes: number): number {
  for (let version = 1; version <= 40; version++)
    if (4 + lengthBits(version) + bytes * 8 <= dataWords(version) * 8) return version
  throw new RangeError('The text is too long for a QR code')
}

/** Mode, length, bytes, an end, and words that fill the rest. */
function encode(bytes: Uint8Array, version: number): number[] {
  const capacity = dataWords(version)
  const bits: number[] = []
  const append = (value: number, count: number) => {
    for (let at = count - 1; at >= 0; at--) bits.push((value >>> at) & 1)
  }
  append(0b0100, 4)
  append(bytes.length, lengthBits(version))
  for (const byte of bytes) append(byte, 8)
  append(0, Math.min(4, capacity * 8 - bits.length))
  append(0, -bits.length & 7)
  const words: number[] = []
  for (let at = 0; at < bits.length; at += 8) words.push(Number.parseInt(bits.slice(at, at + 8).join(''), 2))
  for (let filler = 0xec; words.length < capacity; filler ^= 0xec ^ 0x11) words.push(filler)
  return words
}

/** The words of all blocks in turn, then their correction words. Short blocks come first. */
function interleave(words: readonly number[], version: number): number[] {
  const blocks = blockCounts[version] as number
  const each = wordsOfBlock[version] as number
  const short = blocks - (rawWords(version) % blocks)
  const length = Math.floor(rawWords(version) / blocks) - each
  const data: (readonly number[])[] = []
  for (let block = 0, at = 0; block < blocks; block++) {
    const end = at + length + (block < short ? 0 : 1)
    data.push(words.slice(at, end))
    at = end
  }
  const corrections = data.map((block) => correctionWords(block, each))
  const inTurn = (all: readonly (readonly number[])[], most: number) =>
    Array.from({ length: most }, (_, at) => all.flatMap((block) => (at < block.length ? [block[at] as number] : [])))
  return [...inTurn(data, length + 1), ...inTurn(corrections, each)].flat()
}

function put({ dark, fixed }: Grid, [x, y]: readonly [number, number], isDark: boolean): void {
  ;(dark[y] as boolean[])[x] = isDark
  ;(fixed[y] as boolean[])[x] = true
}

/** Squares inside each other around a centre, cut off at the edge. */
function drawSquares(grid: Grid, [cx, cy]: readonly [number, number], reach: number): void {
  for (let dy = -reach; dy <= reach; dy++)
    for (let dx = -reach; dx <= reach; dx++) {
      const [x, y, far] = [cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy))]
      const isInside = x >= 0 && y >= 0 && x < grid.size && y < grid.size
      if (isInside) put(grid, [x, y], reach === 4 ? far !== 2 && far !== 4 : far !== 1)
    }
}

function alignments(version: number, size: number): readonly number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  return Array.from({ length: count }, (_, at) => (at === 0 ? 6 : size - 7 - (count - 1 - at) * step))
}

/** Level M and the mask, with their check bits. */
function drawFormat(grid: Grid, mask: number): void {
  let rest = mask
  for (let at = 0; at < 10; at++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
  const bits = ((mask << 10) | rest) ^ 0x5412
  const { size } = grid
  for (let at = 0; at < 15; at++) {
    const isDark = ((bits >>> at) & 1) === 1
    const near = at < 6 ? at : at + 1
    put(grid, at < 8 ? [8, near] : [at === 8 ? 7 : 14 - at, 8], isDark)
    put(grid, at < 8 ? [size - 1 - at, 8] : [8, size - 15 + at], isDark)
  }
  put(grid, [8, size - 8], true)
}

function drawVersion(grid: Grid, version: number): void {
  if (version < 7) return
  let rest = version
  for (let at = 0; at < 12; at++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
  const bits = (version << 12) | rest
  for (let at = 0; at < 18; at++) {
    const [a, b] = [grid.size - 11 + (at % 3), Math.floor(at / 3)]
    put(grid, [a, b], ((bits >>> at) & 1) === 1)
    put(grid, [b, a], ((bits >>> at) & 1) === 1)
  }
}

function drawPatterns(version: number): Grid {
  const size = version * 4 + 17
  const empty = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const grid = { size, dark: empty(), fixed: empty() }
  for (let at = 0; at < size; at++) {
    put(grid, [6, at], at % 2 === 0)
    put(grid, [at, 6], at % 2 === 0)
  }
  for (const at of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawSquares(grid, at, 4)
  const centres = alignments(version, size)
  const [first, last] = [centres[0], centres.at(-1)]
  for (const y of centres)
    for (const x of centres) {
      const isFinder = (x === first && y === first) || (x === first && y === last) || (x === last && y === first)
      if (!isFinder) drawSquares(grid, [x, y], 2)
    }
  drawFormat(grid, 0)
  drawVersion(grid, version)
  return grid
}

/** From the right to the left in pairs of columns, up and down in turn. */
function drawData({ size, dark, fixed }: Grid, words: readonly number[]): void {
  let at = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step
        if (fixed[y]?.[x] || at >= words.length * 8) continue
        ;(dark[y] as boolean[])[x] = (((words[at >>> 3] as number) >>> (7 - (at & 7))) & 1) === 1
        at++
      }
  }
}

/** Throws `RangeError` for more than 2331 bytes. */
export function qrCodeOf(text: string): QrCode {
  const bytes = new TextEncoder().encode(text)
  const version = versionFor(bytes.length)
  const grid = drawPatterns(version)
  drawData(grid, interleave(encode(bytes, version), version))
  const masked = masks.map((isFlipped, mask): Grid => {
    const dark = grid.dark.map((row, y) => row.map((isDark, x) => isDark !== (!grid.fixed[y]?.[x] && isFlipped(x, y))))
    const own = { ...grid, dark }
    drawFormat(own, mask)
    return own
  })
  const [best] = masked.map(({ dark }) => ({ dark, points: penaltyOf(dark) })).sort((a, b) => a.points - b.points)
  return (best as { readonly dark: QrCode }).dark
}
