/** The doctor's findings about schedules: moments that no server decides, and those that passed. */
import { timestampOf } from '../../base/clock.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { scheduleType } from '../../resource/schedules/define-schedule.ts'
import type { Findings } from '../finding.ts'
import type { StoredSchedule } from './stored-schedules.ts'

/** Servers look once a minute. */
const overdueMs = 10 * 60_000
const toldMs = 24 * 60 * 60_000

type ScheduleInspection = {
  readonly found: readonly StoredSchedule[]
  readonly catalog: Pick<Catalog, 'parts'>
  readonly nowMs: number
}

export function inspectSchedules(findings: Findings, { found, catalog, nowMs }: ScheduleInspection): void {
  for (const { name, nextMs, missedAtMs, missed } of found) {
    if (!catalog.parts.find(scheduleType, name)) continue
    const { warn } = findings.about('schedules', `the schedule ${name}`)
    if (nextMs !== null && nextMs < nowMs - overdueMs)
      warn(
        `its moment ${timestampOf(nextMs)} has passed, and no server decided it`,
        'Start a server: it treats the moments since then as the schedule declares',
      )
    if (missedAtMs !== null && missedAtMs > nowMs - toldMs)
      warn(
        `${missed} ${missed === 1 ? 'moment' : 'moments'} passed without a run of their own, as of ${timestampOf(missedAtMs)}`,
        `No server ran then, or an earlier run went on. See bindery schedules show ${name}`,
      )
  }
}
