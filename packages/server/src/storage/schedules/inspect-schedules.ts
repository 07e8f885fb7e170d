/** The doctor's findings about schedules: moments that no server decides, and those that passed. */
import { timestampOf } from '../../base/clock.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { scheduleType } from '../../resource/schedules/define-schedule.ts'
import type { Findings } from '../finding.ts'
import type { Executor } from '../sql/reader.ts'
import { schedulesTable } from './stored-schedules.ts'

/** Servers look once a minute. */
const overdueMs = 10 * 60_000
const toldMs = 24 * 60 * 60_000

type FindingCells = readonly [name: string, nextMs: number | null, missedAtMs: number | null, missed: number]
type ScheduleInspection = {
  readonly executor: Executor
  readonly catalog: Pick<Catalog, 'parts'>
  readonly nowMs: number
}

export async function inspectSchedules(
  findings: Findings,
  { executor, catalog, nowMs }: ScheduleInspection,
): Promise<void> {
  const sql = `SELECT name, next_ms, missed_at_ms, missed FROM ${schedulesTable} ORDER BY name`
  const rows = (await executor.all({ sql, parameters: [] })) as unknown as FindingCells[]
  for (const [name, nextMs, missedAtMs, missed] of rows.filter(([one]) => catalog.parts.find(scheduleType, one))) {
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
