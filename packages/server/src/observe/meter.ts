/**
 * What a process counts of itself. Rare events are counted always, as plain numbers; what every
 * request would pay for, only while somebody looks. Whoever has numbers of its own adds a source,
 * which is asked when they are wanted: it costs nothing until then.
 */
import { type ApiError, bounds, isFault, type RefusalLimit } from '../errors.ts'
import { counter, gauge, joinFamilies, type MetricFamily } from './metric-family.ts'
import { makeRequestCounts, type RequestCounts } from './request-counts.ts'

export type MeteredBudget = { readonly name: string; readonly max: number; used(): number }
export type FamilySource = () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>

export type Meter = {
  /** Something was turned away, or cut off. */
  refused(bound: RefusalLimit): void
  /** The same for an error, where a limit is its reason; and faults are counted. */
  failed(error: ApiError): void
  /** A password or another proof of who somebody is was wrong. */
  logInFailed(): void
  /** Undefined while nobody looks. */
  requests(): RequestCounts | undefined
  budget(budget: MeteredBudget): void
  add(source: FamilySource): void
  /**
   * Counts requests from now on; for good without a time, and otherwise for so long after the last
   * call.
   */
  look(forMs?: number): void
  /**
   * All families of this process. A source that fails is left out: what does not work must not hide
   * what does.
   */
  collect(): Promise<MetricFamily[]>
}

function budgetFamilies(budgets: readonly MeteredBudget[]): MetricFamily[] {
  const samples = (of: (budget: MeteredBudget) => number) =>
    budgets.map((budget) => ({ labels: { budget: budget.name }, value: of(budget) }))
  return [
    gauge(
      'bindery_budget_used',
      'How much of a shared budget is in use.',
      samples(({ used }) => used()),
    ),
    gauge(
      'bindery_budget_limit',
      'How much of a shared budget there is; what comes above it is refused.',
      samples(({ max }) => max),
    ),
  ]
}

export function makeMeter(): Meter {
  const refused = new Map<RefusalLimit, number>(bounds.map((bound) => [bound, 0]))
  const budgets: MeteredBudget[] = []
  const sources: FamilySource[] = []
  let failedLogIns = 0
  let faults = 0
  let counts: RequestCounts | undefined
  let untilMs = 0
  let stopping: NodeJS.Timeout | undefined

  /**
   * Whether somebody looks is found out by a timer: every request asks, and the time of day would
   * cost it more than the counting.
   */
  function stopCounting(): void {
    counts = undefined
    stopping = undefined
  }

  const own = (): MetricFamily[] => [
    counter(
      'bindery_refusals_total',
      'What was turned away or cut off, by the limit that did it.',
      [...refused].map(([by, value]) => ({ labels: { by }, value })),
    ),
    counter('bindery_login_failures_total', 'Wrong proofs of who somebody is.', failedLogIns),
    counter('bindery_faults_total', "Errors of REST and GraphQL that were not the caller's.", faults),
    ...budgetFamilies(budgets),
  ]
  const families = async (source: FamilySource): Promise<readonly MetricFamily[]> => {
    try {
      return await source()
    } catch {
      return []
    }
  }

  return {
    refused: (bound) => void refused.set(bound, (refused.get(bound) ?? 0) + 1),
    failed(error) {
      if (isFault(error)) faults += 1
      const bound = error.bound ?? (error.cause as Partial<ApiError> | undefined)?.bound
      if (bound) refused.set(bound, (refused.get(bound) ?? 0) + 1)
    },
    logInFailed() {
      failedLogIns += 1
    },
    requests: () => counts,
    budget: (budget) => void budgets.push(budget),
    add: (source) => void sources.push(source),
    look(forMs = Number.POSITIVE_INFINITY) {
      untilMs = Math.max(untilMs, performance.now() + forMs)
      counts ??= makeRequestCounts()
      clearTimeout(stopping)
      if (untilMs < Number.POSITIVE_INFINITY) stopping = setTimeout(stopCounting, untilMs - performance.now()).unref()
    },
    async collect() {
      const found = await Promise.all(sources.map(families))
      return joinFamilies([...(counts ? [counts.read()] : []), own(), ...found])
    },
  }
}
