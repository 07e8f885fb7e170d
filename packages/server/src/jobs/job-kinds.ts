/**
 * Jobs as kinds of effects. A run notes its try and stores how far it is. It stores the result
 * before its effect ends, so that no job is done twice. A cancellation ends it by its signal.
 */
import type { Clock } from '../base/clock.ts'
import { errorOf } from '../base/outcomes/thrown-error.ts'
import { untilAborted } from '../base/outcomes/until-aborted.ts'
import { type Effect, type EffectKind, EffectRefused, type EffectTry, triesOf } from '../effects/effect-kind.ts'
import { ApiError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Catalog } from '../resource/catalog.ts'
import { sentenceMistake } from '../resource/code/refusal.ts'
import { type DeclaredJob, jobType } from '../resource/jobs/define-job.ts'
import { type JobCode, type JobProgress, jobKindName } from '../resource/jobs/job-context.ts'
import { jobText, jobValues } from '../resource/jobs/job-values.ts'
import type { ReadStorage } from '../storage/storage.ts'
import type { StartedJob } from '../storage/stored-jobs.ts'
import { followCancellations, type JobCancellations } from './cancellations.ts'
import type { MakeJobCode } from './job-code.ts'
import { makeProgressWriter } from './progress-writer.ts'

const timeoutSeconds = 600
const atOnce = 10

export type JobKindsDeps = {
  readonly catalog: Catalog
  readonly storage: Pick<ReadStorage, 'jobs' | 'changes'>
  readonly clock: Clock
  readonly makeCode: MakeJobCode
}

/** The code of a job has refused it. */
class JobRefused extends ApiError {}
class WrongResultError extends Error {}

function refuse(sentence: string): never {
  const mistake = sentenceMistake(sentence)
  throw mistake ? refusedFor(mistake) : new JobRefused('conflict', sentence)
}

/** Ends the job without another try: what it did would be done again. */
const refusedFor = (cause: Error) => new EffectRefused(cause.message, { cause })

/** Its caller reads this of a job whose result is not as `output` says. */
const wrongResult = 'The job has done its work, and its result is not as declared: the log of the server says why'

/**
 * The result as JSON text; null for a job without one. Throws `WrongResultError` for values that
 * `output` does not declare.
 */
function resultText({ job: { output } }: DeclaredJob, returned: unknown): string | null {
  if (!output || Object.keys(output).length === 0) return null
  const { resultLengthMax: lengthMax } = limits.jobs
  try {
    return jobText(output, (returned ?? {}) as object, { lengthMax, defaultOf: () => null })
  } catch (error) {
    const { message } = errorOf(error)
    throw new WrongResultError(`Its result is not as output declares: ${message}`, { cause: error })
  }
}

type JobRun = JobKindsDeps & { readonly cancellations: JobCancellations; readonly declared: DeclaredJob }

/** Resolves when it is done; rejects when the signal ends it. */
async function runCode(
  { declared, makeCode }: JobRun,
  { effect, started, signal, step }: EffectTry & { readonly effect: Effect; readonly started: StartedJob },
  progress: (reached: JobProgress) => void,
): Promise<string | null> {
  const { id, tries } = effect
  const input = jobValues(declared.job.input ?? {}, started.input)
  const code = makeCode({ name: jobKindName(declared.job.name), signal, effect })
  const given = { ...code, input, id, tries, step, progress, refuse } as unknown as JobCode<never>
  return resultText(declared, await untilAborted(signal, () => declared.job.run(given)))
}

async function runJob(parts: JobRun, effect: Effect, { signal: ending, step }: EffectTry): Promise<void> {
  const { storage, clock, cancellations } = parts
  const { id, tries } = effect
  const cancellation = cancellations.watch(id)
  const progress = makeProgressWriter((text) => storage.jobs.advance(id, text))
  try {
    const started = await storage.jobs.start(id, tries, clock())
    if (!started) return // it is done, or was cancelled
    const signal = AbortSignal.any([ending, cancellation.signal])
    const result = await runCode(parts, { effect, started, signal, step }, progress.report)
    await storage.jobs.finish({ id, result, progress: await progress.end(), nowMs: clock() })
  } catch (error) {
    const text = await progress.end()
    if (cancellation.signal.aborted) return
    if (text !== null) await storage.jobs.advance(id, text)
    const said = error instanceof WrongResultError ? wrongResult : error instanceof ApiError ? error.message : undefined
    if (said !== undefined) await storage.jobs.refuse(id, said)
    throw error instanceof JobRefused || error instanceof WrongResultError ? refusedFor(error) : error
  } finally {
    cancellation.end()
  }
}

/** Empty where the application declares no job. */
export function jobKinds(deps: JobKindsDeps): EffectKind[] {
  const all = deps.catalog.parts.of(jobType)
  if (all.length === 0) return []
  const cancellations = followCancellations(deps.storage, deps.clock)
  return all.map((declared): EffectKind => {
    const { job } = declared
    const name = jobKindName(job.name)
    const run = { ...deps, cancellations, declared }
    return {
      name,
      run: (effect, once) => runJob(run, effect, once),
      inOrder: true,
      atOnce: job.atOnce ?? atOnce,
      ...triesOf(job.retries),
      timeoutMs: (job.timeoutSeconds ?? timeoutSeconds) * 1000,
      givenUpMax: limits.jobs.failedMax,
      words: { again: `The job ${job.name} failed, and is tried again`, givenUp: `The job ${job.name} has failed` },
    }
  })
}
