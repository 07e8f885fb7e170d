/** Reed-Solomon correction of QR codes: polynomials over the field of 256 elements, by 0x11d. */

function multiply(a: number, b: number): number {
  let product = 0
  for (let at = 7; at >= 0; at--) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> at) & 1) * a)
  return product
}

/** The product of `x - 2^i` for each `i` below the degree, without its first coefficient. */
function divisorOf(degree: number): readonly number[] {
  const divisor = [...Array<number>(degree - 1).fill(0), 1]
  for (let at = 0, root = 1; at < degree; at++, root = multiply(root, 2))
    for (let term = 0; term < degree; term++)
      divisor[term] = multiply(divisor[term] as number, root) ^ (divisor[term + 1] ?? 0)
  return divisor
}

/** `count`: the correction words of one block. */
export function correctionWords(block: readonly number[], count: number): readonly number[] {
  const divisor = divisorOf(count)
  let rest = Array<number>(count).fill(0)
  for (const word of block) {
    const factor = word ^ (rest[0] as number)
    rest = [...rest.slice(1), 0].map((one, at) => one ^ multiply(divisor[at] as number, factor))
  }
  return rest
}
