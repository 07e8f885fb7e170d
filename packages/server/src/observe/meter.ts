/**
 * The metrics of this process. Rare events are always counted; counts that every request would pay
 * for run only while a reader asks. Other parts add sources, which are called when metrics are read
 * and cost nothing until then.
 */
import { type ApiError, bounds, isFault, type RefusalLimit } from '../errors.ts'
import { counter, gauge, joinFamilies, type MetricFamily } from './metric-family.ts'
import { makeRequestCounts, type RequestCounts } from './request-counts.ts'

export type MeteredBudget = { readonly name: string; readonly max: number; used(): number }
export type FamilySource = () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>

export type Meter = {
  /** Counts a refused or cut request. */
  refused(bound: RefusalLimit): void
  /** The same for an error that a limit caused; also counts internal errors. */
  failed(error: ApiError): void
  /** Counts a wrong password or other proof of identity. */
  logInFailed(): void
  /** Undefined while requests are not counted. */
  requests(): RequestCounts | undefined
  budget(budget: MeteredBudget): void
  add(source: FamilySource): void
  /**
   * Counts requests from now on: for ever without a time, otherwise for so long after the last
   * call.
   */
  look(forMs?: number): void
  /**
   * All metric families of this process. A failing source is left out, so that it does not hide the
   * others.
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
   * A timer ends the counting: every request checks a flag, and reading the clock would cost it
   * more than the counting.
   */
  function stopCounting(): void {
    counts = undefined
    stopping = undefined
  }

  const own = (): MetricFamily[] => [
    counter(
      'bindery_refusals_total',
      'Refused or cut requests and connections, by limit.',
      [...refused].map(([by, value]) => ({ labels: { by }, value })),
    ),
    counter('bindery_login_failures_total', 'Wrong passwords and other proofs of identity.', failedLogIns),
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
