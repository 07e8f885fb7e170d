/**
 * The data of the benchmark: the demo's products as patterns, with new prices, stocks and makers. A
 * table of any size has the same distribution. The same index always gives the same row, whatever
 * the size.
 */
import { demoProducts } from '../apps/shop/demo/products.ts'
import { makeRandom } from './random.ts'

export type Product = {
  readonly name: string
  readonly description: string
  readonly category: string
  /** In cents. */
  readonly price: number
  readonly stock: number | null
  readonly inStock: boolean
}

const starts =
  'Bran Corv Dalb Edmo Ferr Gask Hild Ivor Jarn Kest Lomb Marv Nord Orsk Pell Quen Rusk Sarn Tarn Ulve Vesk Wend Yarr Zeld Arvo'
const ends = 'ack bea cot den eld fax gar hus ith jal kin lod mus nax ove pip rax sel tun usk vey wic yon zet ord'
const tails = 'sen berg mann ford wick dale stad holm'

/**
 * 625 words of seven letters that are in no other text and none of which begins another: each has
 * 160 rows in 100,000.
 */
export const makers = starts.split(' ').flatMap((start) => ends.split(' ').map((end) => start + end))

/** 5,000 surnames; each is the author of 20 in 100,000 books, and none is a part of another. */
export const surnames = makers.flatMap((maker) => tails.split(' ').map((tail) => maker + tail))

const givenNames =
  'Ada Björn Chloé Dušan Elif Farid Grete Hana Igor Jana Karel Łucja Mina Noé Olga Paolo Rut Søren Tove Zoë'.split(' ')
const subjects =
  'river winter garden letter harbour orchard silence mountain kitchen summer window island stranger lantern'.split(' ')

/** Makes rows by index. */
export function makeProducts(): (index: number) => Product {
  const patterns = demoProducts(4000)
  return (index) => {
    const random = makeRandom(index * 2654435761)
    random.next() // neighbouring seeds are alike in their first number
    const pattern = random.pick(patterns)
    const share = random.next()
    const stock = share < 1 / 12 ? 0 : share < 1 / 12 + 1 / 10 ? null : 1 + Math.floor(random.next() ** 2 * 240)
    return {
      name: `${pattern.name} by ${random.pick(makers)}`,
      description: `${pattern.description} Batch ${index.toString(36)}.`,
      category: pattern.category,
      price: Math.max(1, Math.round(pattern.price * 100 * (0.5 + random.next()))),
      stock,
      inStock: stock !== 0,
    }
  }
}

/** The authors go by turns, so that each has written 20 of the books. */
export function bookOf(index: number, count: number): { title: string; author: string; year: number } {
  const random = makeRandom(index * 40503 + 7)
  random.next()
  const title = `The ${random.pick(subjects)} and the ${random.pick(subjects)}, volume ${index + 1}`
  const author = `${random.pick(givenNames)} ${surnames[index % authorsOf(count)]}`
  return { title, author, year: 1900 + random.below(126) }
}

export function authorsOf(books: number): number {
  return Math.min(surnames.length, Math.ceil(books / 20))
}

export type Message = { readonly from: number; readonly to: number; readonly text: string }

export const userCount = 50

/**
 * Of `count` messages the first user has a fiftieth, at most 2,000 of 100,000: half of them sent,
 * half received.
 */
export function messageOf(index: number): Message {
  const random = makeRandom(index * 97 + 3)
  random.next()
  const other = 1 + random.below(userCount - 1)
  const another = 1 + ((other + random.below(userCount - 2)) % (userCount - 1))
  const text = `About the ${random.pick(subjects)}: it will be there on day ${1 + random.below(365)} (${index.toString(36)}).`
  if (index % 50 === 0) return index % 100 === 0 ? { from: 0, to: other, text } : { from: other, to: 0, text }
  return { from: other, to: another, text }
}

/** How many rows each table has. */
export function countsOf(products: number): { products: number; books: number; messages: number } {
  const others = Math.min(products, 100_000)
  return { products, books: others, messages: others }
}
