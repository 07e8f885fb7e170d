/**
 * Memory that is lent to one answer after another. A buffer of its own for each answer of 7 KB takes as long as reading that from a file, and is
 * collected late.
 */

/** Who has sent all of the bytes gives the memory back, and must not look at them afterwards. Whoever forgets to leaves it to be collected. */
export type Lent = { readonly lent: Buffer; readonly giveBack: () => void }

const pieceBytes = 16_384
/** As many as are lent at once under load, and then some. */
const piecesMax = 128
const free: Buffer[] = []

const toCollect = () => undefined

/** Gives back what was lent and is not sent after all. */
export function letGo(body: unknown): void {
  if (typeof body === 'object' && body !== null && 'giveBack' in body) (body as Lent).giveBack()
}

/** So many bytes, which may hold anything. */
export function lend(bytes: number): Lent {
  if (bytes > pieceBytes) return { lent: Buffer.allocUnsafeSlow(bytes), giveBack: toCollect }
  const piece = free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
  let isLent = true
  return {
    lent: piece.subarray(0, bytes),
    giveBack() {
      if (isLent && free.length < piecesMax) free.push(piece)
      isLent = false
    },
  }
}
