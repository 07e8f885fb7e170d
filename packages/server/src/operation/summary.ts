/**
 * Parses the query parameters of a summary: groups of a list's records, and measures of each group.
 * Filters and search are the list's own (`list-query.ts`), so a summary covers exactly the records
 * that the list would show.
 */
import { isTimeZone } from '../base/clock.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { listedParameters, measureKinds, pagingParameters } from '../resource/list-style.ts'
import { followPath, type PathContext } from './far/follow-path.ts'
import type { FilterContext } from './filter-tree.ts'
import { parseList } from './list-query.ts'
import { type GroupKey, type Measure, type MeasureKind, type SummaryKey, timeUnits } from './measures.ts'
import type { SummaryOperation } from './operation.ts'
import { type Parameters, parameterError, unknownParameter } from './parameters.ts'
import { isFilterable, isShownByAll, type VisibleFields } from './visible-fields.ts'

/** The time zone in which moments are grouped. */
export const zoneParameter = '_tz'

export const summaryLimits = { groupsMax: 1_000, groupFieldsMax: 2, measuresMax: 10 } as const

/** The parameters of a summary that are lists with commas. */
export const summaryLists: ReadonlySet<string> = new Set([...listedParameters, 'group', ...measureKinds])

type SummaryView = VisibleFields & { readonly resource: Resource }
/** The filter of GraphQL stands apart from the parameters. */
type SummaryContext = FilterContext & { readonly tree?: unknown }

/**
 * Members of each group's answer. A field of such a name would take their place, so it is no group.
 */
const taken: ReadonlySet<string> = new Set(['count', ...measureKinds])

/** A sum over records of which some do not show the field would tell what these hold. */
function storedFields(seen: SummaryView): [name: string, field: Field][] {
  const { resource, listsAll } = seen
  const isShown = ({ hidden }: Field) => listsAll || !hidden
  const names = resource.storedNames.filter(
    (name) => isShownByAll(seen, name) && isShown(resource.fields[name] as Field),
  )
  return names.map((name) => [name, resource.fields[name] as Field])
}

/**
 * By what the caller may group: what can be filtered by, and parts of times and dates. Moments have
 * no group of their own: each record would be one.
 */
export function groupsOf(seen: SummaryView): GroupKey[] {
  return storedFields(seen)
    .filter(([name, { type }]) => isFilterable(seen, name) && !type.isOpaque && !taken.has(name))
    .flatMap(([field, { type }]): GroupKey[] => {
      const { inTime } = type
      const units = inTime ? timeUnits[inTime.kind] : []
      const parts = units.map((unit) => ({ name: `${field}.${unit}`, field, unit }))
      return inTime?.kind === 'moment' ? parts : [{ name: field, field }, ...parts]
    })
}

/**
 * Of what the caller may take such a number: sums and averages of numbers, the least and the most
 * also of times and dates.
 */
export function measurable(seen: SummaryView, kind: MeasureKind): string[] {
  const isOrdered = kind === 'least' || kind === 'most'
  return storedFields(seen)
    .filter(([, { type }]) => type.adds !== undefined || (isOrdered && (type.inTime !== undefined || type.hasEnds)))
    .map(([name]) => name)
}

/** `a, b` → two names, each once. Throws `bad-request`. */
function namesIn(parameter: string, text: string | undefined, max: number): string[] {
  const names = (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const twice = names.find((one, i) => names.indexOf(one) !== i)
  if (twice !== undefined) throw parameterError(parameter, `${parameter} names ${twice.slice(0, 100)} twice`)
  if (names.length > max) throw parameterError(parameter, `${parameter} takes at most ${max} fields`)
  return names
}

/** The purpose of each parameter that names fields. */
const doing = {
  group: 'group by',
  sort: 'sort by',
  sum: 'take the sum of',
  average: 'take the average of',
  least: 'take the least of',
  most: 'take the most of',
} as const

function unknown(parameter: keyof typeof doing, name: string, known: readonly string[]): Error {
  const possible = known.join(', ') || 'nothing'
  return parameterError(parameter, `Cannot ${doing[parameter]} ${name.slice(0, 100)}; possible: ${possible}`)
}

const groupIn = (place: PathContext, name: string) => groupsOf(place).find((group) => group.name === name)

/** `kind`, `createdAt.month`, `team.club.name`, `team.foundedOn.year`. Throws `bad-request`. */
function parseGroup(seen: PathContext, name: string): GroupKey {
  const isKnown = (place: PathContext, rest: string) => groupIn(place, rest) !== undefined
  const { place, through, prefix, rest } = followPath(seen, name, { parameter: 'group', isKnown })
  const found = groupIn(place, rest)
  const known = found ? [] : groupsOf(place).map((group) => `${prefix}${group.name}`)
  if (!found) throw unknown('group', name, known)
  if (through.length === 0) return found
  return { ...found, name, field: `${prefix}${found.field}`, far: { through, field: found.field } }
}

function parseGroups(seen: PathContext, text: string | undefined): GroupKey[] {
  return namesIn('group', text, summaryLimits.groupFieldsMax).map((name) => parseGroup(seen, name))
}

function parseMeasures(seen: SummaryView, parameters: Parameters): Measure[] {
  return measureKinds.flatMap((kind) => {
    const known = measurable(seen, kind)
    return namesIn(kind, parameters.get(kind), summaryLimits.measuresMax).map((field) => {
      if (!known.includes(field)) throw unknown(kind, field, known)
      return { name: `${kind}.${field}`, kind, field }
    })
  })
}

/** The groups decide between equals, and alone where nothing is said. */
function parseOrder(text: string | undefined, groups: readonly GroupKey[], measures: readonly Measure[]): SummaryKey[] {
  const known = ['count', ...groups.map(({ name }) => name), ...measures.map(({ name }) => name)]
  const keys = namesIn('sort', text, known.length).map((key): SummaryKey => {
    const descending = key.startsWith('-')
    const name = descending ? key.slice(1) : key
    if (!known.includes(name)) throw unknown('sort', name, known)
    return { name, descending }
  })
  return [...keys, ...groups.map(({ name }) => ({ name, descending: false }))]
}

function parseGroupLimit(text: string | undefined): number {
  const { groupsMax } = summaryLimits
  if (text === undefined) return groupsMax
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > groupsMax) throw parameterError('limit', `limit must be from 1 to ${groupsMax}`)
  return limit
}

/** The zone of Node's data, whose names begin with a letter. UTC is none. Throws `bad-request`. */
function parseZone(text: string | undefined): string | undefined {
  if (text === undefined || text === 'UTC') return undefined
  if (/^[a-z]/i.test(text) && text.length <= 64 && isTimeZone(text)) return text
  throw parameterError(zoneParameter, `${zoneParameter} must be the name of a time zone, such as Europe/Berlin`)
}

const own: ReadonlySet<string> = new Set(['group', ...measureKinds, 'sort', 'limit', zoneParameter])
const others: ReadonlySet<string> = new Set([...pagingParameters, 'fields', 'expand'])

/**
 * Throws `bad-request` for an unknown parameter, a field that does not exist for the caller, or an
 * impossible value.
 */
export function parseSummary(
  seen: SummaryContext,
  parameters: Parameters,
): Pick<SummaryOperation, 'where' | 'groups' | 'measures' | 'order' | 'limit' | 'zone'> {
  const rest = new Map<string, string>()
  for (const [name, text] of parameters) {
    if (own.has(name)) continue
    if (others.has(name)) throw unknownParameter(name)
    if (name !== 'count' || (text !== '' && seen.visible.has(name))) rest.set(name, text)
    // Every group has its count. So a `count` with a value means a field of that name, which does
    // not exist. A QUERY, whose names have values, says `true`.
    else if (text !== '' && text !== 'true') throw parameterError(name, 'count takes no value')
  }
  const groups = parseGroups(seen, parameters.get('group'))
  const measures = parseMeasures(seen, parameters)
  const order = parseOrder(parameters.get('sort'), groups, measures)
  const limit = parseGroupLimit(parameters.get('limit'))
  const zone = parseZone(parameters.get(zoneParameter))
  return { where: parseList(seen, rest).query.where, groups, measures, order, limit, zone }
}
