/**
 * Plans how a list is read before it runs. One way walks an index in the order of the list until
 * the page is full. The other collects the entries of a filter's index and sorts them. Exact sizes
 * of ranges decide, not estimates. Figures: docs/decisions/0062.
 */
import type { SortKey } from '../../../resource/catalog.ts'
import type { ListRequest } from '../../storage.ts'
import type { IndexRange, RangeTemplate, RangeTemplates } from '../rank-index/range-covering.ts'
import type { RangeSizes } from '../rank-index/range-size.ts'

/**
 * Microseconds for one entry: read from the index alone, read with its row in order, and looked up
 * at random to be sorted.
 */
const metUs = 0.07
const walkedUs = 0.3
const gatheredUs = 1.2
/** Counting a range takes about as long, so no other range is counted for a cheaper plan. */
const countedUs = 50
/** A read that may cost more than this runs outside the main thread. */
export const mainThreadUsMax = 4_000

export type ListPlan = {
  /**
   * `jump`: the rank index finds the start of every page. `walk`: in order, until the page is full.
   * `gather`: all possible matches, sorted. `scan`: nothing helps.
   */
  readonly kind: 'jump' | 'walk' | 'gather' | 'scan'
  readonly range: IndexRange | undefined
  readonly descending: boolean
  /** The most entries that it may read; infinite where that is not known. */
  readonly entries: number
  readonly us: number
}

type OrderedRange = { readonly range: IndexRange; readonly descending: boolean }

/** Undefined where the index has another order than the list, forwards or backwards. */
function directionOf({ index, prefix }: RangeTemplate, sort: readonly SortKey[]): 'up' | 'down' | undefined {
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

const scan: ListPlan = { kind: 'scan', range: undefined, descending: false, entries: Infinity, us: Infinity }

function cheaper(a: ListPlan, b: ListPlan): ListPlan {
  return b.us < a.us ? b : a
}

type CountedRange = {
  readonly request: ListRequest
  /** The exact number of records, where it is known. */
  readonly total: number | undefined
  readonly sizes: RangeSizes
  /** At least the number of rows of the table: used for sizes that are not known yet. */
  readonly rowsMax: number
}

/** Whether the index alone decides if an entry matches. */
function isMetInIndex({ index, residual }: IndexRange): boolean {
  return residual.every((one) => 'field' in one && [...index.fields, ...index.carried].includes(one.field))
}

function planOrdered({ range, descending }: OrderedRange, { request, total, sizes, rowsMax }: CountedRange): ListPlan {
  const wanted = request.limit + (request.offset ?? 0)
  if (range.residual.length === 0) {
    const entries = request.limit + Math.min(request.offset ?? 0, 1024)
    return { kind: 'jump', range, descending, entries, us: entries * walkedUs }
  }
  const size = sizes.known(range) ?? rowsMax
  const entries = total === undefined ? size : total === 0 ? 0 : Math.min(size, (wanted * size) / total)
  const each = isMetInIndex(range) ? metUs : walkedUs
  return { kind: 'walk', range, descending, entries, us: entries * each + wanted * walkedUs }
}

/** The number of index fields that bound the range. */
function narrowedFields({ prefix, range }: RangeTemplate): number {
  return prefix.length + (range.from || range.to ? 1 : 0)
}

/** Two or more indexes may begin with the same range; the first of each is enough. */
function narrowOutlines(outlines: readonly RangeTemplate[]): Iterable<RangeTemplate> {
  const first = new Map<string, RangeTemplate>()
  for (const template of outlines) {
    const length = narrowedFields(template)
    const key = template.index.fields.slice(0, length).join()
    if (length > 0 && !first.has(key)) first.set(key, template)
  }
  return first.values()
}

/** The cheaper of the plan so far and those that gather. They gather all that match, or more. */
function planGathered(
  { outlines, fill }: RangeTemplates,
  { sizes, rowsMax, total }: CountedRange,
  walked: ListPlan,
): ListPlan {
  let plan = walked
  for (const template of narrowOutlines(outlines)) {
    if (plan.us <= Math.max(countedUs, (total ?? 0) * gatheredUs)) return plan
    const range = fill(template)
    const known = range.residual.length === 0 ? total : undefined
    const entries = known ?? sizes.known(range) ?? rowsMax
    plan = cheaper(plan, { kind: 'gather', range, descending: false, entries, us: entries * gatheredUs })
  }
  return plan
}

/** Call it in a current snapshot. */
export function planList({ outlines, fill }: RangeTemplates, counted: CountedRange): ListPlan {
  const { sort } = counted.request
  let walked = scan
  // Those with the least residual come first.
  for (const template of outlines) {
    const direction = directionOf(template, sort)
    if (!direction) continue
    const one = { range: fill(template), descending: direction === 'down' }
    if (template.residual.length === 0) return planOrdered(one, counted)
    if (walked.us > countedUs) walked = cheaper(walked, planOrdered(one, counted))
  }
  return planGathered({ outlines, fill }, counted, walked)
}
