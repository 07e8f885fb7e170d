/**
 * How many records one removal may take along: those that go with it, and those that lose their
 * reference. A removal is one transaction, which keeps others from writing on SQLite and holds its
 * locks on PostgreSQL. The operator at the console and the service itself have no such bound.
 */
import { ApiError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { ReferenceLink, Resource } from '../resource/catalog.ts'
import type { Condition } from '../resource/condition.ts'
import { inSentence } from '../resource/words/names.ts'
import { consoleCredential, serviceAuthor } from '../storage/changes.ts'
import type { Row } from '../storage/storage.ts'
import { mustRead } from './stages.ts'
import { seenKey } from './stored-values.ts'
import type { Door } from './write-context.ts'

type Several = { readonly resource: Resource; readonly where: Condition }
type Batch = Several & {
  readonly rows: readonly Row[]
  /** Whether it is the first of these records, and more may follow. */
  readonly isBeginning: boolean
}

/** Thrown where the record that was to be removed is known. */
class TooManyError extends Error {}

/** Whether what a removal takes along is counted and left as it is. */
export const isCounted = ({ author }: Door): boolean => author.dry === 'counted'

/** Whether the record would be gone by now, where records are only counted. */
export function isGone({ taken }: Door, resource: Resource, row: Row): boolean {
  return taken.gone.size > 0 && taken.gone.has(seenKey(resource, row[resource.idField]))
}

export function noteGone({ taken }: Door, resource: Resource, ids: readonly unknown[]): void {
  for (const id of ids) taken.gone.add(seenKey(resource, id))
}

function leftOf({ author, taken }: Door): number {
  const isBounded = author.credential !== serviceAuthor.credential && author.credential !== consoleCredential
  return isBounded ? limits.dependentsMax - taken.dependents : Number.POSITIVE_INFINITY
}

async function checkAll({ transaction }: Door, { resource, where }: Several, left: number): Promise<void> {
  if (left === Number.POSITIVE_INFINITY) return
  const [beyond] = await transaction.list(resource, { where, sort: [], limit: 1, offset: left })
  if (beyond) throw new TooManyError()
}

/**
 * Counts the next records, before anything is written to them; where many may follow, all of them
 * at once. Throws `TooManyError`.
 */
export async function countDependents(door: Door, { rows, isBeginning, ...several }: Batch): Promise<void> {
  const left = leftOf(door)
  if (rows.length > left) throw new TooManyError()
  if (isBeginning) await checkAll(door, several, left)
  door.taken.dependents += rows.length
}

/** Counts records on which no others depend, without reading them. Throws `TooManyError`. */
export async function countLeaves(door: Door, several: Several): Promise<void> {
  await checkAll(door, several, leftOf(door))
  door.taken.dependents += await door.transaction.count(several.resource, several.where)
}

/** Whether such references are cleared without reading the records: nothing else follows from it. */
export function clearsPlainly({ stagesOf }: Door, { resource, field }: ReferenceLink): boolean {
  return resource.follow.length === 0 && !mustRead(stagesOf(resource), { [field]: null })
}

/** Whether nothing follows from the removal of such records, and nothing from their staying. */
export function areLeaves(door: Door, link: ReferenceLink): boolean {
  const { resource, options } = link
  return (
    door.stagesOf(resource).beforeDelete.length === 0 &&
    (options.onDelete === 'delete' || clearsPlainly(door, link)) &&
    resource.referencedBy.every((other) => other.options.onDelete === 'keep') &&
    resource.storedNames.every((name) => resource.fields[name]?.reference?.onDelete !== 'refuse')
  )
}

/**
 * Runs a removal. Throws `conflict`, which names the command that may take more along. `id`:
 * undefined where many are removed.
 */
export async function withinDependents<T>(resource: Resource, id: unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TooManyError)) throw error
    const command = `bindery remove ${resource.slug} ${id === undefined ? 'ID' : id}`
    throw new ApiError(
      'conflict',
      `More than ${limits.dependentsMax} records depend on this ${inSentence(resource.label)}; nothing was changed. An operator can remove it: ${command}`,
      { cause: error },
    )
  }
}
