/** Random values of fields for bodies and filters: good, odd and bad ones. */
import type { Resource } from '../../src/resource/catalog.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { linkLimitsOf } from '../../src/resource/fields/many-to-many.ts'
import type { Known } from './random-requests.ts'

type Parts = {
  readonly pick: <T>(list: readonly T[]) => T
  readonly chance: (share: number) => boolean
  readonly random: () => number
  readonly phrase: () => string
  readonly idValue: (resource: string, known: Known) => unknown
}

type Body = { readonly operation: string; readonly known: Known }

/** Values that differ in the type alone; other types make theirs. */
const byType: Readonly<Record<string, readonly unknown[]>> = {
  integer: [0, 1, 2, 3, 5, 7, 1999, 2024],
  money: [0, 0.01, 1, 1.1, 2.5, 19.99, 1000],
  bigint: ['0', '-1', '10', '9', '9007199254740993', '9223372036854775807', '-9223372036854775808', 7],
  decimal: ['0', '-0.01', '1.5', '12.50', '9999.99', '-10', 2.25, 0.1, '7'],
  float: [0, -0.1, 0.1, 1 / 3, 0.1 + 0.2, 5e-324, 1e21, -1e300, 2 ** 53, 3.041746633927537e-294, 42],
  date: ['2026-01-31', '1900-02-28', '2024-02-29', '0000-01-01', '9999-12-31'],
  time: ['00:00:00', '12:30', '23:59:59.999', '12:30:00.5', '12:30:00.05'],
  url: ['https://example.com/', 'HTTPS://Example.com/a?b=1', 'http://a.example/é', 'https://straße.example/%41'],
  slug: ['a', 'zebra', 'apple', 'apple-2', 'creme-brulee', 'strasse', '日本語'],
  timestamp: ['2026-01-01T00:00:00.000Z', '2030-06-01T12:00:00+02:00', '0001-01-01T00:00:00Z'],
} // biome-ignore format: tables of values

/** One that is refused, of each of these types. */
const badByType: Readonly<Record<string, unknown>> = {
  decimal: '1.2345',
  date: '2026-02-30',
  time: '24:00',
  url: 'ftp://x',
  slug: 'straße B',
  uuid: 'x',
}

export function makeValues({ pick, chance, random, phrase, idValue }: Parts) {
  const several = <T>(make: () => T): T[] => Array.from({ length: Math.floor(random() * 3) }, make)

  function someValue(field: Field, known: Known): unknown {
    if (chance(0.06))
      return pick([null, '', 0, -1, 1.5, 1e21, true, [], {}, phrase(), 'x'.repeat(1001), '\ud800', 'a\0b'])
    if (field.type.series)
      return `${field.type.name === 'autoNumber' && chance(0.3) ? 'P' : 'E'}-${pick(['1', '02', '07', '010', '99'])}`
    if (field.type.name in badByType && chance(0.02)) return badByType[field.type.name]
    const own = byType[field.type.name]
    if (own) return pick(own)
    if (field.virtual?.kind === 'links') return idValue(field.virtual.resource, known)
    switch (field.type.name) {
      case 'manualOrder':
        return pick(['8', '8000000001', '81', '7fffffffff', 'c', '80'])
      case 'boolean':
        return chance(0.5)
      case 'textList':
        return several(phrase)
      case 'list':
        return several(() => someValue(field.type.item as Field, known))
      case 'uuid':
        return `01987c5e-7c1f-1a3b-9d42-3f5a6b7c8${Math.floor(random() * 60) + 100}`.replace(
          '5a6b',
          pick(['5a6b', '5A6B']),
        )
      case 'json':
        return pick([{ b: 1, a: [null, 2.5] }, {}, [], 'x', 0.1, false, { a: { b: { c: phrase() } } }])
      case 'choice':
        return pick(field.values ?? ['x'])
      case 'reference':
        return idValue(field.reference?.resource ?? '', known)
      case 'password':
        return 'correct horse'
      default:
        return field.type.schema(field).format === 'email'
          ? `${pick(['a', 'B', 'é'])}${Math.floor(random() * 40)}@Example.com`
          : phrase()
    }
  }

  /** A list of links, or an object of verbs. */
  function someLinks(field: Field, known: Known): unknown {
    const hasNote = Object.hasOwn(linkLimitsOf(field).values, 'note')
    const link = () => {
      const one = someValue(field, known)
      return chance(hasNote ? 0.3 : 0.02) ? { id: one, note: pick(['a', 'é', null]) } : one
    }
    return pick([
      () => several(link),
      () => ({ set: several(link) }),
      () => ({ add: several(link) }),
      () => ({ add: several(link), remove: several(() => someValue(field, known)) }),
    ])()
  }

  /** The value of a member of a body. */
  function bodyValue({ name: own, fields }: Resource, name: string, { operation, known }: Body): unknown {
    const field = fields[name] as Field
    if (field.virtual?.kind === 'links') return someLinks(field, known)
    if (field.type.places && chance(0.8))
      return pick(['first', 'last', { before: idValue(own, known) }, { after: idValue(own, known) }])
    if (field.increment && operation === 'update' && chance(0.5)) return { increment: someValue(field, known) }
    return someValue(field, known)
  }

  return { someValue, bodyValue }
}
