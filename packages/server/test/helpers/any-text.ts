/**
 * Random texts of any code points, as those of `fc.string({ unit: 'binary' })`. That one lists all
 * code points before the first text, which takes a second of each process.
 */
import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }
const point = fc
  .nat(0x10ffff - surrogates.count)
  .map((at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count))

/** Names that objects of JavaScript have anyway. */
const names = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__', 'key', 'ref']

export function anyText({ maxLength }: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  const text = fc.string({ unit: point, ...(maxLength !== undefined && { maxLength }) })
  const known = names.filter(({ length }) => length <= (maxLength ?? Number.POSITIVE_INFINITY))
  return fc.oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom('', ...known) })
}
