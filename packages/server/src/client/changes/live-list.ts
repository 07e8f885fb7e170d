/**
 * A live list: its events as an async iterable, and its records as a store for screens. It connects
 * again by itself, resumes behind the last event, and begins anew where the server says so.
 */
import type { ApiConnection } from '../make-connection.ts'
import type { AnyPaths } from '../request-type.ts'
import { readEvents, type StreamEvent } from './event-stream.ts'
import type { FollowedName, FollowedRecord } from './follow-changes.ts'
import { isPassing, never, pause } from './reconnect.ts'

type AnyRow = Readonly<Record<string, unknown>>

type LiveFacts = { readonly id: string | number; readonly at: string; readonly transaction: string }
/** The figures of a page, such as `total`, as its list has them. */
type PageFigures = Readonly<Record<string, unknown>>

/**
 * `records`: all of them, at first and where the client has to begin anew. A page (with `sort` or
 * `limit`) has no other event: its records in their order, and `meta`, at each change.
 */
export type LiveEvent<T> =
  | { readonly type: 'records'; readonly records: readonly T[]; readonly meta?: PageFigures }
  | (LiveFacts & { readonly type: 'enter'; readonly version?: number; readonly record: T })
  | (LiveFacts & {
      readonly type: 'change'
      readonly version?: number
      readonly record: T
      readonly before: Partial<T>
    })
  | (LiveFacts & { readonly type: 'leave' | 'delete' })

/**
 * `isReady`: the records are those of the list. `meta`: the figures of a page. `error`: why it is
 * live no more.
 */
export type LiveSnapshot<T> = {
  readonly records: readonly T[]
  readonly meta?: PageFigures
  readonly isReady: boolean
  readonly error?: unknown
}

export type LiveList<T> = AsyncIterable<LiveEvent<T>> & {
  /**
   * With `getSnapshot` the arguments of React's `useSyncExternalStore`. It connects with the first
   * listener, and ends with the last.
   */
  readonly subscribe: (listener: () => void) => () => void
  /** The same object for as long as nothing changes. */
  readonly getSnapshot: () => LiveSnapshot<T>
}

export type LiveOptions = {
  /** In the form of `filter` of lists. */
  readonly filter?: object
  /** Other parameters of the list: `q`, `status`, or `sort` and `limit` for a page. */
  readonly query?: Readonly<Record<string, unknown>>
  /** A position: then only events behind it come. */
  readonly after?: string
  /** Called with true when the list is connected, and with false while it connects again. */
  readonly onConnection?: (isConnected: boolean) => void
  readonly signal?: AbortSignal
}

export type Live<P extends object = AnyPaths> = <const N extends FollowedName<P>>(
  name: N,
  options?: LiveOptions,
) => LiveList<FollowedRecord<P, N>>

type Sender = Pick<ApiConnection, 'send'>

/** An id may have any name in its record. */
type ById = ReadonlyMap<string, AnyRow>

/** An event as a loop gets it. `all`: of `records`, all of them by their ids. */
type FollowedEvent = { readonly event: AnyRow; readonly all?: ById }

/** `fresh`: the records of a stream whose `ready` has not come. `page`: those of the last page. */
type Fold = { fresh: Map<string, AnyRow> | undefined; page: ById }

function allRecords(all: ById, meta?: PageFigures): FollowedEvent {
  return { event: { type: 'records', records: [...all.values()], ...(meta && { meta }) }, all }
}

/** A page says its order, and the records that are new or differ. */
function pageOf(fold: Fold, data: AnyRow): FollowedEvent {
  const { order, idField, records, meta } = data as {
    order: unknown[]
    idField: string
    records: AnyRow[]
    meta: PageFigures
  }
  const known = new Map([...fold.page, ...records.map((one) => [String(one[idField]), one] as const)])
  fold.page = new Map(order.map((id) => [String(id), known.get(String(id)) as AnyRow]))
  return allRecords(fold.page, meta)
}

function* eventsOf(fold: Fold, { event, data }: StreamEvent): Generator<FollowedEvent> {
  if (event === 'lost') fold.fresh = new Map()
  else if (event === 'record') fold.fresh?.set(String(data.id), data.record as AnyRow)
  else if (event === 'page') yield pageOf(fold, data)
  else if (event === 'ready') {
    if (fold.fresh && data.resumed !== true) yield allRecords(fold.fresh)
    fold.fresh = undefined
  } else if (['enter', 'change', 'leave', 'delete'].includes(event)) yield { event: data }
}

/** Whether no other event of its transaction follows. */
const isWhole = ({ event, all }: FollowedEvent): boolean => all !== undefined || event.last === true

/**
 * The events of whole transactions together: a stream that resumes sends a transaction anew of
 * which it had sent a part. Throws every refusal that will not pass.
 */
async function* follow(
  { send }: Sender,
  { name, options, signal }: { readonly name: string; readonly options: LiveOptions; readonly signal: AbortSignal },
): AsyncGenerator<readonly FollowedEvent[], void, undefined> {
  const { filter, query } = options
  let position = options.after
  let failures = 0
  while (!signal.aborted) {
    try {
      const { body } = await send('GET', `/api/v1/${name}`, {
        query: { ...query, ...(filter && { filter: JSON.stringify(filter) }), _live: true },
        headers: { accept: 'text/event-stream', ...(position && { 'last-event-id': position }) },
        parseAs: 'stream',
        signal,
      })
      options.onConnection?.(true)
      const fold: Fold = { fresh: position ? undefined : new Map(), page: new Map() }
      let begun: readonly FollowedEvent[] = []
      for await (const { events, id } of readEvents(body as ReadableStream<Uint8Array>)) {
        failures = 0
        const all = [...begun, ...events.flatMap((one) => [...eventsOf(fold, one)])]
        const end = all.findLastIndex(isWhole) + 1
        begun = all.slice(end)
        yield all.slice(0, end)
        if (id !== undefined) position = id
      }
      options.onConnection?.(false)
      await pause(0, signal)
    } catch (error) {
      if (signal.aborted) return
      options.onConnection?.(false)
      if (!isPassing(error)) throw error
      await pause(failures, signal, error)
      failures += 1
    }
  }
}

function makeStore(
  run: (signal: AbortSignal) => AsyncIterable<readonly FollowedEvent[]>,
): Omit<LiveList<AnyRow>, symbol> {
  const listeners = new Set<() => void>()
  let records = new Map<string, AnyRow>()
  let snapshot: LiveSnapshot<AnyRow> = { records: [], isReady: false }
  let meta: PageFigures | undefined
  let control: AbortController | undefined

  function fold({ event, all }: FollowedEvent): void {
    const { type, record } = event
    if (all) {
      records = new Map(all)
      meta = event.meta as PageFigures | undefined
    } else if (type === 'leave' || type === 'delete') records.delete(String(event.id))
    else records.set(String(event.id), record as AnyRow)
  }
  function tell(next: LiveSnapshot<AnyRow>): void {
    snapshot = next
    for (const one of [...listeners]) one()
  }
  async function connect({ signal }: AbortController): Promise<void> {
    try {
      for await (const events of run(signal)) {
        if (signal.aborted) return
        for (const event of events) fold(event)
        if (events.length > 0) tell({ records: [...records.values()], ...(meta && { meta }), isReady: true })
      }
    } catch (error) {
      if (!signal.aborted) tell({ ...snapshot, isReady: false, error })
    }
  }
  return {
    subscribe(listener) {
      listeners.add(listener)
      if (!control) {
        control = new AbortController()
        void connect(control)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        control?.abort()
        control = undefined
      }
    },
    getSnapshot: () => snapshot,
  }
}

export function makeLive(connection: Sender): (name: string, options?: LiveOptions) => LiveList<AnyRow> {
  return (name, options = {}) => {
    const given = options.signal
    const run = (signal: AbortSignal) => follow(connection, { name, options, signal })
    const store = makeStore((signal) => run(given ? AbortSignal.any([given, signal]) : signal))
    return {
      ...store,
      async *[Symbol.asyncIterator]() {
        for await (const all of run(given ?? never))
          for (const { event } of all) yield event as unknown as LiveEvent<AnyRow>
      },
    }
  }
}
