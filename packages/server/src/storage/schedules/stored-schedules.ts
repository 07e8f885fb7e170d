/**
 * Schedules as the database has them: up to which moment each is decided, and when the next comes.
 * A process that decides moments moves the row in the transaction that leaves their runs. So each
 * moment is decided once, however many processes look at it.
 */

/** The name of the table. */
export const schedulesTable = 'bindery_schedules'

export type StoredSchedule = {
  readonly name: string
  readonly cron: string
  readonly zone: string
  /** Its moments up to and with this time are decided. */
  readonly decidedMs: number
  /** Null where none comes any more. */
  readonly nextMs: number | null
  /** When moments were last found that had passed without a run, and how many; null for never. */
  readonly missedAtMs: number | null
  readonly missed: number
  /** When a run last ended well; null for never. */
  readonly endedMs: number | null
}

export type StoredSchedules = {
  list(): Promise<readonly StoredSchedule[]>
  /** Notes that a run has ended well. */
  noteEnd(name: string, nowMs: number): Promise<void>
  /** Removes one that no declaration has. Runs that it left stay. */
  forget(name: string): Promise<void>
}

/** `before`: undefined for one without a row. */
export type ScheduleMove = { readonly before: StoredSchedule | undefined; readonly after: StoredSchedule }

/** The part of a transaction that decides moments. */
export type ScheduleWriter = {
  /** Returns false where another process has moved the row since it was read. */
  moveSchedule(move: ScheduleMove): Promise<boolean>
}
