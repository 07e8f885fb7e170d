/**
 * The work of a test's service that ended: effects, jobs, runs of schedules and mails. A failure
 * fails the test that caused it, unless the test expects it.
 */
import { jobKindStart } from '../../resource/jobs/job-context.ts'
import type { EndedWork } from '../../storage/stored-effects.ts'

export type WorkRecord = {
  note(work: EndedWork): void
  /** Those that ended since it was last called. */
  takeEnded(): readonly EndedWork[]
  /** The jobs among those that ended since it was last called. */
  takeJobs(): readonly EndedWork[]
  /** Throws the first failure that no test expects, once. */
  throwFailure(): void
  /** The failures of this kind, those before `work` included. Throws where there is none. */
  expectFailure(kind: string, work: () => Promise<unknown>): Promise<readonly EndedWork[]>
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** `order.announce (record 17)` */
function nameOf({ kind, key }: EndedWork): string {
  const isOfRecord = key !== null && !/^(?:job\.|schedule\.|mail(?::|$))/.test(kind)
  return isOfRecord ? `${kind} (record ${key})` : kind
}

/** The stack is that of the failure, so that a runner of tests shows the line that threw. */
function failureError(failures: readonly EndedWork[]): Error {
  const [first] = failures as [EndedWork]
  const more = failures.length > 1 ? `, and ${failures.length - 1} more` : ''
  const sentence = `${nameOf(first)} failed at try ${first.tries}: ${messageOf(first.error)}${more}`
  const error = new Error(sentence, { cause: first.error })
  const { stack } = first.error instanceof Error ? first.error : error
  error.stack = `Error: ${sentence}\n${stack?.split('\n').slice(1).join('\n') ?? ''}`
  return error
}

/** `allowed`: the kinds that may fail without a word, or all. */
export function makeWorkRecord(allowed: boolean | readonly string[]): WorkRecord {
  const ended: EndedWork[] = []
  const expecting = new Set<string>()
  const from = { ended: 0, jobs: 0 }
  /** Those that no test was told of. */
  let failures: EndedWork[] = []
  const mayFail = (kind: string) => (typeof allowed === 'boolean' ? allowed : allowed.includes(kind))

  function since(mark: 'ended' | 'jobs'): readonly EndedWork[] {
    const found = ended.slice(from[mark])
    from[mark] = ended.length
    return found
  }

  function throwFailure(): void {
    const unexpected = failures.filter(({ kind }) => !expecting.has(kind))
    failures = failures.filter(({ kind }) => expecting.has(kind))
    if (unexpected.length > 0) throw failureError(unexpected)
  }

  return {
    note(work) {
      ended.push(work)
      if (work.outcome !== 'done' && (expecting.has(work.kind) || !mayFail(work.kind))) failures.push(work)
    },
    takeEnded: () => since('ended'),
    takeJobs: () => since('jobs').filter(({ kind }) => kind.startsWith(jobKindStart)),
    throwFailure,
    async expectFailure(kind, work) {
      const found: EndedWork[] = []
      expecting.add(kind)
      try {
        await work()
      } finally {
        expecting.delete(kind)
        found.push(...failures.filter((one) => one.kind === kind))
        failures = failures.filter((one) => one.kind !== kind)
      }
      throwFailure()
      if (found.length > 0) return found
      const others = ended.map((one) => `${nameOf(one)} ${one.outcome}`)
      throw new Error(`No failure of ${kind}; the work of this service: ${others.join(', ') || 'none'}`)
    },
  }
}
