/**
 * Decides the moments of one schedule: which ones are due, and which runs they get. The row of the
 * schedule moves in the transaction that leaves the runs, so no crash loses or doubles one.
 */
import { type Clock, timestampOf } from '../base/clock.ts'
import { makeRepeatedLine } from '../base/repeated-line.ts'
import type { RecordStore } from '../record/record-store.ts'
import type { EffectRequest } from '../record/write-context.ts'
import { type CronMoments, momentsOf } from '../resource/schedules/cron-moments.ts'
import { type DeclaredSchedule, scheduleKindName } from '../resource/schedules/define-schedule.ts'
import {
  type DueMoments,
  type DueRun,
  dueMoments,
  type MissedRule,
  madeUpMax,
} from '../resource/schedules/due-moments.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Storage, StoredSchedule } from '../storage/storage.ts'
import type { ScheduleCounts } from './schedule-counts.ts'

export type DecidingDeps = {
  readonly storage: Pick<Storage, 'schedules' | 'effects'>
  readonly records: RecordStore
  readonly clock: Clock
  readonly counts: ScheduleCounts
  /** Tells the operator of missed moments. */
  warn(message: string): void
}

/** The payload of a run. */
export type ScheduledRun = { readonly at: string; readonly missed: number }

/** Runs of one schedule stand in one line: none begins before the one ahead of it has ended. */
function effectOf(name: string, { atMs, missed }: DueRun): EffectRequest {
  const payload: ScheduledRun = { at: timestampOf(atMs), missed }
  return { kind: scheduleKindName(name), key: name, inOrder: true, payload }
}

type RunNowDeps = Pick<DecidingDeps, 'records' | 'clock'> & { readonly makeId: () => unknown }

/** Leaves a run that no moment asked for. Returns its id. */
export async function leaveRunNow(
  { records, clock, makeId }: RunNowDeps,
  { partName }: DeclaredSchedule,
): Promise<string> {
  const id = String(makeId())
  const effect = { ...effectOf(partName, { atMs: clock(), missed: 0 }), id }
  await records.transaction(serviceAuthor, (tx) => tx.leave(effect))
  return id
}

/** A row of another version whose next moment passed so long ago that no process of it looks. */
const abandonedMs = 60_000

/** How many more runs may be left while so many have not ended. */
function roomFor(rule: MissedRule, unended: number): number {
  if (rule === 'all') return madeUpMax - unended
  return (rule === 'once' ? 2 : 1) - unended
}

type Decision = Pick<DueMoments, 'missed' | 'isMore'> & {
  readonly kept: readonly DueRun[]
  readonly isCrowdedOut: boolean
}

/**
 * The runs that are left. A moment is missed too when its run is not left, because an earlier one
 * goes on.
 */
function decide(due: DueMoments, rule: MissedRule, unended: number): Decision {
  const room = Math.max(0, roomFor(rule, unended))
  const kept = due.runs.slice(Math.max(0, due.runs.length - room))
  const isCrowdedOut = due.isOnTime && kept.length === 0
  return { kept, isCrowdedOut, missed: due.missed + (isCrowdedOut ? 1 : 0), isMore: due.isMore }
}

function madeUp(rule: MissedRule, { kept, missed }: Decision): string {
  const isOne = missed === 1
  if (kept.length === 0 || rule === 'skip') return isOne ? 'it has no run' : 'they have no run'
  if (rule === 'once') return `one run makes up for ${isOne ? 'it' : 'them'}`
  return kept.length < missed ? `the latest ${kept.length} run now` : 'each runs now'
}

export type MomentDecider = {
  /**
   * Decides what is due, by this row. Returns when the next moment comes, or undefined for never.
   */
  look(row: StoredSchedule | undefined): Promise<number | undefined>
}

export function makeDecider(
  { partName: name, schedule }: DeclaredSchedule,
  { storage, records, clock, counts, warn }: DecidingDeps,
): MomentDecider {
  const { cron, zone = 'UTC', missed: rule = 'once' } = schedule
  const kind = scheduleKindName(name)
  const moments: CronMoments = momentsOf(cron, zone)
  /** This process has seen to all moments up to this one, since its start. */
  let seenMs = clock()
  let isFirst = true
  const line = makeRepeatedLine(warn)

  async function move(before: StoredSchedule | undefined, after: StoredSchedule, kept: readonly DueRun[]) {
    return records.transaction(serviceAuthor, async (tx) => {
      if (!(await tx.moveSchedule({ before, after }))) return false
      await tx.leave(...kept.map((run) => effectOf(name, run)))
      return true
    })
  }

  function tell(decision: Decision, sinceMs: number): void {
    const { kept, missed, isMore, isCrowdedOut } = decision
    counts.add(name, 'run', kept.length)
    counts.add(name, 'missed', missed)
    if (missed === 0) return
    const many = `${isMore ? 'more than ' : ''}${missed} ${missed === 1 ? 'moment' : 'moments'}`
    const why = isCrowdedOut ? 'an earlier run goes on' : 'no server ran'
    line.tell(`The schedule ${name} missed ${many} since ${timestampOf(sinceMs)}, ${why}: ${madeUp(rule, decision)}`)
  }

  return {
    async look(row) {
      const nowMs = clock()
      const isOwn = row !== undefined && row.cron === cron && row.zone === zone
      // Moments of a new expression count from the start of the server that brings it
      const sinceMs = isOwn ? row.decidedMs : Math.max(row?.decidedMs ?? 0, seenMs)
      const due = dueMoments(moments, { rule, sinceMs, nowMs })
      const isDue = due.runs.length + due.missed > 0
      const nextMs = moments.after(nowMs)
      const isAdopted = !isOwn && (isFirst || !row || (row.nextMs ?? 0) < nowMs - abandonedMs)
      if (isDue || isAdopted) {
        const unended = due.runs.length > 0 ? await storage.effects.unended(kind, name, madeUpMax) : 0
        const decision = decide(due, rule, unended)
        const figures = decision.missed > 0 ? { missedAtMs: nowMs, missed: decision.missed } : undefined
        const known = { missedAtMs: null, missed: 0, endedMs: null, ...row, ...figures }
        const after = { ...known, name, cron, zone, decidedMs: Math.max(sinceMs, nowMs), nextMs: nextMs ?? null }
        if (!(await move(row, after, decision.kept))) return nowMs // another process was first
        tell(decision, sinceMs)
      }
      isFirst = false
      seenMs = nowMs
      return nextMs
    },
  }
}
