/** Ids of requests that bring none: what is drawn for the process, and a number that counts up, `q3Zk_0aX-1f`. */
import { randomBytes } from 'node:crypto'

const [zero, nine, a, z, dash] = [...Buffer.from('09az-')] as [number, number, number, number, number]

/**
 * Counted by its digits, of base 36. A text that `+` joins is kept as its pieces, and whoever looks at its characters pays for that: the
 * header, and the line in the log. One that is made of characters is in one piece.
 */
export function makeRequestIds(): () => string {
  const codes = [...Buffer.from(randomBytes(6).toString('base64url')), dash]
  const first = codes.length
  codes.push(zero - 1) // what is counted up before the first id is `0`

  function countUp(): void {
    for (let i = codes.length - 1; i >= first; i -= 1) {
      const code = codes[i] as number
      if (code !== z) {
        codes[i] = code === nine ? a : code + 1
        return
      }
      codes[i] = zero
    }
    codes.splice(first, 0, zero + 1)
  }
  return () => {
    countUp()
    return String.fromCharCode(...codes)
  }
}
