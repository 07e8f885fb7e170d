/**
 * Makes the slugs of new records from other fields, and gives each that is taken a number. The
 * unique key decides between writes at once: the one that loses runs again and counts on.
 */
import { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { type Field, fieldError } from '../resource/fields/field.ts'
import { conflictOver, crossedWith, type Values } from '../storage/storage.ts'
import type { PreparedRecord } from './prepared-record.ts'
import type { WriteContext } from './write-context.ts'

/** The names of the fields that it has filled. Throws `bad-request` where nothing can be made. */
export function makeSlugs(resource: Resource, draft: Record<string, unknown>): readonly string[] {
  const made = resource.slugNames.filter((name) => (draft[name] ?? null) === null)
  for (const name of made) {
    const field = resource.fields[name] as Field
    const from = field.type.madeFrom?.field(field) as string
    const slug = field.type.madeFrom?.make(String(draft[from] ?? ''), field)
    if (!slug) throw fieldError(name, `cannot be made of ${from}, which has no letter or digit: send one`)
    draft[name] = slug
  }
  return made
}

/** The records that a slug of this record may not be the same as. */
function othersWhere(resource: Resource, name: string, values: Values): Condition {
  const key = resource.unique.find((names) => names.includes(name)) ?? []
  return all(...key.filter((one) => one !== name).map((one) => equal(one, values[one] as Scalar)))
}

type Settling = { readonly resource: Resource; readonly name: string; readonly given: Set<string> }

/** A title whose numbers are taken so far is refused. */
const numberMax = 2 ** 24

/**
 * Looks at the numbers 2, 4, 8, … for a free one, and then between it and the last taken one. So
 * thousands of equal titles cost few look-ups. Throws `conflict`.
 */
async function freeSlug({ transaction }: WriteContext, { resource, name, given }: Settling, values: Values) {
  const field = resource.fields[name] as Field
  const where = othersWhere(resource, name, values)
  const scope = JSON.stringify(where)
  const slug = values[name] as string
  const numbered = (count: number) =>
    count === 1 ? slug : (field.type.madeFrom?.numbered(slug, count, field) as string)
  const isTaken = async (count: number) =>
    given.has(`${scope} ${numbered(count)}`) ||
    (await transaction.find(resource, all(where, equal(name, numbered(count))))) !== undefined
  let [taken, free] = [0, 1]
  while (await isTaken(free)) {
    if (free === numberMax) throw conflictOver(resource, [name])
    ;[taken, free] = [free, free * 2]
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if (await isTaken(middle)) taken = middle
    else free = middle
  }
  given.add(`${scope} ${numbered(free)}`)
  return numbered(free)
}

/** The values of the records, with slugs that no other record has. */
export async function settleSlugs(
  context: WriteContext,
  resource: Resource,
  records: readonly PreparedRecord[],
): Promise<readonly Values[]> {
  if (records.every(({ made }) => made.length === 0)) return records.map(({ values }) => values)
  const settled = records.map(({ values }) => ({ ...values }))
  for (const name of resource.slugNames) {
    const sent = records.flatMap(({ made, values }) => (made.includes(name) ? [] : [values]))
    const given = new Set(sent.map((one) => `${JSON.stringify(othersWhere(resource, name, one))} ${one[name]}`))
    for (const [i, values] of settled.entries())
      if (records[i]?.made.includes(name)) values[name] = await freeSlug(context, { resource, name, given }, values)
  }
  return settled
}

/** Runs an insert; where another write took a made slug meanwhile, the transaction runs again. */
export async function insertingSlugs<T>(records: readonly PreparedRecord[], insert: () => Promise<T>): Promise<T> {
  try {
    return await insert()
  } catch (error) {
    const isMade = (field: string | undefined) => records.some(({ made }) => made.includes(field ?? ''))
    if (error instanceof ApiError && error.code === 'conflict' && error.mistakes?.some(({ field }) => isMade(field)))
      throw crossedWith(error)
    throw error
  }
}
