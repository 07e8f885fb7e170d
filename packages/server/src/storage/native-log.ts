/**
 * Continuous copies of a database's write-ahead log, seconds after each write. A follower reads the
 * log, a sink stores the copies, and a restore applies them.
 */

/** A segment of the log, as the sink stores it. */
export type LogSegment = {
  /** Counts from 1 within a stream. */
  readonly number: number
  /**
   * This or an earlier segment has every write acknowledged before this time (milliseconds since
   * 1970).
   */
  readonly untilMs: number
  readonly bytes: Buffer
}

/**
 * Stores the copies of a follower. Each call resolves when the copy survives the end of this
 * process.
 */
export type LogSink = {
  /**
   * A new stream: its segments do not continue earlier ones, so it needs a full copy to start from.
   */
  begin(stream: string): Promise<void>
  keep(stream: string, segment: LogSegment): Promise<void>
}

/** The state of the copies of a database. */
export type CopiesState = {
  readonly stream: string
  /** Copies have every write acknowledged before this time (milliseconds since 1970). */
  readonly untilMs: number
  readonly number: number
}

export type LogFollower = {
  /** Copies the new part of the log. Undefined while another process follows the log. */
  look(): Promise<CopiesState | undefined>
  /**
   * Copies nothing, and still keeps the log from growing. The next look begins a new stream, for
   * this reason.
   */
  skip(why: string): Promise<void>
  close(): void
}

/** How far a database's log has been copied, for processes that do not copy it. */
export type LogCopyProgress = {
  /**
   * Copies have every write acknowledged before this time, here or in the remote folder
   * (milliseconds since 1970).
   */
  readonly untilMs: number
  /** The process that copied the log has stopped as told. */
  readonly isEnded: boolean
}

export type NativeLog<Setup> = {
  /**
   * One process at a time follows the log of a database. It reports to `warn` when copies no longer
   * match the log.
   */
  follow(setup: Setup, keeper: LogSink, warn: (text: string) => void): Promise<LogFollower>
  /** Undefined where no process copied it, or where the log no longer continues the copies. */
  copied(setup: Setup): Promise<LogCopyProgress | undefined>
  /**
   * Applies segments, in order, to a file that `NativeBackup` captured. Throws `StartError` for one
   * that does not continue the one before.
   */
  apply(file: string, segments: AsyncIterable<AsyncIterable<Buffer>>): Promise<void>
}
