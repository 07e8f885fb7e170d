/**
 * What a process counts of itself. Rare events are counted always, as plain numbers; what every request would pay for, only while somebody
 * looks. Whoever has numbers of its own adds a source, which is asked when they are wanted: it costs nothing until then.
 */
import { type ApiError, type Bound, bounds, isFault } from '../errors.ts'
import { type Family, joinFamilies, type Labels } from './family.ts'
import { makeRequestCounts, type RequestCounts } from './request-counts.ts'

export type Budget = { readonly name: string; readonly max: number; used(): number }
export type Source = () => readonly Family[] | Promise<readonly Family[]>

export type Meter = {
  /** Something was turned away, or cut off. */
  refused(bound: Bound): void
  /** The same for an error, where a limit is its reason; and faults are counted. */
  failed(error: ApiError): void
  /** A password or another proof of who somebody is was wrong. */
  logInFailed(): void
  /** Undefined while nobody looks. */
  requests(): RequestCounts | undefined
  budget(budget: Budget): void
  add(source: Source): void
  /** Counts requests from now on; for good without a time, and otherwise for so long after the last call. */
  look(forMs?: number): void
  /** All families of this process. A source that fails is left out: what does not work must not hide what does. */
  collect(): Promise<Family[]>
}

/** A family of one number. */
export function single(kind: 'counter' | 'gauge', named: { name: string; help: string }, value: number): Family {
  return { ...named, kind, across: 'sum', samples: [{ labels: {}, value }] }
}

/** A number of which all processes have the same. */
export function shared(named: { name: string; help: string }, value: number, labels: Labels = {}): Family {
  return { ...named, kind: 'gauge', across: 'max', samples: [{ labels, value }] }
}

function budgetFamilies(budgets: readonly Budget[]): Family[] {
  const samples = (of: (budget: Budget) => number) =>
    budgets.map((budget) => ({ labels: { budget: budget.name }, value: of(budget) }))
  return [
    {
      name: 'bindery_budget_used',
      help: 'How much of a shared budget is in use.',
      kind: 'gauge',
      across: 'sum',
      samples: samples(({ used }) => used()),
    },
    {
      name: 'bindery_budget_limit',
      help: 'How much of a shared budget there is; what comes above it is refused.',
      kind: 'gauge',
      across: 'sum',
      samples: samples(({ max }) => max),
    },
  ]
}

export function makeMeter(): Meter {
  const refused = new Map<Bound, number>(bounds.map((bound) => [bound, 0]))
  const budgets: Budget[] = []
  const sources: Source[] = []
  let failedLogIns = 0
  let faults = 0
  let counts: RequestCounts | undefined
  let untilMs = 0
  let stopping: NodeJS.Timeout | undefined

  /** Whether somebody looks is found out by a timer: every request asks, and the time of day would cost it more than the counting. */
  function stopCounting(): void {
    counts = undefined
    stopping = undefined
  }

  const own = (): Family[] => [
    {
      name: 'bindery_refusals_total',
      help: 'What was turned away or cut off, by the limit that did it.',
      kind: 'counter',
      across: 'sum',
      samples: [...refused].map(([by, value]) => ({ labels: { by }, value })),
    },
    single('counter', { name: 'bindery_login_failures_total', help: 'Wrong proofs of who somebody is.' }, failedLogIns),
    single(
      'counter',
      { name: 'bindery_faults_total', help: "Errors of REST and GraphQL that were not the caller's." },
      faults,
    ),
    ...budgetFamilies(budgets),
  ]
  const families = async (source: Source): Promise<readonly Family[]> => {
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
