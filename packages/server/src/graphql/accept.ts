/**
 * Chooses between the two response types by the client's Accept header (RFC 9110, section 12.5.1).
 */

export const responseTypes = ['application/json', 'application/graphql-response+json'] as const
export type ResponseType = (typeof responseTypes)[number]

type MediaRange = { readonly name: string; readonly weight: number }

/**
 * `application/json; q=0.5` → `{ name: 'application/json', weight: 0.5 }`; undefined for a charset
 * that we do not write.
 */
function parseRange(text: string): MediaRange | undefined {
  const [name = '', ...parameters] = text.split(';').map((one) => one.replaceAll(/\s/g, '').toLowerCase())
  const parameter = (key: string) => parameters.find((one) => one.startsWith(`${key}=`))?.slice(key.length + 1)
  const charset = parameter('charset')?.replaceAll('"', '') ?? 'utf-8'
  if (charset !== 'utf-8' && charset !== 'utf8') return undefined
  const weight = Number(parameter('q') ?? 1)
  return { name, weight: Number.isNaN(weight) ? 1 : weight }
}

function covers(range: string, type: ResponseType): boolean {
  return range === type || range === 'application/*' || range === '*/*'
}

/** The weight of the most specific range that covers the type; 0 when none does. */
function weightOf(type: ResponseType, ranges: readonly MediaRange[]): number {
  const weights = [type, 'application/*', '*/*'].map((name) => {
    const same = ranges.filter((range) => range.name === name)
    return same.length === 0 ? undefined : Math.max(...same.map((range) => range.weight))
  })
  return weights.find((weight) => weight !== undefined) ?? 0
}

/**
 * The type that the client prefers: of equals the one that it names first, and plain JSON where it
 * does not care. Undefined when it accepts neither. `chooseType('application/json;q=0.5,
 * application/graphql-response+json')` → `'application/graphql-response+json'`
 */
export function chooseType(accept: string | undefined): ResponseType | undefined {
  if (accept === undefined || accept === 'application/json' || accept === '*/*' || accept.trim() === '')
    return 'application/json'
  const ranges = accept.split(',').flatMap((text) => parseRange(text) ?? [])
  const placeOf = (type: ResponseType) => ranges.findIndex((range) => covers(range.name, type))
  const [best] = responseTypes
    .map((type) => ({ type, weight: weightOf(type, ranges), place: placeOf(type) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.place - b.place)
  return best?.type
}
