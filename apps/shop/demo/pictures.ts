/**
 * Pictures of demo products, drawn by numbers: a plain shape for each category, in the colours of
 * its own place in the catalogue. So the demo needs no files of pictures.
 */
import { crc32, deflateSync } from 'node:zlib'

const side = 320

type Colour = readonly [red: number, green: number, blue: number]
/** Whether a point of the square from -1 to 1 is in the shape. */
type Shape = (x: number, y: number) => boolean

const shapes: readonly Shape[] = [
  (x, y) => x * x + y * y < 0.4,
  (x, y) => Math.abs(x) + Math.abs(y) < 0.75,
  (x, y) => Math.max(Math.abs(x), Math.abs(y)) < 0.55,
  (x, y) => y < 0.5 && y > Math.abs(x) * 1.7 - 0.65,
  (x, y) => Math.abs(Math.hypot(x, y) - 0.5) < 0.16,
  (x, y) => Math.abs(y) < 0.6 && Math.abs(x) < 0.35 + 0.2 * y,
]

/** Of one hue, as bright as `lightness` says. */
function colourOf(hue: number, lightness: number): Colour {
  const part = (shift: number) => {
    const at = (hue / 30 + shift) % 12
    const spread = 0.5 * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(at - 3, 9 - at, 1))))
  }
  return [part(0), part(8), part(4)]
}

/** A part of a PNG: its length, type, content and checksum. */
function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(content.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A PNG of two colours. The same number always gives the same bytes. */
export function demoPicture(number: number): Buffer<ArrayBuffer> {
  const shape = shapes[number % shapes.length] as Shape
  const hue = (number * 47) % 360
  const rows = Buffer.alloc(side * (1 + side))
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1) {
      const [x, y] = [(column / side) * 2 - 1, (row / side) * 2 - 1]
      rows[row * (1 + side) + 1 + column] = shape(x, y) ? 1 : 0
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 3], 8) // eight bits for a point, which name a colour of the palette
  const palette = Buffer.from([...colourOf(hue, 0.92), ...colourOf(hue, 0.45)])
  const parts = [
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([signature, ...parts])
}
