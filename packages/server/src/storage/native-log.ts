/**
 * Copies of a database's write-ahead log, seconds after each write: what follows it, where the
 * copies go, and how they are applied.
 */

/** A stretch of the log, as it is kept. */
export type LogSegment = {
  /** Counts from 1 within a stream. */
  readonly number: number
  /**
   * Every write that was acknowledged before this time is in it or in one before (milliseconds
   * since 1970).
   */
  readonly untilMs: number
  readonly bytes: Buffer
}

/**
 * What a follower hands its copies to. Each call ends when the copy is safe from the end of this
 * process.
 */
export type LogSink = {
  /**
   * A new stream: what comes does not continue what came before, so a whole copy is needed beneath
   * it.
   */
  begin(stream: string): Promise<void>
  keep(stream: string, segment: LogSegment): Promise<void>
}

/** What is known of the copies of a database. */
export type CopiesState = {
  readonly stream: string
  /**
   * Every write that was acknowledged before this time has been copied (milliseconds since 1970).
   */
  readonly untilMs: number
  readonly number: number
}

export type LogFollower = {
  /** Copies what has been written since. Undefined while another process follows the log. */
  look(): Promise<CopiesState | undefined>
  /**
   * Copies nothing, and keeps the log from growing all the same. The next look begins a new stream,
   * for this reason.
   */
  skip(why: string): Promise<void>
  close(): void
}

/** How far a database's log has been copied, for whoever does not copy it. */
export type LogCopyProgress = {
  /**
   * Every write that was acknowledged before this time has been copied, here or to its place
   * (milliseconds since 1970).
   */
  readonly untilMs: number
  /** Whoever copied it ended as it was told to. */
  readonly isEnded: boolean
}

export type NativeLog<Setup> = {
  /** One process at a time follows the log of a database; what no longer fits is told to `warn`. */
  follow(setup: Setup, keeper: LogSink, warn: (text: string) => void): Promise<LogFollower>
  /** Undefined where it was never copied, or where what was copied is not continued. */
  copied(setup: Setup): Promise<LogCopyProgress | undefined>
  /**
   * Applies stretches, in order, to a file that `NativeBackup` captured. Throws `StartError` for
   * one that does not continue the one before.
   */
  apply(file: string, stretches: AsyncIterable<AsyncIterable<Buffer>>): Promise<void>
}
