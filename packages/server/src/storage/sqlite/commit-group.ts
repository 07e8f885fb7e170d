/**
 * Several transactions in one of SQLite's: one commit, one sync of the disk. A member that fails leaves nothing behind and fails nobody
 * else; nobody is answered before the commit, because what a member read may be what another one wrote.
 */
import type { ChangeLog } from './change-log.ts'
import { type Connection, translateError } from './connection.ts'
import type { Snapshot } from './snapshot.ts'

/** One run of a member's work. */
export type Attempt = {
  /** While false, the work must not touch the database any more: it has ended, or will run again. */
  open: boolean
  /** Whether it has written something, so that taking it out of the group means undoing it. */
  written: boolean
}

/**
 * What has been learnt of a member. `none`: it runs without a savepoint, which costs as much as a fifth of a small write. `savepoint`: one
 * of its group had to be undone. `alone`: the whole transaction broke, or it takes long, so it shares one with nobody.
 */
export type Care = 'none' | 'savepoint' | 'alone'

export type Member = {
  run(attempt: Attempt): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
  readonly care: Care
}

export type GroupDone = {
  readonly size: number
  readonly commitMs: number
  /** Members that are to run again, before all others. */
  readonly again: readonly Member[]
  /** Why no transaction could begin, for all that wait. */
  readonly refusal?: unknown
}

/** Runs the first member and all that can be taken after it. Never throws: members receive the errors. */
export type RunGroup = (first: Member, take: () => Member | undefined) => Promise<GroupDone>

/** Who still waits for something after this time leaves the group, so that those before are answered. */
const awaitedMsMax = 10

type Outcome = { readonly value: unknown } | { readonly error: unknown } | 'late'
type Done = { readonly member: Member; readonly outcome: Exclude<Outcome, 'late'> }

type Ran = { readonly member: Member; readonly attempt: Attempt; readonly place: number }

type Parts = {
  readonly writer: Connection
  readonly snapshot: Snapshot
  readonly log: () => ChangeLog
  /** Throws where what is written would be lost. */
  readonly present?: (() => void) | undefined
  /** Called before a transaction. */
  readonly look?: (() => void) | undefined
  /** Called before a commit, with the number of records that it writes. */
  readonly ending?: ((records: number) => void) | undefined
  /** Whether other processes serve the same file. */
  readonly isShared?: boolean
  /** Called after a commit. */
  readonly wrote?: (() => void) | undefined
}

function runAs(care: Care, members: readonly Member[]): Member[] {
  return members.map((member) => ({ ...member, care }))
}

/** Runs the work until it ends; `onLate` receives what ends the wait for it. */
function attemptOf(member: Member, attempt: Attempt, onLate: (leave: () => void) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    onLate(() => resolve('late'))
    member.run(attempt).then(
      (value) => resolve({ value }),
      (error) => resolve({ error }),
    )
  })
}

const nothing = () => undefined

/** The statements around members, and what the change log and the readers must know of them. */
function makeBounds({
  writer,
  snapshot,
  log,
  present = nothing,
  look = nothing,
  ending = nothing,
  wrote = nothing,
  isShared = false,
}: Parts) {
  const { database } = writer
  const statement = (sql: string) => {
    const prepared = database.prepare(sql)
    return () => void prepared.run()
  }
  const commit = statement('COMMIT')
  const undo = statement('ROLLBACK TO member')
  const release = statement('RELEASE member')
  const begin = statement('BEGIN IMMEDIATE')

  function undoAll(): void {
    if (database.isTransaction) database.exec('ROLLBACK')
    log().undone(0)
  }
  return {
    begin(): void {
      present()
      writer.guard(look)
      writer.guard(begin)
    },
    save: statement('SAVEPOINT member'),
    release,
    undoAll,
    undoMember(place: number): void {
      undo()
      release()
      log().undone(place)
    },
    /** Nobody is answered: all run again. */
    undone(again: readonly Member[]): GroupDone {
      undoAll()
      return { size: again.length, commitMs: 0, again }
    },
    /** Commits and answers those that are done. */
    ended(done: readonly Done[], again: readonly Member[]): GroupDone {
      const sinceMs = performance.now()
      try {
        if (done.some(({ outcome }) => 'value' in outcome)) {
          snapshot.end()
          if (isShared) writer.guard(log().ending)
          ending(log().records())
          writer.guard(commit)
          log().committed()
          wrote()
          present() // nobody is told of a write that went into a file that is gone
        } else undoAll()
      } catch (error) {
        undoAll()
        for (const { member } of done) member.reject(translateError(error))
        return { size: done.length, commitMs: 0, again }
      }
      const commitMs = performance.now() - sinceMs
      for (const { member, outcome } of done) {
        if ('value' in outcome) member.resolve(outcome.value)
        else member.reject(translateError(outcome.error))
      }
      return { size: done.length, commitMs, again }
    },
  }
}

export function makeCommitGroup(parts: Parts): RunGroup {
  const { writer, log } = parts
  const bounds = makeBounds(parts)

  /** Undoes what a member wrote that has failed or is late. Returns how the group ends, where others have to run again for that. */
  function takeOut({ member, attempt, place }: Ran, done: readonly Done[], outcome: Outcome): GroupDone | undefined {
    const before = done.map((one) => one.member)
    if (member.care === 'savepoint') bounds.undoMember(place)
    else if (attempt.written && outcome === 'late') return bounds.undone([...before, ...runAs('alone', [member])])
    else if (attempt.written && before.length > 0) return bounds.undone(runAs('savepoint', [...before, member]))
    else if (attempt.written) return bounds.ended([{ member, outcome: outcome as Done['outcome'] }], [])
    return outcome === 'late' ? bounds.ended(done, runAs('alone', [member])) : undefined
  }

  /** Runs one member after those that are done. Returns how the group ends, if it ends with it. */
  async function runMember(member: Member, done: Done[], onLate: (leave: () => void) => void) {
    const attempt: Attempt = { open: true, written: false }
    const place = log().place()
    if (member.care === 'savepoint') bounds.save()
    const outcome = await attemptOf(member, attempt, onLate)
    attempt.open = false
    const isLost = !writer.database.isTransaction // a full or a broken disk ends the whole transaction
    if (isLost && done.length > 0) return bounds.undone(runAs('alone', [...done.map((one) => one.member), member]))
    if (isLost) return bounds.ended([{ member, outcome: outcome as Done['outcome'] }], [])
    if (outcome === 'late' || 'error' in outcome) {
      const ended = takeOut({ member, attempt, place }, done, outcome)
      if (ended) return ended
    } else if (member.care === 'savepoint') bounds.release()
    done.push({ member, outcome: outcome as Done['outcome'] })
    return undefined
  }

  return async (first, take) => {
    try {
      bounds.begin()
    } catch (error) {
      const refusal = translateError(error)
      first.reject(refusal)
      return { size: 1, commitMs: 0, again: [], refusal }
    }
    const done: Done[] = []
    let leave: (() => void) | undefined
    const timer = setTimeout(() => done.length > 0 && leave?.(), awaitedMsMax)
    try {
      for (let member: Member | undefined = first; member; member = take()) {
        const ended = await runMember(member, done, (end) => {
          leave = end
        })
        if (ended) return ended
      }
      return bounds.ended(done, [])
    } finally {
      clearTimeout(timer)
    }
  }
}
