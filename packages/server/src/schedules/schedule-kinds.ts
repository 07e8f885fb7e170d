/** The runs of schedules as kinds of effects: one after another for each schedule. */
import type { Clock } from '../base/clock.ts'
import { type EffectKind, triesOf } from '../effects/effect-kind.ts'
import type { MakeOutsideCode, UnboundedRecords } from '../resource/code/code-context.ts'
import { type DeclaredSchedule, scheduleKindName } from '../resource/schedules/define-schedule.ts'
import type { StoredSchedules } from '../storage/storage.ts'
import type { ScheduledRun } from './decide-moments.ts'
import type { ScheduleCounts } from './schedule-counts.ts'

const triesUsual = 4
const timeoutSecondsUsual = 300
/** A schedule that fails for long leaves one for each moment. */
const givenUpMax = 100

type KindDeps = {
  readonly makeCode: MakeOutsideCode<UnboundedRecords>
  readonly storage: { readonly schedules: Pick<StoredSchedules, 'noteEnd'> }
  readonly clock: Clock
  readonly counts: ScheduleCounts
}

export function scheduleKind(
  { partName, schedule }: DeclaredSchedule,
  { makeCode, storage, clock, counts }: KindDeps,
): EffectKind {
  const { run, retries, timeoutSeconds = timeoutSecondsUsual } = schedule
  const name = scheduleKindName(partName)
  return {
    name,
    async run({ id, tries, payload, origin }, { signal, step }) {
      const { at, missed } = payload as ScheduledRun
      if (tries === 1) counts.began(partName, clock() - Date.parse(at))
      const code = makeCode({ name, signal, cause: { id, depth: origin?.depth ?? 1 } })
      await run({ ...code, at, missed, id, tries, step })
      // It is only for people: a run that has ended is not repeated for it
      await storage.schedules.noteEnd(partName, clock()).catch(() => undefined)
    },
    inOrder: true,
    atOnce: 1,
    ...triesOf({ tries: triesUsual, ...retries }),
    timeoutMs: timeoutSeconds * 1000,
    givenUpMax,
    words: {
      again: `A run of the schedule ${partName} failed, and is tried again`,
      givenUp: `A run of the schedule ${partName} is given up`,
    },
  }
}
