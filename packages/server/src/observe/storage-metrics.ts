/**
 * Measures statements of the database: how long each took, and the plans of slow ones. A statement
 * is identified by its text, which contains no values of requests (`storage/sql/compiler.ts`);
 * values never reach this file.
 */
import { boundedCache } from '../base/bounded-cache.ts'
import { makeHistogram, shortBounds, sizeBounds } from './histogram.ts'
import { counter, histogram, type MetricFamily } from './metric-family.ts'

export type StatementListener = {
  /** Whether statements are timed; otherwise the clock is not read. */
  isOn(): boolean
  /** A statement ended, with or without an error. Times of `performance.now()`. */
  ended(sql: string, beganMs: number, endedMs: number): void
  /** Binds work that runs later to the request that started it. */
  bind?<T extends (...given: never[]) => unknown>(work: T): T
}

/** The plan of a statement, line by line, without values. */
export type ExplainPlan = (sql: string) => Promise<readonly string[]>

/** The functions with which storage reports measurements. */
export type StorageMetrics = {
  readonly statements: StatementListener
  /** Called once, when the database is open. */
  planBy(plan: ExplainPlan): void
  /** A commit, and its number of writes. */
  committed(size: number, ms: number): void
  /** Called when metrics are read. */
  add(source: () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>): void
}

export type SlowStatement = { readonly ms: number; readonly statement: string; readonly plan?: readonly string[] }

type StatementMetricsDeps = {
  /** Undefined: no statement counts as slow. */
  slowMs(): number | undefined
  /** Receives each form of statement once a minute. */
  slow(found: SlowStatement): void
  readonly add: StorageMetrics['add']
  /** Whether a reader of metrics wants statements to be timed. */
  isMeasured(): boolean
  /** Set where statements are part of traces. */
  readonly spans?: Required<Omit<StatementListener, 'isOn'>> | undefined
}

const shapesMax = 1_000
const sayAgainMs = 60_000
const statementLengthMax = 4_000
const planLinesMax = 40

export function makeStorageMetrics({ slowMs, slow, add, isMeasured, spans }: StatementMetricsDeps): StorageMetrics {
  const times = makeHistogram(shortBounds)
  const commitSizes = makeHistogram(sizeBounds)
  const commitTimes = makeHistogram(shortBounds)
  const saidMs = boundedCache<string, number>({ entriesMax: shapesMax })
  let plan: ExplainPlan | undefined
  let slowOnes = 0

  async function say(sql: string, statement: string, ms: number): Promise<void> {
    // even without a plan the statement is worth a line
    const steps = await plan?.(sql).catch(() => undefined)
    slow({ ms: Math.round(ms * 10) / 10, statement, ...(steps?.length && { plan: steps.slice(0, planLinesMax) }) })
  }
  function noteSlow(sql: string, ms: number, nowMs: number): void {
    slowOnes += 1
    const statement = sql.slice(0, statementLengthMax)
    const before = saidMs.get(statement)
    if (before !== undefined && nowMs - before < sayAgainMs) return
    saidMs.set(statement, nowMs)
    void say(sql, statement, ms)
  }
  const ended: StatementListener['ended'] = (sql, beganMs, endedMs) => {
    const ms = endedMs - beganMs
    spans?.ended(sql, beganMs, endedMs)
    if (isMeasured()) times.add(ms / 1000)
    const slowFrom = slowMs()
    if (slowFrom !== undefined && ms >= slowFrom) noteSlow(sql, ms, endedMs)
  }
  const isOn = () => spans !== undefined || slowMs() !== undefined || isMeasured()

  add(() => [
    histogram(
      'bindery_statement_duration_seconds',
      'Time of statements in the database, waiting for an answer included.',
      { bounds: shortBounds, samples: [times.read({})] },
    ),
    counter('bindery_slow_statements_total', 'Statements that took as long as SLOW_MS or longer.', slowOnes),
    histogram('bindery_commit_size', 'Writes that one commit stored.', {
      bounds: sizeBounds,
      samples: [commitSizes.read({})],
    }),
    histogram('bindery_commit_duration_seconds', 'Time of commits, with the wait for the disk.', {
      bounds: shortBounds,
      samples: [commitTimes.read({})],
    }),
  ])
  return {
    statements: { isOn, ended, ...(spans && { bind: spans.bind }) },
    planBy(given) {
      plan = given
    },
    committed(size, ms) {
      commitSizes.add(size)
      commitTimes.add(ms / 1000)
      const nowMs = performance.now()
      const slowFrom = slowMs()
      if (slowFrom !== undefined && ms >= slowFrom) noteSlow('COMMIT', ms, nowMs)
    },
    add,
  }
}
