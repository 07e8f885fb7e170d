/**
 * Chooses the type of a response by the client's Accept header (RFC 9110, section 12.5.1).
 */

export const responseTypes = ['application/json', 'application/graphql-response+json'] as const
export type ResponseType = (typeof responseTypes)[number]

/** Subscriptions are answered so alone, and all else on demand. */
export const eventsType = 'text/event-stream'
const typesWithEvents = [...responseTypes, eventsType] as const
type AnyType = (typeof typesWithEvents)[number]

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

/** The ranges that cover a type, the most specific first. */
const rangesOver = (type: AnyType): readonly string[] => [type, type.replace(/\/.*/, '/*'), '*/*']

/** The weight of the most specific range that covers the type; 0 when none does. */
function weightOf(type: AnyType, ranges: readonly MediaRange[]): number {
  const weights = rangesOver(type).map((name) => {
    const same = ranges.filter((range) => range.name === name)
    return same.length === 0 ? undefined : Math.max(...same.map((range) => range.weight))
  })
  return weights.find((weight) => weight !== undefined) ?? 0
}

function choose<T extends AnyType>(accept: string, types: readonly T[]): T | undefined {
  const ranges = accept.split(',').flatMap((text) => parseRange(text) ?? [])
  const placeOf = (type: T) => ranges.findIndex((range) => rangesOver(type).includes(range.name))
  const [best] = types
    .map((type) => ({ type, weight: weightOf(type, ranges), place: placeOf(type) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.place - b.place)
  return best?.type
}

/**
 * The type that the client prefers: of equals the one that it names first, and plain JSON where it
 * does not care. Undefined when it accepts neither. `chooseType('application/json;q=0.5,
 * application/graphql-response+json')` → `'application/graphql-response+json'`
 */
export function chooseType(accept: string | undefined): ResponseType | undefined {
  if (accept === undefined || accept === 'application/json' || accept === '*/*' || accept.trim() === '')
    return 'application/json'
  return choose(accept, responseTypes)
}

/** Whether the client prefers events to both. */
export function prefersEvents(accept: string | undefined): boolean {
  if (!accept?.includes('text/')) return false
  return choose(accept, typesWithEvents) === eventsType
}
