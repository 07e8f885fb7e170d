/**
 * Limits how many records one removal may affect: those removed with it, and those that lose their
 * reference. A removal is one transaction, which blocks other writes on SQLite and holds its locks
 * on PostgreSQL. The operator at the console and the service itself have no such limit.
 */
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { ReferenceRelation, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { inSentence } from '../../resource/words/names.ts'
import { consoleCredential, serviceAuthor } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import { isPlacedBy } from '../places/place-records.ts'
import { mustRead } from '../stages.ts'
import { existsKey } from '../stored-values.ts'
import type { WriteContext } from '../write-context.ts'

export type MatchingRecords = { readonly resource: Resource; readonly where: Condition }
type RemovalBatch = MatchingRecords & {
  readonly rows: readonly Row[]
  /** Whether it is the first of these records, and more may follow. */
  readonly isBeginning: boolean
}

/** Thrown where the record that was to be removed is known. */
class TooManyDependents extends Error {}

/** Whether what a removal takes along is counted and left as it is. */
export const isDryRemoval = ({ author }: WriteContext): boolean => author.dry === 'counted'

/** Whether the record would be gone by now, where records are only counted. */
export function isGone({ taken }: WriteContext, resource: Resource, row: Row): boolean {
  return taken.gone.size > 0 && taken.gone.has(existsKey(resource, row[resource.idField]))
}

export function noteGone({ taken }: WriteContext, resource: Resource, ids: readonly unknown[]): void {
  for (const id of ids) taken.gone.add(existsKey(resource, id))
}

function leftOf({ author, taken }: WriteContext): number {
  const isBounded = author.credential !== serviceAuthor.credential && author.credential !== consoleCredential
  return isBounded ? limits.dependentsMax - taken.dependents : Number.POSITIVE_INFINITY
}

async function checkAll(
  { transaction }: WriteContext,
  { resource, where }: MatchingRecords,
  left: number,
): Promise<void> {
  if (left === Number.POSITIVE_INFINITY) return
  const [beyond] = await transaction.list(resource, { where, sort: [], limit: 1, offset: left })
  if (beyond) throw new TooManyDependents()
}

/**
 * Counts the next records, before anything is written to them; where many may follow, all of them
 * at once. Throws `TooManyDependents`.
 */
export async function countDependents(
  context: WriteContext,
  { rows, isBeginning, ...several }: RemovalBatch,
): Promise<void> {
  const left = leftOf(context)
  if (rows.length > left) throw new TooManyDependents()
  if (isBeginning) await checkAll(context, several, left)
  context.taken.dependents += rows.length
}

/** Counts records on which no others depend, without reading them. Throws `TooManyDependents`. */
export async function countLeaves(context: WriteContext, several: MatchingRecords): Promise<void> {
  await checkAll(context, several, leftOf(context))
  context.taken.dependents += await context.transaction.count(several.resource, several.where)
}

/**
 * Whether such references are cleared without reading the records: nothing else follows from it.
 */
export function clearsPlainly({ stagesOf }: WriteContext, { resource, field }: ReferenceRelation): boolean {
  const isPlain = resource.onWrite.length === 0 && !isPlacedBy(resource, [field])
  return isPlain && !mustRead(stagesOf(resource), { [field]: null })
}

/** Whether nothing follows from the removal of such records, and nothing from their staying. */
export function areLeaves(context: WriteContext, link: ReferenceRelation): boolean {
  const { resource, options } = link
  return (
    context.stagesOf(resource).beforeDelete.length === 0 &&
    (options.onDelete === 'delete' || clearsPlainly(context, link)) &&
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
    if (!(error instanceof TooManyDependents)) throw error
    const command = `bindery remove ${resource.slug} ${id === undefined ? 'ID' : id}`
    throw new ApiError(
      'conflict',
      `More than ${limits.dependentsMax} records depend on this ${inSentence(resource.label)}; nothing was changed. An operator can remove it: ${command}`,
      { cause: error },
    )
  }
}
