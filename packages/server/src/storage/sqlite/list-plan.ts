/**
 * How a list is read, chosen before it runs: by walking an index in the order of the list until the page is full, or by taking the entries
 * of a filter's index and sorting them. The exact sizes of the stretches decide, not guesses. Figures: docs/decisions/0062.
 */
import type { ListRequest } from '../storage.ts'
import type { Stretch } from './fence/covering.ts'
import type { StretchSizes } from './fence/stretch-size.ts'

/** What one entry costs in microseconds: met in the index alone or with its row on a walk in order, and looked up at random to be sorted. */
const metUs = 0.07
const walkedUs = 0.3
const gatheredUs = 1.2
/** A read that may cost more than this runs outside the main thread. */
export const mainThreadUsMax = 4_000

export type ListPlan = {
  /** `jump`: the index knows the place of every page. `walk`: in order, until the page is full. `gather`: all that may match, sorted. `scan`: nothing helps. */
  readonly kind: 'jump' | 'walk' | 'gather' | 'scan'
  readonly stretch: Stretch | undefined
  readonly descending: boolean
  /** The most entries that it may meet; infinite where nobody knows. */
  readonly entries: number
  readonly us: number
}

type Ordered = { readonly stretch: Stretch; readonly descending: boolean }

/** The stretches whose index has the order of the list, forwards or backwards. */
function orderedStretches(stretches: readonly Stretch[], { sort }: ListRequest): Ordered[] {
  return stretches.flatMap((stretch) => {
    const { index, fixed } = stretch
    const constant = new Set(index.fields.slice(0, fixed))
    const keys = sort.filter(({ field }) => !constant.has(field))
    const descending = keys[0]?.descending ?? false
    const fields = index.fields.slice(fixed)
    const isOrder =
      keys.length === fields.length && keys.every((key, i) => key.field === fields[i] && key.descending === descending)
    return isOrder ? [{ stretch, descending }] : []
  })
}

/** A stretch of a single value has every order. */
const scan: ListPlan = { kind: 'scan', stretch: undefined, descending: false, entries: Infinity, us: Infinity }

function cheaper(a: ListPlan, b: ListPlan): ListPlan {
  return b.us < a.us ? b : a
}

type Counted = {
  readonly request: ListRequest
  /** The exact number of records, where it is known. */
  readonly total: number | undefined
  readonly sizes: StretchSizes
  /** No table has more rows than this: stands for sizes that are not known yet. */
  readonly rowsMax: number
}

/** Whether the index tells of each entry if it matches. */
function isMetInIndex({ index, residual }: Stretch): boolean {
  return residual.every((one) => 'field' in one && [...index.fields, ...index.carried].includes(one.field))
}

function planOrdered({ stretch, descending }: Ordered, { request, total, sizes, rowsMax }: Counted): ListPlan {
  const wanted = request.limit + (request.offset ?? 0)
  if (stretch.residual.length === 0) {
    const entries = request.limit + Math.min(request.offset ?? 0, 1024)
    return { kind: 'jump', stretch, descending, entries, us: entries * walkedUs }
  }
  const size = sizes.known(stretch) ?? rowsMax
  const entries = total === undefined ? size : total === 0 ? 0 : Math.min(size, (wanted * size) / total)
  const each = isMetInIndex(stretch) ? metUs : walkedUs
  return { kind: 'walk', stretch, descending, entries, us: entries * each + wanted * walkedUs }
}

/** Several indexes may begin with the same stretch; the first of each is enough. */
function narrowStretches(stretches: readonly Stretch[]): Stretch[] {
  const first = new Map<string, Stretch>()
  for (const stretch of stretches) {
    const { index, span } = stretch
    const length = Math.max(span.from.cells.length, span.to.cells.length)
    const key = index.fields.slice(0, length).join()
    if (length > 0 && !first.has(key)) first.set(key, stretch)
  }
  return [...first.values()]
}

function planGathered(stretches: readonly Stretch[], { sizes, rowsMax }: Counted): ListPlan {
  let plan = scan
  for (const stretch of narrowStretches(stretches)) {
    const entries = sizes.known(stretch) ?? rowsMax
    plan = cheaper(plan, { kind: 'gather', stretch, descending: false, entries, us: entries * gatheredUs })
  }
  return plan
}

/** Call it in a present snapshot. */
export function planList(stretches: readonly Stretch[], counted: Counted): ListPlan {
  const ordered = orderedStretches(stretches, counted.request)
  const jump = ordered.find(({ stretch }) => stretch.residual.length === 0)
  if (jump) return planOrdered(jump, counted)
  const walked = ordered.map((one) => planOrdered(one, counted)).reduce(cheaper, scan)
  return cheaper(walked, planGathered(stretches, counted))
}
