/**
 * Runs the clock of schedules in this process: it sleeps until the next moment, and looks at least
 * once a minute. All processes look; the first one decides a moment.
 */
import { makeRepeatedLine } from '../base/repeated-line.ts'
import type { EffectKind } from '../effects/effect-kind.ts'
import { makePollScheduler } from '../effects/poll-scheduler.ts'
import type { MetricFamily } from '../observe/metric-family.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { MakeOutsideCode, UnboundedRecords } from '../resource/code/code-context.ts'
import { type DeclaredSchedule, scheduleType } from '../resource/schedules/define-schedule.ts'
import { type DecidingDeps, makeDecider } from './decide-moments.ts'
import { makeScheduleCounts } from './schedule-counts.ts'
import { scheduleKind } from './schedule-kinds.ts'

const lookMs = 60_000
const failedMs = 5_000

type ScheduleLog = {
  warn(message: string): void
  error(message: string, error: unknown): void
}

export type ScheduleRunner = {
  /** Resolves when all moments are decided that have come. */
  now(): Promise<void>
  /** When the next one comes, as of the last look; undefined for never. */
  nextMs(): number | undefined
  stop(): Promise<void>
  families(): readonly MetricFamily[]
}

type RunnerDeps = Omit<DecidingDeps, 'warn'> & { readonly log: ScheduleLog }

function startSchedules(schedules: readonly DeclaredSchedule[], { log, ...deps }: RunnerDeps): ScheduleRunner {
  const { storage, clock, counts } = deps
  const deciders = new Map(schedules.map((one) => [one.partName, makeDecider(one, { ...deps, warn: log.warn })]))
  let nextMs: number | undefined
  let isFirst = true

  /** Rows that no declaration of this version has. */
  async function forgetOthers(names: readonly string[]): Promise<void> {
    for (const name of names) if (!deciders.has(name)) await storage.schedules.forget(name)
  }

  async function look(): Promise<number> {
    if (deciders.size === 0 && !isFirst) return lookMs
    const rows = new Map((await storage.schedules.list()).map((row) => [row.name, row]))
    if (isFirst) await forgetOthers([...rows.keys()])
    isFirst = false
    const next: number[] = []
    for (const [name, decider] of deciders) {
      const ms = await decider.look(rows.get(name))
      if (ms !== undefined) next.push(ms)
    }
    nextMs = next.length > 0 ? Math.min(...next) : undefined
    return Math.max(0, Math.min((nextMs ?? Number.POSITIVE_INFINITY) - clock(), lookMs))
  }
  let latest: unknown
  const failing = makeRepeatedLine((line) => log.error(line, latest))
  const looks = makePollScheduler({
    look,
    failedMs,
    failed(error) {
      latest = error
      failing.tell('The moments of schedules cannot be decided now')
    },
    succeeded: () => failing.end(),
  })
  void looks.now()

  return {
    now: () => looks.now(),
    nextMs: () => nextMs,
    async stop() {
      looks.stop()
      await looks.settled()
      failing.end()
    },
    families: counts.families,
  }
}

type SchedulesDeps = Omit<RunnerDeps, 'counts'> & {
  readonly catalog: Pick<Catalog, 'parts'>
  readonly makeCode: MakeOutsideCode<UnboundedRecords>
}

/** `kinds`: their runs. `start` begins to decide moments; without schedules it forgets old ones. */
export function makeSchedules({ catalog, makeCode, ...deps }: SchedulesDeps): {
  readonly kinds: readonly EffectKind[]
  start(): ScheduleRunner
} {
  const schedules = catalog.parts.of(scheduleType)
  const counts = makeScheduleCounts(schedules.map(({ partName }) => partName))
  return {
    kinds: schedules.map((one) => scheduleKind(one, { ...deps, makeCode, counts })),
    start: () => startSchedules(schedules, { ...deps, counts }),
  }
}
