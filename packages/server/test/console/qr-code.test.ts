/** QR codes of the console. Decision 0202 compares their modules with another encoder's. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { type QrCode, qrCodeOf } from '../../../console/src/qr/qr-code.ts'

const print = (code: QrCode) => code.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))

/** Versions, and the bytes that each just holds at level M. */
const capacities = [
  [1, 14],
  [2, 26],
  [6, 106],
  [7, 122],
  [9, 180],
  [10, 213],
  [14, 362],
  [27, 1125],
] as const

describe('QR codes of the console', () => {
  it('draws a short text', () => {
    assert.deepEqual(print(qrCodeOf('bindery')), [
      '#######..###..#######',
      '#.....#.#..#..#.....#',
      '#.###.#..#..#.#.###.#',
      '#.###.#..##.#.#.###.#',
      '#.###.#.#.#.#.#.###.#',
      '#.....#..##.#.#.....#',
      '#######.#.#.#.#######',
      '.........####........',
      '#.#.#.#..#.#....#..#.',
      '..#..#..##....##.####',
      '#.#####..##.#...#####',
      '#.#....##.....#....##',
      '#####.#.....#.#.....#',
      '........#..#.#..#.###',
      '#######..#.#.####..##',
      '#.....#...####.##...#',
      '#.###.#.#.##.##.#..##',
      '#.###.#..##...#.#..#.',
      '#.###.#.##..#..##.#.#',
      '#.....#...#...#....#.',
      '#######.###.#.###..##',
    ])
  })

  it('takes the least version that holds the text, and draws it', () => {
    const all = createHash('sha256')
    for (const [version, bytes] of capacities) {
      const code = qrCodeOf('k'.repeat(bytes))
      assert.equal(code.length, 4 * version + 17, `${bytes} bytes`)
      all.update(print(code).join('\n'))
    }
    assert.equal(all.digest('hex'), '5ba9e2c37372b67bc043278bdac12643c816b8e2806c2aaf483518996b09f162')
    assert.throws(() => qrCodeOf('k'.repeat(2332)), RangeError)
    assert.equal(qrCodeOf('ä'.repeat(7)).length, 21, 'UTF-8 has two bytes for it')
  })
})
