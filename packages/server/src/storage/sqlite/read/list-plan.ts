/**
 * How a list is read, chosen before it runs: by walking an index in the order of the list until the page is full, or by taking the entries
 * of a filter's index and sorting them. The exact sizes of the stretches decide, not guesses. Figures: docs/decisions/0062.
 */
import type { SortKey } from '../../../resource/catalog.ts'
import type { ListRequest } from '../../storage.ts'
import type { Outline, Stretch, Stretches } from '../rank/covering.ts'
import type { StretchSizes } from '../rank/stretch-size.ts'

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

/** Undefined where the index has another order than the list, forwards or backwards. */
function directionOf({ index, prefix }: Outline, sort: readonly SortKey[]): 'up' | 'down' | undefined {
  const { fields } = index
  const fixed = prefix.length
  let at = fixed
  let direction: 'up' | 'down' | undefined
  for (const { field, descending } of sort) {
    const place = fields.indexOf(field)
    if (place !== -1 && place < fixed) continue // one value has every order
    if (place !== at) return undefined
    const own = descending ? 'down' : 'up'
    direction ??= own
    if (own !== direction) return undefined
    at += 1
  }
  return at === fields.length ? (direction ?? 'up') : undefined
}

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

/** How many fields of an index say where the stretch begins or ends. */
function narrowedFields({ prefix, range }: Outline): number {
  return prefix.length + (range.from || range.to ? 1 : 0)
}

/** Several indexes may begin with the same stretch; the first of each is enough. */
function narrowOutlines(outlines: readonly Outline[]): Iterable<Outline> {
  const first = new Map<string, Outline>()
  for (const outline of outlines) {
    const length = narrowedFields(outline)
    const key = outline.index.fields.slice(0, length).join()
    if (length > 0 && !first.has(key)) first.set(key, outline)
  }
  return first.values()
}

function planGathered({ outlines, fill }: Stretches, { sizes, rowsMax, total }: Counted): ListPlan {
  let plan = scan
  for (const outline of narrowOutlines(outlines)) {
    const stretch = fill(outline)
    const known = stretch.residual.length === 0 ? total : undefined
    const entries = known ?? sizes.known(stretch) ?? rowsMax
    plan = cheaper(plan, { kind: 'gather', stretch, descending: false, entries, us: entries * gatheredUs })
  }
  return plan
}

/** Call it in a present snapshot. */
export function planList({ outlines, fill }: Stretches, counted: Counted): ListPlan {
  const { sort } = counted.request
  const ordered: Ordered[] = []
  // Those that leave nothing to look up come first.
  for (const outline of outlines) {
    const direction = directionOf(outline, sort)
    if (!direction) continue
    const one = { stretch: fill(outline), descending: direction === 'down' }
    if (outline.residual.length === 0) return planOrdered(one, counted)
    ordered.push(one)
  }
  const walked = ordered.map((one) => planOrdered(one, counted)).reduce(cheaper, scan)
  return cheaper(walked, planGathered({ outlines, fill }, counted))
}
