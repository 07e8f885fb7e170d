/**
 * One kept answer: what is kept of it, what it rests on, and what is given of it. It is as little as there can be, in few objects: thousands are kept,
 * and what a request must look at is far away among what the others are made of.
 */
import type { Target } from '../policy/rule-of.ts'
import type { Watch } from '../storage/derived/watch.ts'
import { inOnePiece } from '../value/latin1.ts'
import { type Remembered, timeOf } from './answer-memory.ts'
import type { PagePart, PrintEnd } from './page-part.ts'
import type { Recording } from './recording.ts'
import { bytesOfSeen, type Seen, type Verdict, verdictOfSeen } from './seen.ts'
import { type Given, storedBody } from './stored-body.ts'

export type KeptAnswer = {
  readonly headers: Readonly<Record<string, string>>
  /** Lines of further headers. */
  readonly printed?: string | undefined
  readonly body: string | Buffer
  /** The name of the GraphQL operation that it answers. */
  readonly operation?: string | undefined
  /** Of a page that says its total, where that part can be printed apart. */
  readonly part?: PagePart | undefined
}

/** What was kept, as it is sent. */
export type FoundAnswer = Pick<KeptAnswer, 'printed' | 'operation'> & {
  /** Made for whoever asks. */
  readonly headers: Record<string, string>
  readonly body: Given
  /** With the ETag, what stands for the bytes of the body, which are in memory or in the file. */
  readonly source: object
}

export type Entry = Remembered &
  Pick<KeptAnswer, 'operation' | 'part'> & {
    /** All but the ETag: one object for all answers that have the same ones. */
    readonly headers: KeptAnswer['headers']
    etag: string | undefined
    printed: KeptAnswer['printed']
    readonly seen: Seen | readonly Seen[]
    readonly admitted: readonly Target[]
    /** What the answer shows the total of. */
    readonly counted: Watch | undefined
  }

/** What an answer takes besides its bytes, its key and what it rests on, as measured. */
const entryBytes = 320
/** What another end takes, for which there is room in any page. */
const endBytes = 96

function isOne(seen: Entry['seen']): seen is Seen {
  return !Array.isArray(seen)
}

/** What has become of all that it rests on. */
export function verdictOf(seen: Entry['seen']): Verdict {
  if (isOne(seen)) return verdictOfSeen(seen)
  let verdict: Verdict = 'same'
  for (const one of seen) {
    const said = verdictOfSeen(one)
    if (said === 'changed') return said
    if (said === 'total') verdict = said
  }
  return verdict
}

/** One for the thousands that rest on nothing but their own route's rule. */
const nobodyElse: readonly Target[] = []

/** What is the same in thousands of answers. */
const sharedMax = 100

type Headed = Pick<Entry, 'headers' | 'etag'>

/** Splits headers into the ETag and the rest, of which one stands for all that are the same. */
function makeShare(): (headers: KeptAnswer['headers']) => Headed {
  const shared = new Map<string, KeptAnswer['headers']>()
  return ({ etag, ...headers }) => {
    const key = JSON.stringify(headers)
    const known = shared.get(key)
    if (known === undefined && shared.size < sharedMax) shared.set(key, headers)
    return { headers: known ?? headers, etag }
  }
}

function headersOf(headers: Entry['headers'], etag: string | undefined): Record<string, string> {
  const all: Record<string, string> = { ...headers }
  if (etag !== undefined) all.etag = etag
  return all
}

/** The entry as it is sent. */
export function given(entry: Entry, body: Given): FoundAnswer {
  const { headers, etag, printed, operation } = entry
  return { headers: headersOf(headers, etag), printed, operation, body, source: entry }
}

const unused = () => ({ usedMs: timeOf(performance.now()), uses: 0 })

export type Entries = {
  /** An answer that has not been asked for yet. */
  of(answer: KeptAnswer, recording: Recording): Entry
  /** Gives it another total, with which it has not been asked for. */
  setTotal(entry: Entry, part: PagePart, total: number): void
}

export function makeEntries(printEnd: PrintEnd): Entries {
  const share = makeShare()
  return {
    of({ headers, printed, operation, part, body }, { seen, admitted, counted }) {
      return {
        ...share(headers),
        printed,
        operation,
        part,
        // An array that has grown has room to grow further.
        seen: seen.length === 1 ? (seen[0] as Seen) : seen.slice(),
        admitted: admitted.length === 0 ? nobodyElse : admitted.slice(),
        counted: part && counted(),
        ...unused(),
        body: typeof body === 'string' ? storedBody(body) : body,
        filed: undefined,
        at: undefined,
        end: undefined,
        bytes: seen.reduce((sum, one) => sum + bytesOfSeen(one), part ? entryBytes + endBytes : entryBytes),
      }
    },
    setTotal(entry, part, total) {
      const { end, etag, printed } = printEnd(part, total)
      Object.assign(entry, { etag, printed: inOnePiece(printed), at: part.at, end, ...unused() })
    },
  }
}
