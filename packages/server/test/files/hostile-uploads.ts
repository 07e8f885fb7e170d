/**
 * Hostile bytes, forms and names, each with the answer that refuses or tames it. Those of tus are
 * in `tus-hostile.test.ts`, and those that pages embed in `hostile.browser.test.ts`.
 */
import { deflateRawSync, gzipSync } from 'node:zlib'
import { animation, blankPng } from './hostile-pictures.ts'
import { pdf, png } from './sample-files.ts'

export type HostileField = 'photo' | 'manual' | 'note' | 'bait'
export type HostileBytes = {
  readonly field: HostileField
  readonly bytes: Buffer
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly says: RegExp
}

const notThese = /^(?:photo|manual|note) takes .*, and these bytes are /
const code = '<script>alert(1)</script>'
const svg = (inside: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`)
const foreign = `<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/></foreignObject>`
const boxOf = (brand: string) => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0${brand}mif1`, 'latin1')

/** One file of an archive, which would be 10 MB of zeros. */
function zipBomb(): Buffer {
  const packed = deflateRawSync(Buffer.alloc(10_000_000))
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(packed.length, 18)
  head.writeUInt32LE(10_000_000, 22)
  head.writeUInt16LE(1, 26)
  return Buffer.concat([head, Buffer.from('a'), packed])
}

const refusedPicture = (bytes: Buffer, says = notThese): HostileBytes => ({
  field: 'photo',
  bytes,
  type: 'image/png',
  status: 415,
  says,
})
const refusedManual = (bytes: Buffer): HostileBytes => ({
  field: 'manual',
  bytes,
  type: 'application/pdf',
  status: 415,
  says: notThese,
})
const refusedNote = (bytes: Buffer, says = notThese): HostileBytes => ({ field: 'note', bytes, status: 415, says })
const damaged = /^photo /

export const hostileBytes: Readonly<Record<string, HostileBytes>> = {
  'a page as a picture': refusedPicture(Buffer.from(`<!doctype html>${code}`)),
  'a drawing with a script as a picture': refusedPicture(svg(code)),
  'a drawing with a foreign object': refusedPicture(svg(foreign)),
  'a document as a picture': refusedPicture(pdf),
  'an archive as a picture': refusedPicture(zipBomb()),
  'a program as a picture': refusedPicture(Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0', 'latin1')),
  'a film as a picture': refusedPicture(boxOf('isom')),
  'a picture of a type that few browsers show': refusedPicture(boxOf('heic')),
  'a picture that is a script, too': refusedPicture(Buffer.from(`GIF89a=1;alert(1)//`), damaged),
  'a bitmap that is a script, too': refusedPicture(Buffer.from('BM=1;alert(1)//')),
  'a bomb of pixels': refusedPicture(blankPng(20_000, 20_000), damaged),
  'a bomb of frames': refusedPicture(animation(1_500), damaged),
  'a picture without pixels': refusedPicture(blankPng(0, 0), damaged),
  'a picture that is one pixel wide, and endless': refusedPicture(blankPng(1, 60_000_000), damaged),
  'the beginning of a picture': refusedPicture(png.subarray(0, 20), damaged),
  'a page that has a document in it': refusedManual(Buffer.concat([Buffer.from(`<html>${code}`), pdf])),
  'a document behind other bytes': refusedManual(Buffer.concat([Buffer.alloc(2_000, 1), pdf])),
  'an archive as a document': refusedManual(zipBomb()),
  'packed bytes as a document': refusedManual(gzipSync(pdf)),
  'a picture as a document': refusedManual(png),
  'a text with NUL': refusedNote(Buffer.from('a\0b')),
  'a text in UTF-16': refusedNote(Buffer.from(`\ufeff${code}`, 'utf16le')),
  'a text that becomes bytes after 64 kB': refusedNote(
    Buffer.concat([Buffer.alloc(100_000, 'a'), Buffer.from([0xff, 0xfe])]),
    /begins as a text, and has other bytes later/,
  ),
  'a text that ends within a letter': refusedNote(
    Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.from([0xe2, 0x82])]),
    /begins as a text, and has other bytes later/,
  ),
  'no bytes': { field: 'bait', bytes: Buffer.alloc(0), status: 400, says: /has no bytes/ },
  'more bytes than it may have': {
    field: 'bait',
    bytes: Buffer.alloc(1_000_001),
    status: 413,
    says: /takes files of at most 1\.0 MB/,
  },
  'a bomb by Content-Encoding': {
    field: 'bait',
    bytes: gzipSync(Buffer.alloc(5_000_000)),
    headers: { 'content-encoding': 'gzip' },
    status: 415,
    says: /^Send the body without Content-Encoding/,
  },
  'a part of a file by Content-Range': {
    field: 'bait',
    bytes: Buffer.from('part'),
    headers: { 'content-range': 'bytes 0-3/99' },
    status: 400,
    says: /Content-Range/,
  },
  'a key of a retry': {
    field: 'bait',
    bytes: Buffer.from('a'),
    headers: { 'idempotency-key': 'k' },
    status: 400,
    says: /Idempotency-Key/,
  },
}

const boundary = 'x'
const disposition = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`
const part = (head: string, body: string) => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`
const end = `--${boundary}--\r\n`
const bait = '; filename="a"'

export type HostileForm = {
  readonly raw: string
  /** `boundary=x` unless said. */
  readonly type?: string
  readonly status: number
  readonly says: RegExp
}
const noForm = /^The body (?:is no multipart\/form-data|ended too early)/
const tooMuch = /^The form has more parts, or larger ones, than it may have/

export const hostileForms: Readonly<Record<string, HostileForm>> = {
  'no boundary': { raw: end, type: 'multipart/form-data', status: 400, says: noForm },
  'a boundary that never comes': { raw: 'nothing of it', status: 400, says: noForm },
  'a form that never ends': { raw: part(disposition('title'), 'A'), status: 400, says: noForm },
  'a file that never ends': {
    raw: part(disposition('bait', bait), 'abc').slice(0, -2),
    status: 400,
    says: noForm,
  },
  '10,000 values': {
    raw: Array.from({ length: 10_000 }, (_, i) => part(disposition(`f${i}`), 'x')).join('') + end,
    status: 413,
    says: tooMuch,
  },
  '10,000 files': {
    raw: Array.from({ length: 10_000 }, () => part(disposition('bait', bait), 'x')).join('') + end,
    status: 413,
    says: /^The form has more parts|^bait occurs twice/,
  },
  'a form within a form': {
    raw: part(`${disposition('bait')}\r\nContent-Type: multipart/mixed; boundary=y`, '--y\r\n\r\nx\r\n--y--') + end,
    status: 400,
    says: /^bait must be the id of an upload/,
  },
  'a field twice': {
    raw: part(disposition('title'), 'A') + part(disposition('title'), 'B') + end,
    status: 400,
    says: /^title occurs twice/,
  },
  'a single file twice': {
    raw: part(disposition('bait', bait), 'A') + part(disposition('bait', bait), 'B') + end,
    status: 400,
    says: /^bait occurs twice/,
  },
  'a file of no field': { raw: part(disposition('nothing', bait), 'A') + end, status: 400, says: /^Unknown field/ },
  'the prototype as a field': {
    raw: part(disposition('__proto__'), '{"a":1}') + end,
    status: 400,
    says: /__proto__/,
  },
  'the id of a file of others': {
    raw: part(disposition('bait'), '00000000-0000-4000-8000-000000000000') + end,
    status: 400,
    says: /^bait names no upload of yours/,
  },
  'a name of 300 letters': {
    raw: part(disposition('n'.repeat(300)), 'A') + end,
    status: 400,
    says: /^Unknown field n{100}$/,
  },
  'a value of 2 MB': { raw: part(disposition('title'), 'a'.repeat(2_000_000)) + end, status: 413, says: tooMuch },
  'a head of a part without end': {
    raw: `--x\r\n${disposition('title')}\r\nX-Long: ${'a'.repeat(200_000)}`,
    status: 400,
    says: noForm,
  },
  'words in place of a form': { raw: 'a'.repeat(4_000_000), status: 400, says: noForm },
  'words before a form, beyond its limit': { raw: 'a'.repeat(9_000_000) + end, status: 413, says: tooMuch },
}

/** A name as it is sent, and what is left of it. */
export const hostileNames: Readonly<Record<string, readonly [sent: string, kept: string]>> = {
  'a path upwards': ['../../etc/passwd', 'passwd'],
  'a path of Windows': ['C:\\windows\\system32\\a.dll', 'a.dll'],
  NUL: ['a.pdf\0.exe', 'a.pdf.exe'],
  'a line break with a header': ['a\r\nSet-Cookie: b=c\r\n\r\n<b>.txt', 'aSet-Cookie_ b=c_b_.txt'],
  'a turned direction': ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  'isolates of direction': ['\u2067a\u2069\u200f.txt', 'a.txt'],
  'invisible letters': ['a\u200b\u00ad\ufeff.txt', 'a.txt'],
  '5,000 letters': [`${'a'.repeat(5_000)}.pdf`, `${'a'.repeat(196)}.pdf`],
  'a device': ['CON.txt', '_CON.txt'],
  'a hidden file': ['..htaccess', 'htaccess'],
  'only dots': ['...', 'bait'],
  'quotes and parameters': ['a"; filename="b.exe', 'a_; filename=_b.exe'],
  'a letter of private use': ['a\ue000.txt', 'a.txt'],
}
