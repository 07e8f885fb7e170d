/**
 * References with `onDelete: 'refuse'`, which forbid the removal of the record that they name. A
 * record that the same operation removes refuses nothing. So references of records that may go
 * along are checked at the end, and all others before any removal.
 */
import { ApiError, type FieldProblem } from '../../errors.ts'
import type { ResourceView } from '../../operation/filter-tree.ts'
import { shownWhere } from '../../operation/visible-fields.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, always, any, type Condition, type Scalar } from '../../resource/condition.ts'
import { cascadeTargets } from '../../resource/removal.ts'
import { inSentence, labelOf, listOf } from '../../resource/words/names.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import { isGone } from '../removal/dependents.ts'
import type { RemovalRoot, RestrictingReference, WriteContext } from '../write-context.ts'

const idsAtOnce = 500
const others = 'other records'

type Refusal = {
  readonly held: readonly RestrictingReference[]
  /** The fields that cannot change; none where the records cannot be deleted. */
  readonly parted: readonly string[]
}

/** `isOne`: the names say of one record. */
function sentenceOf({ held, parted }: Refusal, names: readonly string[], isOne: boolean): string {
  const { root } = held[0] as RestrictingReference
  const rootIds = new Set(held.flatMap((one) => one.root.ids))
  const [what, it] =
    rootIds.size > 1
      ? [`These ${inSentence(labelOf(root.resource.plural))}`, 'them']
      : [`This ${inSentence(root.resource.label)}`, 'it']
  const isDeeper = held.some(({ of, ids }) => of !== root.resource || ids.some((id) => !rootIds.has(id)))
  const to = isDeeper ? `${it} or to what would go with ${it}` : it
  const refers = `${listOf(names)} ${isOne ? 'refers' : 'refer'} to ${to}`
  if (parted.length === 0) return `${what} cannot be deleted: ${refers}`
  const fields = listOf(parted)
  return `${what} cannot change ${fields}: ${refers} and ${isOne ? 'has' : 'have'} the same ${fields}`
}

function mistakesOf({ parted }: Refusal, detail: string): readonly FieldProblem[] {
  return parted.map((field) => ({ field, detail }))
}

/**
 * A removal, or a change of fields (`parted`), that other records refuse. It names none of them: an
 * operation tells its caller those that the caller may see (`toRestrictedError`).
 */
export class RestrictedError extends ApiError {
  readonly held: readonly RestrictingReference[]
  readonly parted: readonly string[]
  constructor(held: readonly RestrictingReference[], parted: readonly string[] = []) {
    const sentence = sentenceOf({ held, parted }, [others], false)
    super('conflict', sentence, { mistakes: mistakesOf({ held, parted }, sentence) })
    this.held = held
    this.parted = parted
  }
}

/** `shownBy`: the records that show a field. Without it all do. */
function conditionsOf(
  held: readonly RestrictingReference[],
  shownBy: (field: string) => Condition = () => always,
): Condition[] {
  const conditions = held.flatMap(({ field, ids, also = always }) =>
    Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, i): Condition => {
      const values = ids.slice(i * idsAtOnce, (i + 1) * idsAtOnce) as Scalar[]
      return all(shownBy(field), { kind: 'in', field, values }, also)
    }),
  )
  const isFew = held.reduce((sum, { ids }) => sum + ids.length, 0) <= idsAtOnce
  return isFew ? [any(...conditions)] : conditions
}

async function isHeld(context: WriteContext, held: RestrictingReference): Promise<boolean> {
  for (const where of conditionsOf([held])) {
    // Where a removal is only counted, what would be gone is still there.
    const rows = await context.transaction.list(held.by, { where, sort: [], limit: context.taken.gone.size + 1 })
    if (rows.some((row) => !isGone(context, held.by, row))) return true
  }
  return false
}

/**
 * Throws `RestrictedError` where any of these references is there. `parted`: the fields that cannot
 * change then.
 */
export async function refuseHeld(
  context: WriteContext,
  references: readonly RestrictingReference[],
  parted?: readonly string[],
): Promise<void> {
  const held: RestrictingReference[] = []
  for (const one of references) if (await isHeld(context, one)) held.push(one)
  if (held.length > 0) throw new RestrictedError(held, parted)
}

/** Before these rows and all that goes with them are removed. Throws `RestrictedError`. */
export async function refuseRestricted(
  context: WriteContext,
  root: RemovalRoot,
  { of, rows }: { of: Resource; rows: readonly Row[] },
): Promise<void> {
  const links = of.referencedBy.filter(({ options }) => options.onDelete === 'refuse')
  if (links.length === 0) return
  const ids = rows.map((row) => row[of.idField])
  const mayGo = cascadeTargets(root.resource)
  const references = links.map(({ resource: by, field }): RestrictingReference => ({ root, of, ids, by, field }))
  context.heldUntilEnd.push(...references.filter(({ by }) => mayGo.has(by)))
  await refuseHeld(
    context,
    references.filter(({ by }) => !mayGo.has(by)),
  )
}

/** At the end of an operation, and of the transaction. Throws `RestrictedError`. */
export async function refuseStillRestricted(context: WriteContext): Promise<void> {
  if (context.heldUntilEnd.length > 0) await refuseHeld(context, context.heldUntilEnd.splice(0))
}

/**
 * The same refusal with how many records of which resources it is, as far as a caller sees them.
 * `sightOf` says which those are, and which of them show the reference.
 */
export async function toRestrictedError(
  { held, parted, code }: RestrictedError,
  reader: Reader,
  sightOf: (resource: Resource) => ResourceView,
): Promise<ApiError> {
  const names: string[] = []
  let seen = 0
  let isOther = false
  for (const [by, references] of Map.groupBy(held, (one) => one.by)) {
    const sight = sightOf(by)
    let [total, visible] = [0, 0]
    for (const where of conditionsOf(references)) total += await reader.count(by, where)
    for (const where of conditionsOf(references, (field) => shownWhere(sight, field)))
      visible += await reader.count(by, all(where, sight.where))
    if (visible > 0) names.push(`${visible} ${inSentence(visible === 1 ? by.label : labelOf(by.plural))}`)
    seen += visible
    isOther ||= total > visible
  }
  const refusal = { held, parted }
  const sentence = sentenceOf(refusal, isOther ? [...names, others] : names, seen === 1 && !isOther)
  return new ApiError(code, sentence, { mistakes: mistakesOf(refusal, sentence) })
}
