/**
 * Unicode normalisation in time proportional to the text. `String.prototype.normalize` moves combining marks to their places one by one,
 * which is quadratic in a run of them: 128 KB took six seconds. Here the marks of a long run are put in order first.
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

/** Each mark that moves, with the place of its combining class from 1: marks of one class pass marks of a higher one. */
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

type Order = {
  /** By code point; 0 for whatever does not move. */
  readonly places: Uint8Array
  readonly decomposing: RegExp
}

/** JavaScript does not tell combining classes, but `normalize` shows them. It takes 20 ms, so it waits for the first long run. */
function makeOrder(): Order {
  const marks = allMarks()
  const decomposing = new Set(marks.filter((mark) => mark.normalize('NFD') !== mark))
  const places = placesOf(marks.filter((mark) => !decomposing.has(mark)))
  return { places, decomposing: new RegExp(`[${[...decomposing].join('')}]`, 'gu') }
}

type Run = { readonly codes: Uint32Array; readonly start: number; readonly end: number }

/** A longer run is sorted by counting, in time that does not depend on its order. */
const shortRun = 16

function sortByCounting(places: Uint8Array, { codes, start, end }: Run): void {
  const run = codes.slice(start, end)
  const begins = new Uint32Array(257)
  for (const code of run) begins[(places[code] as number) + 1] = (begins[(places[code] as number) + 1] as number) + 1
  for (let place = 1; place < 257; place += 1) begins[place] = (begins[place] as number) + (begins[place - 1] as number)
  for (const code of run) {
    const place = places[code] as number
    const at = begins[place] as number
    codes[start + at] = code
    begins[place] = at + 1
  }
}

/** Marks of equal places keep their order (Unicode, D109). */
function sortRun(places: Uint8Array, run: Run): void {
  const { codes, start, end } = run
  if (end - start > shortRun) {
    sortByCounting(places, run)
    return
  }
  const placeAt = (at: number) => places[codes[at] as number] as number
  for (let next = start + 1; next < end; next += 1) {
    const code = codes[next] as number
    const place = placeAt(next)
    let at = next
    for (; at > start && placeAt(at - 1) > place; at -= 1) codes[at] = codes[at - 1] as number
    codes[at] = code
  }
}

/** The same text to Unicode, with its marks in canonical order. */
function inOrder({ places, decomposing }: Order, text: string): string {
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

/** What people write has shorter runs. */
const longRun = /\p{M}{9}/u

function makeNormalizer(): (text: string) => string {
  let order: Order | undefined
  return (text) => {
    if (!longRun.test(text)) return text.normalize('NFC')
    order ??= makeOrder()
    return inOrder(order, text).normalize('NFC')
  }
}

/** `text.normalize('NFC')`, for every text. */
export const toNfc = makeNormalizer()
