/** The eight masks of QR codes, and the penalty points by which one is chosen. */
import type { QrCode } from './qr-code.ts'

type Mask = (x: number, y: number) => boolean

export const masks: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** Runs of five equal modules and more, and patterns that look like a finder. */
function pointsOfLine(line: string): number {
  const runs = line.match(/0{5,}|1{5,}/g) ?? []
  const finders = `0000${line}0000`.match(/(?=00001011101)|(?=10111010000)/g) ?? []
  return runs.reduce((sum, run) => sum + run.length - 2, 0) + finders.length * 40
}

export function penaltyOf(code: QrCode): number {
  const size = code.length
  const rows = code.map((row) => row.map(Number).join(''))
  const columns = rows.map((_, x) => rows.map((row) => row[x]).join(''))
  let points = [...rows, ...columns].reduce((sum, line) => sum + pointsOfLine(line), 0)
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) {
      const [above, row] = [rows[y - 1] as string, rows[y] as string]
      const square = above.slice(x - 1, x + 1) + row.slice(x - 1, x + 1)
      if (square === '0000' || square === '1111') points += 3
    }
  const dark = rows.join('').replaceAll('0', '').length
  return points + Math.floor(Math.abs(dark * 20 - size * size * 10) / (size * size)) * 10
}
