// Demo data: up to several hundred plausible products, composed from product-words.ts. The same
// count always gives the same list, and a longer list starts with the shorter one.
import { type ProductCategory, type ProductKind, productCategories } from './product-words.ts'

export interface DemoProduct {
  readonly name: string
  readonly description: string
  readonly category: string
  /** At most two decimals. */
  readonly price: number
  /** Pieces on the shelf; null where stock is not tracked. */
  readonly stock: number | null
  readonly inStock: boolean
}

const seed = 0x0b1dde12
const triesBeforeNumbering = 40
const priceEndings = [0, 0.5, 0.9, 0.9, 0.95, 0.99] as const

/** The first `count` products of one fixed endless series; names and descriptions are unique. */
export function demoProducts(count: number): DemoProduct[] {
  const random = mulberry32(seed)
  const names = new Set<string>()
  const descriptions = new Set<string>()
  const products: DemoProduct[] = []
  for (let tries = 0; products.length < count; tries += 1) {
    const composed = compose(random)
    // Once the words are used up, a plain batch number keeps the series going.
    const batch = tries > triesBeforeNumbering ? ` (batch ${products.length + 1})` : ''
    const name = composed.name + batch
    const description = composed.description.replace(/\.$/, `${batch}.`)
    if (names.has(name) || descriptions.has(description)) continue
    names.add(name)
    descriptions.add(description)
    products.push({ ...composed, name, description })
    tries = -1
  }
  return products
}

function compose(random: () => number): DemoProduct {
  const category = pick(random, productCategories)
  const kind = pick(random, category.kinds)
  const make = pick(random, kind.makes)
  const sizeIndex = Math.floor(random() * kind.sizes.length)
  const stock = pickStock(random)
  return {
    name: nameOf(random, { category, kind, make, size: kind.sizes[sizeIndex] ?? '' }),
    description: describe(random, { category, kind, make }),
    category: category.name,
    price: priceOf(random, kind, sizeIndex),
    stock,
    inStock: stock !== 0,
  }
}

type Thing = { readonly category: ProductCategory; readonly kind: ProductKind; readonly make: string }

function nameOf(random: () => number, { category, kind, make, size }: Thing & { readonly size: string }): string {
  const range = random() < 0.6 ? `${pick(random, category.ranges)} ` : ''
  const joiner = size.startsWith('in ') ? ' ' : ', '
  return `${range}${titleCase(make)} ${titleCase(kind.noun)}${joiner}${size}`
}

function describe(random: () => number, { category, kind, make }: Thing): string {
  const thing = `${make} ${kind.noun}`
  const one = kind.plural ? thing : `${articleOf(kind, thing)}${thing}`
  const these = `${kind.plural ? 'these' : 'this'} ${thing}`
  const remark = pick(random, category.remarks)
  const forms = [
    `${one} that ${kind.does}, ${remark}`,
    `${remark}, ${these} ${kind.does}`,
    `${these} ${kind.does}, and ${kind.plural ? 'are' : 'is'} ${remark}`,
    `${remark}: ${one} that ${kind.does}`,
  ]
  return `${capitalise(pick(random, forms))}.`
}

/** Larger sizes cost more; the ending is one a shop would print. */
function priceOf(random: () => number, kind: ProductKind, sizeIndex: number): number {
  const [low, high] = kind.price
  const step = (sizeIndex + random()) / kind.sizes.length
  const whole = Math.floor(low + (high - low) * step)
  return Number((whole + pick(random, priceEndings)).toFixed(2))
}

/** One in twelve is sold out, one in ten is not tracked, and the rest are mostly small numbers. */
function pickStock(random: () => number): number | null {
  const kindOfStock = random()
  const amount = 1 + Math.floor(random() ** 2 * 240)
  if (kindOfStock < 1 / 12) return 0
  return kindOfStock < 1 / 12 + 1 / 10 ? null : amount
}

function articleOf(kind: ProductKind, thing: string): string {
  if (kind.uncountable) return ''
  return /^(?:[aeiou]|LED)/i.test(thing) && !thing.startsWith('USB') ? 'an ' : 'a '
}

function titleCase(words: string): string {
  return words.replace(/(?<=^|[ -])(?!and\b)\p{Ll}/gu, (letter) => letter.toUpperCase())
}

function capitalise(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

function pick<T>(random: () => number, choices: readonly T[]): T {
  const choice = choices[Math.floor(random() * choices.length)]
  if (choice === undefined) throw new Error('nothing to pick from')
  return choice
}

/** A small seeded generator of numbers in [0, 1). */
function mulberry32(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
