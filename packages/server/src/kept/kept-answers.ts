/**
 * Answers that are kept as bytes, each with what it rests on. Nothing is dropped when something is written: an answer is checked against the
 * changes since, when it is asked for again. Who may have it is part of its key, and is judged on every request before it is looked for.
 */
import { ApiError } from '../errors.ts'
import type { Engine } from '../perform/engine.ts'
import type { Target } from '../policy/rule-of.ts'
import type { Principal } from '../resource/principal.ts'
import type { Asker, StoredReads } from '../storage/storage.ts'
import type { AnswerFile } from './answer-file.ts'
import { makeAnswerMemory } from './answer-memory.ts'
import { makeAskedBefore } from './asked-before.ts'
import { type Entry, type FoundAnswer, given, type KeptAnswer, makeEntries, verdictOf } from './entry.ts'
import type { PrintEnd } from './page-part.ts'
import { makeRecording } from './recording.ts'
import { makeRenew } from './renew.ts'
import { makeSights, type Sights } from './sight.ts'

export type Recorder = {
  /** Perform the operation with this engine: it notes what is read. */
  readonly engine: Engine
  /** Keeps the answer, unless something was written for it, or it depends on the time. */
  keep(answer: KeptAnswer): void
  /** Must be called, whatever happened: others who ask for the same wait until then, and an outage is the same for all of them. */
  end(error?: unknown): void
}

/** Who asks, and to whom the cost of a count belongs. */
export type KeptCaller = { readonly principal: Principal; readonly asker: Asker }

type Found = FoundAnswer | undefined

export type KeptAnswers = {
  /** The answer as it would be made now for this caller; undefined where none is kept. At once where nothing has to be waited for. */
  find(key: string, caller: KeptCaller): Found | Promise<Found>
  /**
   * Call it when none was found, with the engine that would perform the operation. Undefined where the answer is not worth keeping yet. `eager`: it
   * is from the first time on, as long as there is room, because making it costs more than keeping it.
   */
  record(key: string, own: Engine, options: { readonly eager: boolean }): Recorder | undefined
  /** What callers see, as parts of keys. */
  readonly sights: Sights
  /** For what is counted. */
  figures(): KeptFigures
}

/**
 * `found`: answers that were given as they were kept; `renewed`: with another total; `missed`: asked for and not there, or changed since.
 */
export type KeptFigures = {
  readonly found: number
  readonly renewed: number
  readonly missed: number
  readonly bytes: number
  readonly fileBytes: number
  readonly answers: number
}

type Options = {
  readonly engine: Engine
  readonly bytesMax: number
  readonly answerBytesMax: number
  /** For what has no room in memory. */
  readonly file: AnswerFile
  readonly printEnd: PrintEnd
}

const keyLengthMax = 16_384
/** Where an answer of this size has room, each is kept; where it has not, what is asked for more often than something else. */
const usualBytes = 8_192
/** What was never asked for before counts as asked for so long ago. */
const newcomerMs = 15_000

/** What meets one who asks meets all: the database is away or busy. Whoever merely left has no time to try again. */
function isOutage(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && error.retryAfterSeconds !== undefined
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

export function makeKeptAnswers({ engine, bytesMax, answerBytesMax, file, printEnd }: Options): KeptAnswers {
  const { policy, storage } = engine
  const [memory, entries] = [makeAnswerMemory<Entry>(bytesMax, file), makeEntries(printEnd)]
  const askedBefore = makeAskedBefore()
  const { making, begin } = makeMaking()

  function drop(key: string): undefined {
    memory.delete(key)
    askedBefore.note(key) // what was kept is worth keeping again
    return undefined
  }

  const renew = makeRenew({ memory, entries, storage, begin })
  const figures = { found: 0, renewed: 0, missed: 0 }
  function judge(key: string, entry: Entry, { principal, asker }: KeptCaller): Found | Promise<Found> {
    if (!isAdmitted(policy, principal, entry.admitted)) return undefined
    switch (verdictOf(entry.seen)) {
      case 'same': {
        const body = memory.give(key, entry)
        if (!body) return drop(key)
        figures.found += 1
        return given(entry, body)
      }
      case 'total': {
        const found = renew(key, entry, asker)
        if (found === undefined) return drop(key)
        figures.renewed += 1
        return found
      }
      case 'changed':
        return drop(key)
    }
  }

  function findKept(key: string, entry: Entry | undefined, caller: KeptCaller): Found | Promise<Found> {
    const current = entry !== undefined && isCurrent(storage)
    if (entry === undefined || current === false) return undefined
    if (current === true) return judge(key, entry, caller)
    return current.then((is) => {
      if (!is) return undefined
      const latest = memory.get(key) // it may be another by then, or be made anew
      return latest ? judge(key, latest, caller) : whenMade(key, caller)
    })
  }
  /** Undefined where nobody is making it. */
  function whenMade(key: string, caller: KeptCaller): Promise<Found> | undefined {
    return making.get(key)?.then((error) => {
      if (isOutage(error)) throw error
      return findKept(key, memory.get(key), caller)
    })
  }

  return {
    sights: makeSights(policy.facts),
    figures() {
      const { bytes, fileBytes, answers } = memory.figures()
      return { ...figures, bytes, fileBytes, answers }
    },
    find(key, caller) {
      const entry = memory.get(key)
      return entry ? findKept(key, entry, caller) : whenMade(key, caller)
    },
    record(key, own, { eager }) {
      figures.missed += 1
      if (key.length > keyLengthMax) return undefined
      const agoMs = askedBefore.note(key) ?? (eager ? newcomerMs : undefined)
      if (agoMs === undefined || !memory.hasRoom(usualBytes, { ms: agoMs })) return undefined
      const recording = makeRecording(own)
      return {
        engine: recording.engine,
        end: begin(key),
        keep(answer) {
          if (recording.hasWritten() || recording.hasReadClock()) return
          if (Buffer.byteLength(answer.body) > answerBytesMax) return
          memory.keep(key, entries.of(answer, recording))
        },
      }
    },
  }
}
