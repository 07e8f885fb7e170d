/**
 * Unicode normalisation in time proportional to the text. `String.prototype.normalize` takes
 * quadratic time for a run of combining marks: 128 KB took six seconds. This file sorts the marks
 * of a long run first.
 */

/** All combining marks that can move lie below. */
const codesEnd = 0x1f000
/** Stands between samples. It combines with nothing. */
const apart = '-'

/** Code points → text, by UTF-16. */
function textOf(codes: Uint32Array): string {
  const units = new Uint16Array(codes.length * 2)
  let length = 0
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] as number
    if (code > 0xffff) units[length++] = 0xd7c0 + (code >> 10)
    units[length++] = code > 0xffff ? 0xdc00 | (code & 0x3ff) : code
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

function allMarks(): string[] {
  const codes = new Uint32Array(codesEnd)
  for (let code = 0; code < codesEnd; code += 1) codes[code] = code
  return textOf(codes).match(/\p{M}/gu) ?? []
}

/** Which samples canonical order changes, by one call of `normalize` for all. */
function areReordered(samples: readonly string[]): boolean[] {
  const ordered = samples.join(apart).normalize('NFD').split(apart)
  return samples.map((sample, i) => sample !== ordered[i])
}

/**
 * Each mark that moves, with the place of its combining class from 1: marks of one class pass marks
 * of a higher one.
 */
function placesOf(marks: readonly string[]): Uint8Array {
  const [lowest, highest] = ['\u0334', '\u0345']
  const afterHighest = areReordered(marks.map((mark) => `${highest}${mark}`))
  const beforeLowest = areReordered(marks.map((mark) => `${mark}${lowest}`))
  const moving = marks.filter((_, i) => afterHighest[i] || beforeLowest[i])
  const sorted = [...moving.join('').normalize('NFD')]
  const isHigher = areReordered(sorted.map((mark, i) => (i === 0 ? mark : `${mark}${sorted[i - 1]}`)))
  const places = new Uint8Array(codesEnd)
  let place = 1
  for (const [i, mark] of sorted.entries()) {
    if (isHigher[i]) place += 1
    places[mark.codePointAt(0) as number] = place
  }
  return places
}

type CombiningOrder = {
  /** By code point; 0 for characters that do not move. */
  readonly places: Uint8Array
  readonly decomposing: RegExp
}

/**
 * JavaScript does not tell combining classes, but `normalize` shows them. It takes 20 ms, so it
 * waits for the first long run.
 */
function makeOrder(): CombiningOrder {
  const marks = allMarks()
  const decomposing = new Set(marks.filter((mark) => mark.normalize('NFD') !== mark))
  const places = placesOf(marks.filter((mark) => !decomposing.has(mark)))
  return { places, decomposing: new RegExp(`[${[...decomposing].join('')}]`, 'gu') }
}

type MarkRun = { readonly codes: Uint32Array; readonly start: number; readonly end: number }

/** Marks of equal places keep their order (Unicode, D109), since sorting is stable. */
function sortRun(places: Uint8Array, { codes, start, end }: MarkRun): void {
  if (end - start < 2) return
  codes.subarray(start, end).sort((a, b) => (places[a] as number) - (places[b] as number))
}

/** The same text to Unicode, with its marks in canonical order. */
function inOrder({ places, decomposing }: CombiningOrder, text: string): string {
  const whole = text.replace(decomposing, (mark) => mark.normalize('NFD'))
  const codes = new Uint32Array(whole.length)
  let length = 0
  let start = 0
  for (let at = 0; at < whole.length; length += 1) {
    const code = whole.codePointAt(at) as number
    codes[length] = code
    at += code > 0xffff ? 2 : 1
    if ((places[code] ?? 0) > 0) continue
    sortRun(places, { codes, start, end: length })
    start = length + 1
  }
  sortRun(places, { codes, start, end: length })
  return textOf(codes.subarray(0, length))
}

/** Texts of people have shorter runs. */
const longRun = /\p{M}{9}/u

function makeNormalizer(): (text: string) => string {
  let order: CombiningOrder | undefined
  return (text) => {
    if (!longRun.test(text)) return text.normalize('NFC')
    order ??= makeOrder()
    return inOrder(order, text).normalize('NFC')
  }
}

/** `text.normalize('NFC')`, for every text. */
export const toNfc = makeNormalizer()
