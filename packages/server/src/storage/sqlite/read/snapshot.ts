/**
 * Lets consecutive reads share one snapshot for a few milliseconds: starting a read costs SQLite
 * more than reading a row by its id. During a commit of this process, all reads see the state
 * before it. After the commit the snapshot ends. Other processes' commits become visible when the
 * time is up; where several processes serve one file, the time is 0.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqliteConnection } from '../connection.ts'

export type Snapshot = {
  /** Call before a read. */
  begin(): void
  /** Call before a commit of this process: until `end`, all reads see the state before it. */
  pin(): void
  /** Call when that commit is on the disk. */
  end(): void
  /** Changes when another process has committed (SQLite, PRAGMA data_version). */
  dataVersion(): number
  /** Runs several reads in one snapshot, the current one or one of their own. */
  within<T>(work: () => T): T
  /** The same read, made once in each snapshot. Outside of snapshots it runs each time. */
  once<T>(read: () => T): () => T
}

/** Other processes would have to commit in each of these attempts, which take microseconds. */
const attemptsMax = 10

function endRead({ database }: SqliteConnection, commit: StatementSync): void {
  try {
    commit.run()
  } catch {
    // After a failed read there is nothing to commit. The reader got the error; the timer has no
    // caller for another one.
    undoLeft(database)
  }
}

/**
 * Rolls back a transaction that could not be ended. If that fails too, the next begin tries again.
 */
function undoLeft(database: DatabaseSync): void {
  if (!database.isTransaction) return
  try {
    database.exec('ROLLBACK')
  } catch {
    // the next read reports why
  }
}

export function makeSnapshot(reader: SqliteConnection, writer: SqliteConnection, heldMs: number): Snapshot {
  const beginStatement = reader.database.prepare('BEGIN')
  const commitStatement = reader.database.prepare('COMMIT')
  const pragma = writer.database.prepare('PRAGMA data_version')
  pragma.setReturnArrays(true)
  const firstRead = reader.database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1')
  let open = false
  let pinned = false
  /** The number of the open snapshot, or the last one. */
  let number = 0
  let version: number | undefined
  let held = false

  const readVersion = () => writer.guard(() => (pragma.get() as unknown as [number])[0])

  function end(): void {
    version = undefined
    pinned = false
    if (!open) return
    open = false
    endRead(reader, commitStatement)
  }
  /**
   * One timer at a time: it ends the snapshot that is open when it fires, and the next snapshot
   * starts another.
   */
  function hold(): void {
    if (held) return
    held = true
    setTimeout(() => {
      held = false
      if (reader.database.isOpen && !pinned) end()
    }, heldMs)
  }
  /**
   * BEGIN takes no snapshot before the first read. So the version belongs to the snapshot if no
   * process commits around that read.
   */
  function take(): void {
    for (let attempt = 1; ; attempt += 1) {
      version = readVersion()
      number += 1
      undoLeft(reader.database)
      reader.guard(() => beginStatement.run())
      open = true
      try {
        reader.guard(() => firstRead.get())
        if (attempt === attemptsMax || readVersion() === version) return
      } catch (error) {
        end() // or all later reads would use this snapshot
        throw error
      }
      end()
    }
  }
  function begin(): void {
    if (open || heldMs === 0) return
    take()
    hold()
  }
  return {
    begin,
    /**
     * Not the open snapshot: one that began before a checkpoint would keep this commit from
     * restarting the log.
     */
    pin() {
      if (heldMs === 0) return
      end()
      take()
      pinned = true
    },
    end,
    dataVersion() {
      begin()
      return version ?? readVersion()
    },
    within(work) {
      begin()
      if (open) return work()
      take()
      try {
        return work()
      } finally {
        end()
      }
    },
    once(read) {
      let known: { readonly number: number; readonly value: ReturnType<typeof read> } | undefined
      return () => {
        if (!open) return read()
        if (known?.number !== number) known = { number, value: read() }
        return known.value
      }
    },
  }
}
