/**
 * Group commit: runs the waiting transactions in one of SQLite's, with one commit and one fsync. A
 * failing member is rolled back alone. All responses wait for the fsync, because a member may have
 * read another one's writes. During an fsync the next group runs; it commits after the responses of
 * the groups before it.
 */
import { ApiError } from '../../../errors.ts'
import { isConstraint, type SqliteConnection, translateError } from '../connection.ts'
import type { LogStamps } from '../file/log-stamp.ts'
import type { CorruptionMonitor } from '../inspect/corruption.ts'
import type { Snapshot } from '../read/snapshot.ts'
import type { SqliteChangeLog } from './change-log.ts'
import type { Checkpoints } from './checkpoints.ts'
import { beginWriting } from './write-lock.ts'

/** One run of a member's work. */
export type WriteAttempt = {
  /** While false, the work must not use the database: it has ended, or will run again. */
  open: boolean
  /** Whether it has written something, so that removing it from the group needs a rollback. */
  written: boolean
}

/**
 * The isolation that a member is known to need. `none`: it runs without a savepoint, which costs up
 * to a fifth of a small write. `savepoint`: a member of its group was rolled back. `alone`: the
 * whole transaction broke, or the work takes long, so it gets a transaction of its own.
 */
export type IsolationNeed = 'none' | 'savepoint' | 'alone'

export type GroupMember = {
  run(attempt: WriteAttempt): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
  readonly care: IsolationNeed
}

export type GroupDone = {
  readonly size: number
  /** Members that run again, before all others. */
  readonly again: readonly GroupMember[]
  /** Why no transaction could begin, for all waiting members. */
  readonly refusal?: unknown
  /**
   * After a commit: resolves after the fsync and the responses, to the milliseconds that they took.
   * Never rejects.
   */
  readonly committed?: Promise<number>
}

export type CommitGroup = {
  /**
   * Runs the first member and all further ones that `take` returns, up to the commit. Never throws:
   * members receive the errors.
   */
  run(first: GroupMember, take: () => GroupMember | undefined): Promise<GroupDone>
  /** Resolves when all commits are on the disk and have their responses. Never rejects. */
  settled(): Promise<unknown>
}

/**
 * A member that still waits for something after this time leaves the group, so that the members
 * before it get their responses.
 */
const awaitedMsMax = 10

type MemberOutcome = { readonly value: unknown } | { readonly error: unknown } | 'late'
type DoneMember = { readonly member: GroupMember; readonly outcome: Exclude<MemberOutcome, 'late'> }

type RanMember = { readonly member: GroupMember; readonly attempt: WriteAttempt; readonly place: number }

type CommitGroupDeps = {
  readonly writer: SqliteConnection
  readonly snapshot: Snapshot
  readonly log: () => SqliteChangeLog
  /** Throws where the write would be lost. */
  readonly present: () => void
  /** Returns the error for members whose transaction could not begin, end or roll back. */
  readonly noteBound: CorruptionMonitor['noteBound']
  /** Throws where the disk has failed. */
  readonly check: () => void
  /** Copies the log into the file. */
  readonly checkpoints: Omit<Checkpoints, 'close'> | undefined
  /** Stamp a log that begins with the state of the file. */
  readonly stamps: LogStamps
  /** Resolves when all commits are on the disk. */
  readonly synced: () => Promise<void>
  /** Called after a commit. */
  readonly wrote: () => void
}

function runAs(care: IsolationNeed, members: readonly GroupMember[]): GroupMember[] {
  return members.map((member) => ({ ...member, care }))
}

const membersOf = (done: readonly DoneMember[]): GroupMember[] => done.map(({ member }) => member)

/** Runs the work until it ends; `onLate` receives a function that ends the wait for it. */
function attemptOf(
  member: GroupMember,
  attempt: WriteAttempt,
  onLate: (leave: () => void) => void,
): Promise<MemberOutcome> {
  return new Promise((resolve) => {
    onLate(() => resolve('late'))
    member.run(attempt).then(
      (value) => resolve({ value }),
      (error) => resolve({ error }),
    )
  })
}

/** Settles the done members, each with its own outcome or all with the same error. */
function answer(done: readonly DoneMember[], failure?: { readonly error: unknown }): void {
  for (const { member, outcome } of done) {
    if (failure) member.reject(translateError(failure.error))
    else if ('value' in outcome) member.resolve(outcome.value)
    else member.reject(translateError(outcome.error))
  }
}

type CommittedGroup = { readonly done: readonly DoneMember[]; readonly tell: () => void; readonly sinceMs: number }

/**
 * Waits for the fsync, then informs readers and settles the members. Readers see committed writes
 * even if the fsync has failed.
 */
async function settle(
  { snapshot, synced, wrote, present }: CommitGroupDeps,
  { done, tell, sinceMs }: CommittedGroup,
): Promise<number> {
  let failure: { readonly error: unknown } | undefined
  try {
    try {
      await synced()
    } finally {
      snapshot.end()
      tell()
    }
    wrote()
    present() // no member succeeds with a write to a deleted file
  } catch (error) {
    failure = { error }
  }
  answer(done, failure)
  return performance.now() - sinceMs
}

/**
 * The error to throw for a failed begin or commit. A violated constraint is a member's, although
 * only the commit found it.
 */
function refusalBy({ writer, noteBound }: CommitGroupDeps): (error: unknown) => unknown {
  return (error) => {
    try {
      return writer.guard(() => {
        throw error
      })
    } catch (noted) {
      return noted instanceof ApiError || isConstraint(noted) ? noted : noteBound(noted as Error)
    }
  }
}

/** Checkpoints a long log first, and stamps a log that begins. */
async function tendLog({ writer, snapshot, checkpoints, stamps }: CommitGroupDeps, settled: () => Promise<unknown>) {
  let looked = writer.guard(stamps.look)
  if (checkpoints?.isDue(looked)) {
    await settled()
    snapshot.end() // a reader of the log keeps it from restarting
    await checkpoints.finish()
    snapshot.end()
    looked = writer.guard(stamps.look)
  }
  stamps.stamp(looked)
}

/** The statements around members, and their effects on the change log and the readers. */
function makeBounds(deps: CommitGroupDeps) {
  const { writer, snapshot, log, present, check } = deps
  const { database } = writer
  const refusalOf = refusalBy(deps)
  const statement = (sql: string) => {
    const prepared = database.prepare(sql)
    return () => void prepared.run()
  }
  const commit = statement('COMMIT')
  const undo = statement('ROLLBACK TO member')
  const release = statement('RELEASE member')
  let settled: Promise<unknown> = Promise.resolve()

  function undoAll(): void {
    log().undone(0)
    if (database.isTransaction) database.exec('ROLLBACK')
  }
  /** Rolls back, and refuses all members. Where the rollback fails, the next begin repeats it. */
  function refused(members: readonly GroupMember[], error: unknown, again: readonly GroupMember[] = []): GroupDone {
    const refusal = refusalOf(error)
    try {
      undoAll()
    } catch (further) {
      refusalOf(further)
    }
    for (const member of members) member.reject(refusal)
    return { size: members.length, again }
  }
  return {
    settled: () => settled,
    /** Returns the reason why no transaction can begin. */
    async begin(): Promise<unknown> {
      try {
        present()
        check()
        undoAll()
        await tendLog(deps, () => settled)
        await beginWriting(writer)
        return undefined
      } catch (error) {
        return refusalOf(error)
      }
    },
    refused,
    save: statement('SAVEPOINT member'),
    release,
    undoAll,
    undoMember(place: number): void {
      undo()
      release()
      log().undone(place)
    },
    /** Rolls back without any outcome: all members run again. */
    undone(again: readonly GroupMember[]): GroupDone {
      undoAll()
      return { size: again.length, again }
    },
    /** Commits. The done members settle after the fsync. */
    async ended(done: readonly DoneMember[], again: readonly GroupMember[]): Promise<GroupDone> {
      await settled
      const sinceMs = performance.now()
      try {
        if (done.some(({ outcome }) => 'value' in outcome)) {
          check()
          snapshot.pin()
          writer.guard(log().ending)
          writer.guard(commit)
          const committed = settle(deps, { done, tell: log().committed(), sinceMs })
          settled = committed
          return { size: done.length, again, committed }
        }
        undoAll()
        answer(done)
        return { size: done.length, again }
      } catch (error) {
        snapshot.end()
        return refused(membersOf(done), error, again)
      }
    },
  }
}

export function makeCommitGroup(deps: CommitGroupDeps): CommitGroup {
  const { writer, log } = deps
  const bounds = makeBounds(deps)

  /**
   * Removes a failed or late member, and rolls back its writes. Returns how the group ends, if
   * others have to run again for that.
   */
  async function takeOut({ member, attempt, place }: RanMember, done: readonly DoneMember[], outcome: MemberOutcome) {
    const before = membersOf(done)
    if (member.care === 'savepoint') bounds.undoMember(place)
    else if (attempt.written && outcome === 'late') return bounds.undone([...before, ...runAs('alone', [member])])
    else if (attempt.written && before.length > 0) return bounds.undone(runAs('savepoint', [...before, member]))
    else if (attempt.written) return bounds.ended([{ member, outcome: outcome as DoneMember['outcome'] }], [])
    return outcome === 'late' ? bounds.ended(done, runAs('alone', [member])) : undefined
  }

  /**
   * Runs one member after the done ones. Returns how the group ends, if it ends with this member.
   */
  async function runMember(member: GroupMember, done: DoneMember[], onLate: (leave: () => void) => void) {
    const attempt: WriteAttempt = { open: true, written: false }
    const place = log().begins()
    if (member.care === 'savepoint') bounds.save()
    const outcome = await attemptOf(member, attempt, onLate)
    attempt.open = false
    // a full or a broken disk rolls back the whole transaction
    const isLost = !writer.database.isTransaction
    if (isLost && done.length > 0) return bounds.undone(runAs('alone', [...membersOf(done), member]))
    if (isLost) return bounds.ended([{ member, outcome: outcome as DoneMember['outcome'] }], [])
    if (outcome === 'late' || 'error' in outcome) {
      const ended = await takeOut({ member, attempt, place }, done, outcome)
      if (ended) return ended
    } else if (member.care === 'savepoint') bounds.release()
    done.push({ member, outcome: outcome as DoneMember['outcome'] })
    return undefined
  }

  async function run(first: GroupMember, take: () => GroupMember | undefined): Promise<GroupDone> {
    const refusal = await bounds.begin()
    if (refusal !== undefined) {
      first.reject(refusal)
      return { size: 1, again: [], refusal }
    }
    const done: DoneMember[] = []
    let leave: (() => void) | undefined
    const timer = setTimeout(() => done.length > 0 && leave?.(), awaitedMsMax)
    let member: GroupMember | undefined = first
    try {
      for (; member; member = take()) {
        const ended = await runMember(member, done, (end) => {
          leave = end
        })
        if (ended) return ended
      }
      return await bounds.ended(done, [])
    } catch (error) {
      return bounds.refused([...membersOf(done), ...(member ? [member] : [])], error)
    } finally {
      clearTimeout(timer)
    }
  }
  return { run, settled: bounds.settled }
}
