/**
 * Packing of small texts: the block format of LZ4 (lz4_Block_format.md of the LZ4 project). Bytes that were there before, up to 64 KB back, are
 * named by their distance and length; all others stand as they are. It is ours because zlib's calls leave objects and buffers behind that only a
 * full collection of garbage takes away: unpacking lists under load, they held 40 MB (decision 0057).
 *
 * A sequence: a byte with both lengths, 4 bits each; more of the first length; literals; 2 bytes of distance; more of the second length. The last
 * sequence ends with its literals.
 */

const matchMin = 4
const distanceMax = 65_535
/** As the format has it: so many bytes at the end are literals, and the last match begins no nearer to it than this. */
const endLiterals = 5
const lastMatchAt = 12
const nibble = 15
const hashBits = 12
/** Where four bytes were seen last, by their hash; each block begins its places anew. */
const places = new Int32Array(1 << hashBits)

/** No block is longer than this. */
export function packedLengthMax(length: number): number {
  return length + Math.ceil(length / 255) + 16
}

function hashAt(bytes: Uint8Array, i: number): number {
  const four =
    (bytes[i] as number) |
    ((bytes[i + 1] as number) << 8) |
    ((bytes[i + 2] as number) << 16) |
    ((bytes[i + 3] as number) << 24)
  return Math.imul(four, 0x9e3779b1) >>> (32 - hashBits)
}

/** What of a length does not fit into its four bits. Returns where it ends. */
function putRest(to: Uint8Array, at: number, length: number): number {
  let end = at
  let rest = length - nibble
  if (rest < 0) return end
  for (; rest >= 255; rest -= 255) to[end++] = 255
  to[end++] = rest
  return end
}

type Literals = { readonly from: Uint8Array; readonly first: number; readonly length: number; readonly match: number }

/** Returns where the literals end. `match`: the length of the match that follows, 0 where none does. */
function putLiterals(to: Uint8Array, at: number, { from, first, length, match }: Literals): number {
  to[at] = (Math.min(length, nibble) << 4) | (match === 0 ? 0 : Math.min(match - matchMin, nibble))
  const start = putRest(to, at + 1, length)
  for (let k = 0; k < length; k += 1) to[start + k] = from[first + k] as number
  return start + length
}

/** How many bytes from `i` on are the same as from `before` on. */
function sameFrom(bytes: Uint8Array, { before, i, end }: { before: number; i: number; end: number }): number {
  let length = 0
  while (i + length < end && bytes[before + length] === bytes[i + length]) length += 1
  return length
}

/** Packs the first `length` bytes. `to` has room for `packedLengthMax`. Returns the length of the block. */
export function pack(bytes: Uint8Array, length: number, to: Uint8Array): number {
  places.fill(-1)
  let [at, literals, i] = [0, 0, 0]
  while (i <= length - lastMatchAt) {
    const hash = hashAt(bytes, i)
    const before = places[hash] as number
    places[hash] = i
    const isNear = before >= 0 && i - before <= distanceMax
    const same = isNear ? sameFrom(bytes, { before, i, end: length - endLiterals }) : 0
    if (same < matchMin) {
      i += 1
      continue
    }
    at = putLiterals(to, at, { from: bytes, first: literals, length: i - literals, match: same })
    to[at++] = (i - before) & 255
    to[at++] = (i - before) >> 8
    at = putRest(to, at, same - matchMin)
    i += same
    literals = i
    places[hashAt(bytes, i - 2)] = i - 2
  }
  return putLiterals(to, at, { from: bytes, first: literals, length: length - literals, match: 0 })
}

/** Unpacks a block that `pack` made; `to` has room for what was packed. Returns its length. */
export function unpack(packed: Uint8Array, length: number, to: Uint8Array): number {
  let [i, at] = [0, 0]
  for (;;) {
    const lengths = packed[i++] as number
    let literals = lengths >> 4
    if (literals === nibble) {
      let more = 255
      for (; more === 255; literals += more) more = packed[i++] as number
    }
    for (const end = i + literals; i < end; ) to[at++] = packed[i++] as number
    if (i >= length) return at
    let from = at - ((packed[i] as number) | ((packed[i + 1] as number) << 8))
    i += 2
    let match = lengths & nibble
    if (match === nibble) {
      let more = 255
      for (; more === 255; match += more) more = packed[i++] as number
    }
    for (const end = at + match + matchMin; at < end; ) to[at++] = to[from++] as number
  }
}
