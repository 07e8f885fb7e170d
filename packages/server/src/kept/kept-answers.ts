/**
 * Answers that are kept as bytes, each with what it rests on. Nothing is dropped when something is written: an answer is checked against the
 * changes since, when it is asked for again. Who may have it is part of its key, and is judged on every request before it is looked for.
 */
import { LRUCache } from 'lru-cache'
import { ApiError } from '../errors.ts'
import type { Engine } from '../perform/engine.ts'
import type { Target } from '../policy/policy.ts'
import type { Principal } from '../resource/principal.ts'
import type { StoredReads } from '../storage/storage.ts'
import { makeAskedBefore } from './asked-before.ts'
import { makeRecording, type Recount } from './recording.ts'
import type { Seen, Verdict } from './seen.ts'

export type KeptAnswer = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The name of the GraphQL operation that it answers. */
  readonly operation?: string | undefined
  /** Where the answer ends with its total: the place of that end, and its text. Absent where only the whole can be made anew. */
  readonly ending?: {
    readonly at: number
    print(total: number): string
    headers(total: number, body: Buffer): Readonly<Record<string, string>>
  }
}

export type Recorder = {
  /** Perform the operation with this engine: it notes what is read. */
  readonly engine: Engine
  /** Keeps the answer, unless something was written for it. */
  keep(answer: KeptAnswer): void
  /** Must be called, whatever happened: others who ask for the same wait until then, and an outage is the same for all of them. */
  end(error?: unknown): void
}

type Found = KeptAnswer | undefined

export type KeptAnswers = {
  /** The answer as it would be made now, by this caller's engine; undefined where none is kept. At once where nothing has to be waited for. */
  find(key: string, principal: Principal, engineOf: () => Engine): Found | Promise<Found>
  /**
   * Call it when none was found, with the engine that would perform the operation. Undefined where the answer is not worth keeping yet. `eager`: it
   * is from the first time on, as long as there is room, because making it costs more than keeping it.
   */
  record(key: string, own: Engine, options: { readonly eager: boolean }): Recorder | undefined
  /** For what is counted. */
  figures(): KeptFigures
}

/** `found`: answers that were given as they were kept; `renewed`: with another total; `missed`: asked for and not there, or changed since. */
export type KeptFigures = {
  readonly found: number
  readonly renewed: number
  readonly missed: number
  readonly bytes: number
  readonly answers: number
}

type Entry = {
  /** When it was last given, by `performance.now()`. */
  usedMs: number
  readonly answer: KeptAnswer
  readonly seen: readonly Seen[]
  readonly admitted: readonly Target[]
  /** Counts what the answer shows the total of. */
  readonly recount: Recount | undefined
}

type Options = {
  readonly engine: Engine
  readonly bytesMax: number
  readonly answerBytesMax: number
}

/**
 * Where memory is full of what is in use, one newcomer in so many takes the place of what was longest unused. If each did, a round of requests
 * that is larger than the memory would never meet its own answers again.
 */
const newcomersForAPlace = 8
/** What nobody asked for in this time gives its place to any newcomer. */
const unusedMsMax = 60_000

const keyLengthMax = 16_384
/** What an answer takes besides its bytes, its key and what it rests on, as measured. */
const entryBytes = 900
/** Where an answer of this size has room, each is kept; where it has not, what was asked for twice. */
const usualBytes = 8_192
const bytesOfCharacter = 2

function sizeOf({ answer, seen }: Entry, key: string): number {
  const rests = seen.reduce((sum, { bytes }) => sum + bytes, 0)
  return entryBytes + answer.body.length + key.length * bytesOfCharacter + rests
}

function verdictOf(seen: readonly Seen[]): Verdict {
  let verdict: Verdict = 'same'
  for (const one of seen) {
    const said = one.verdict()
    if (said === 'changed') return said
    if (said === 'total') verdict = said
  }
  return verdict
}

/** What meets one who asks meets all: the database is away or busy. Whoever merely left has no time to try again. */
function isOutage(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && error.retryAfterSeconds !== undefined
}

/** Text → bytes in memory of their own: a slice of a shared pool would hold all of it. */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** The bytes up to a place, and another text behind it. */
function withEnding(body: Buffer, at: number, text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(at + Buffer.byteLength(text))
  body.copy(bytes, 0, 0, at)
  bytes.write(text, at)
  return bytes
}

const no = () => false
const yes = () => true

/** False when the log cannot be read: then nothing in memory may be trusted, and the reads themselves say what is wrong. */
function isCurrent({ changes }: StoredReads): boolean | Promise<boolean> {
  try {
    return changes.catchUp()?.then(yes, no) ?? true
  } catch {
    return false
  }
}

function makeMemory(bytesMax: number) {
  const entries = new LRUCache<string, Entry>({ maxSize: bytesMax, sizeCalculation: sizeOf })
  let newcomers = 0

  /** Until then what was unused for longest counts as in use: nobody need look again. */
  let usedUntilMs = 0

  function hasRoom(bytes: number): boolean {
    if (entries.calculatedSize + bytes <= bytesMax) return true
    const nowMs = performance.now()
    if (nowMs < usedUntilMs) return false
    const { value: oldest } = entries.rvalues().next()
    if (oldest === undefined) return false
    usedUntilMs = oldest.usedMs + unusedMsMax
    return nowMs > usedUntilMs
  }

  return {
    entries,
    hasRoom,
    /** Keeps a new entry, where there is a place for it. */
    offer(key: string, entry: Entry): void {
      const fits = hasRoom(sizeOf(entry, key))
      if (!fits) newcomers += 1
      if (fits || newcomers % newcomersForAPlace === 0) entries.set(key, entry)
    },
  }
}

function isAdmitted({ admit }: Engine['policy'], principal: Principal, targets: readonly Target[]): boolean {
  try {
    for (const target of targets) admit(principal, target)
    return true
  } catch {
    return false // performing it says why
  }
}

/** Answers that are being made, so that one change to what many ask for makes one read and not as many as ask. */
function makeMaking() {
  const making = new Map<string, Promise<unknown>>()
  return {
    making,
    /** Makes others wait until what it returns is called. */
    begin(key: string): Recorder['end'] {
      if (making.has(key)) return () => undefined
      const { promise, resolve } = Promise.withResolvers<unknown>()
      making.set(key, promise)
      return (error) => {
        if (making.get(key) === promise) making.delete(key)
        resolve(error)
      }
    },
  }
}

export function makeKeptAnswers({ engine, bytesMax, answerBytesMax }: Options): KeptAnswers {
  const { policy, storage } = engine
  const { entries, offer, hasRoom } = makeMemory(bytesMax)
  const askedBefore = makeAskedBefore()
  const { making, begin } = makeMaking()

  function drop(key: string): undefined {
    entries.delete(key)
    askedBefore.note(key) // what was kept is worth keeping again
    return undefined
  }

  /** Others who ask meanwhile wait: the verdict that only the total has changed is said once. */
  async function renewTotal(key: string, entry: Entry, storage: StoredReads): Promise<KeptAnswer | undefined> {
    const { answer, recount } = entry
    drop(key)
    const { ending, body } = answer
    if (!ending || !recount) return undefined
    const end = begin(key)
    try {
      const total = await recount(storage)
      const bytes = withEnding(body, ending.at, ending.print(total))
      const renewed = { ...answer, headers: ending.headers(total, bytes), body: bytes }
      entries.set(key, { ...entry, answer: renewed })
      return renewed
    } finally {
      end()
    }
  }

  const figures = { found: 0, renewed: 0, missed: 0 }

  function judgeKept(key: string, principal: Principal, engineOf: () => Engine): Found | Promise<Found> {
    const entry = entries.get(key)
    if (!entry || !isAdmitted(policy, principal, entry.admitted)) return undefined
    switch (verdictOf(entry.seen)) {
      case 'same':
        figures.found += 1
        entry.usedMs = performance.now()
        return entry.answer
      case 'total':
        figures.renewed += 1
        return renewTotal(key, entry, engineOf().storage)
      case 'changed':
        return drop(key)
    }
  }

  function findKept(key: string, principal: Principal, engineOf: () => Engine): Found | Promise<Found> {
    const current = isCurrent(storage)
    if (typeof current === 'boolean') return current ? judgeKept(key, principal, engineOf) : undefined
    return current.then((is) => (is ? judgeKept(key, principal, engineOf) : undefined))
  }

  return {
    figures: () => ({ ...figures, bytes: entries.calculatedSize, answers: entries.size }),
    find(key, principal, engineOf) {
      if (!entries.has(key)) {
        const running = making.get(key)
        if (!running) return undefined
        return running.then((error) => {
          if (isOutage(error)) throw error
          return findKept(key, principal, engineOf)
        })
      }
      return findKept(key, principal, engineOf)
    },
    record(key, own, { eager }) {
      figures.missed += 1
      if (key.length > keyLengthMax) return undefined
      const isWorthIt = askedBefore.note(key) || (eager && hasRoom(usualBytes))
      if (!isWorthIt) return undefined
      const { engine: recording, seen, admitted, hasWritten, recount } = makeRecording(own)
      return {
        engine: recording,
        end: begin(key),
        keep(answer) {
          if (hasWritten() || answer.body.length > answerBytesMax) return
          offer(key, { usedMs: performance.now(), answer, seen, admitted, recount: answer.ending && recount() })
        },
      }
    },
  }
}
