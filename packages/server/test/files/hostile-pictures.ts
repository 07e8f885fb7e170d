/** Pictures that are large, slow or broken, made by hand. */
import { crc32, deflateSync } from 'node:zlib'

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

/** A black and white PNG of one colour: some kB for a hundred million pixels. */
export function blankPng(width: number, height: number, { damaged = false } = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = damaged ? Buffer.from('no pixels') : deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height))
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([mark, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

/** An animation of one pixel. */
export function animation(frames: number): Buffer {
  const head = Buffer.from('474946383961010001008000000000 00ffffff'.replace(' ', ''), 'hex')
  const frame = Buffer.from('21f904000a0000002c00000000010001000002024401 00'.replace(' ', ''), 'hex')
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from('3b', 'hex')])
}

export const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
)
