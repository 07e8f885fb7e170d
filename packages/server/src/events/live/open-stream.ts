/**
 * Opens one live stream: the records of its sets as of a place, the answers of its pages, and then
 * what changes. It ends with the caller's rights, with the service, or when the client goes.
 */
import { ApiError, toApiError } from '../../errors.ts'
import type { IdentifiedRequest } from '../../http/identify-request.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { limits } from '../../limits.ts'
import type { Principal } from '../../resource/principal.ts'
import { comparePlaces, type LogPlace } from '../../storage/derived/kept-log.ts'
import { callersOf } from '../caller-at.ts'
import { type Followed, seenThen } from '../followed.ts'
import { LostPlace, lostBy } from '../lost.ts'
import { openPosition } from '../positions-of-feed.ts'
import { checkWhole, type FeedParts, partsOf } from '../read-feed.ts'
import type { RightsOf } from '../rights.ts'
import type { Subscription } from './live-groups.ts'
import type { LivePages } from './live-pages.ts'
import { type LiveReader, printEnd, printLost } from './live-reader.ts'
import type { LiveRoom } from './live-room.ts'
import { type LiveStream, makeLiveStream } from './live-stream.ts'
import type { PageSubscription, RestsOn } from './page-groups.ts'
import { type EventForm, eventName, eventStreamType, firstWords, printId } from './print-live.ts'
import { readSnapshot, type SnapshotRecord } from './records-at.ts'
import type { WatchedStream } from './watch-streams.ts'

export type AskedSet = { readonly kind: 'set'; readonly name: string | undefined; readonly followed: Followed }
export type AskedPage = {
  readonly kind: 'page'
  readonly name: string | undefined
  /** Throws where the caller may not read it, as `key` does. */
  restsOn(principal: Principal): RestsOn
  key(principal: Principal): string
  readonly read: PageSubscription['read']
}

export type LiveRequest = {
  readonly request: HttpRequest
  readonly caller: IdentifiedRequest
  /** The end of the log before the caller was identified. */
  readonly place: LogPlace
  readonly asked: readonly (AskedSet | AskedPage)[]
  readonly form: EventForm
  /** The position from which it goes on, where no header has a later one. */
  readonly after?: string | undefined
}

/** The place and caller from which the sets go on, and the records with which they begin. */
type Begun = {
  readonly place: LogPlace
  readonly principal: Principal
  /** Undefined for a reader that resumes. */
  readonly records: readonly (readonly SnapshotRecord[])[] | undefined
  /** Why it could not resume. */
  readonly lost?: string | undefined
}

const { pageBytesMax } = limits.live
const tooLong = 'The pages of this stream are too long together: set limit, or open several streams'
const triesMax = 5
/** Records that are printed at once. */
const printedAtOnce = 100

const setsOf = ({ asked }: LiveRequest): readonly AskedSet[] => asked.filter((one) => one.kind === 'set')
const pagesOf = ({ asked }: LiveRequest): readonly AskedPage[] => asked.filter((one) => one.kind === 'page')

/** Throws `LostPlace`. */
async function resume({ room, feed }: LiveRoom, live: LiveRequest, position: string): Promise<Begun> {
  const { principal } = live.caller
  const place = await openPosition(room, position, principal)
  if (comparePlaces(place, live.place) > 0) {
    const { loss } = await feed.log.read(place, 1)
    if (loss) throw lostBy(loss)
  }
  const followed = setsOf(live).map((one) => one.followed)
  await checkWhole(feed, { principal, followed }, place)
  return { place, principal: await callerAt(feed, principal, place), records: undefined }
}

/** The caller with its memberships of that place. Throws `LostPlace`. */
async function callerAt(feed: FeedParts, principal: Principal, place: LogPlace): Promise<Principal> {
  const at = await callersOf(feed.tables, partsOf(feed, [], place), principal)
  return at(0)
}

/** Where records have changed too often since the place, it takes a later one. */
async function beginAt({ feed, room }: LiveRoom, live: LiveRequest): Promise<Begun> {
  let { place } = live
  for (let tries = 1; ; tries += 1) {
    try {
      const principal = await callerAt(feed, live.caller.principal, place)
      const records: (readonly SnapshotRecord[])[] = []
      for (const { followed } of setsOf(live)) {
        const seen = seenThen(followed, principal)
        records.push(await readSnapshot(feed, { resource: followed.resource, seen, place }))
      }
      return { place, principal, records }
    } catch (error) {
      if (!(error instanceof LostPlace)) throw error
      if (tries === triesMax) throw new ApiError('unavailable', 'The records change too often', { cause: error })
      place = await room.log.end()
    }
  }
}

async function begin(live: LiveRoom, asked: LiveRequest): Promise<Begun> {
  const sent = asked.request.headers['last-event-id'] || asked.after
  if (setsOf(asked).length === 0 || !sent) return beginAt(live, asked)
  try {
    return await resume(live, asked, String(sent))
  } catch (error) {
    if (!(error instanceof LostPlace)) throw error
    return { ...(await beginAt(live, asked)), lost: error.message }
  }
}

/** Each text waits until the client has read the one before, so none is too long. */
async function sendBeginning(stream: LiveStream, asked: LiveRequest, { begun, position }: Ready): Promise<void> {
  const { form } = stream
  async function send(text: string): Promise<void> {
    await stream.space()
    stream.send(text)
  }
  stream.send(firstWords)
  if (begun.lost !== undefined) await send(printLost(form, begun.lost))
  for (const [i, { name, followed }] of setsOf(asked).entries()) {
    const records = begun.records?.[i] ?? []
    const event = eventName(name, 'record')
    const { slug: resource } = followed.resource
    for (let at = 0; at < records.length; at += printedAtOnce) {
      const part = records.slice(at, at + printedAtOnce)
      await send(part.map((one) => form.print({ event, data: { resource, ...one } })).join(''))
    }
  }
  const data = { position, ...(begun.records ? {} : { resumed: true }) }
  if (setsOf(asked).length > 0) await send(form.print({ event: 'ready', data, id: position }))
}

type Ready = { readonly begun: Begun; readonly position: string }

/** The parts that end with the stream. */
type OpenParts = {
  readonly stream: LiveStream
  readonly reader: LiveReader
  readonly pages: readonly PageSubscription[]
  readonly watched: WatchedStream
}

/** Ends the stream, or begins its pages anew, where the rights of its caller differ. */
function judgeOf(
  { livePages, rightsOf }: { readonly livePages: LivePages; readonly rightsOf: RightsOf },
  { stream, reader, pages }: Pick<OpenParts, 'stream' | 'reader' | 'pages'>,
  caller: { latest: Principal },
): WatchedStream['judge'] {
  const { rights, subscriptions } = reader
  return (principal) => {
    if (principal === caller.latest) return
    caller.latest = principal
    for (const { followed } of subscriptions) followed.seenBy(principal)
    for (const page of pages) {
      page.key()
      livePages.renew(page)
    }
    if (subscriptions.length > 0 && rightsOf(principal) !== rights)
      stream.end(printLost(stream.form, 'The rights of the caller have changed'))
  }
}

/** Thousands of streams wait, so none holds on to its request. */
function subscribe(live: LiveRoom, asked: LiveRequest, begun: Begun): OpenParts {
  const { room, hub, watch, pages: livePages, seal } = live
  const { principal, readClient } = asked.caller
  const { form } = asked
  const giveBack = live.limit.take(readClient.client)
  const rights = room.rightsOf(principal)
  const caller = { latest: principal }
  const stream = makeLiveStream({
    form,
    overflow: () => printLost(form, 'The client reads too slowly'),
    onEnd() {
      giveBack()
      hub.leave(reader)
      watch.remove(watched)
      for (const page of pages) livePages.leave(page)
    },
  })
  const subscriptions: Subscription[] = []
  const from = { principal: begun.principal, place: begun.place, isReady: false }
  const reader: LiveReader = { stream, rights, subscriptions, ...from }
  for (const { name, followed } of setsOf(asked)) subscriptions.push({ reader, name, followed })
  const pages = pagesOf(asked).map(
    ({ key, restsOn, ...one }): PageSubscription => ({
      ...one,
      stream,
      key: () => key(caller.latest),
      restsOn: () => restsOn(caller.latest),
    }),
  )
  const watched: WatchedStream = {
    stream,
    judge: judgeOf({ livePages, rightsOf: room.rightsOf }, { stream, reader, pages }, caller),
    position: () => (subscriptions.length > 0 && reader.isReady ? seal(hub.placeOf(reader), rights) : undefined),
  }
  return { stream, reader, pages, watched }
}

async function run(live: LiveRoom, asked: LiveRequest, { begun, parts }: { begun: Begun; parts: OpenParts }) {
  const { stream, reader } = parts
  const { form } = stream
  try {
    await sendBeginning(stream, asked, { begun, position: live.seal(begun.place, reader.rights) })
    reader.isReady = true
    if (reader.subscriptions.length === 0) return
    await live.hub.join(reader)
    // It may have seen none of the changes, and shall not read them again when it comes back.
    const caughtUp = begun.records ? undefined : parts.watched.position()
    if (caughtUp !== undefined) stream.send(printId(caughtUp))
  } catch (thrown) {
    if (thrown instanceof LostPlace) return stream.end(printLost(form, thrown.message))
    const error = toApiError(thrown)
    if (error.code === 'internal') live.report(thrown)
    stream.end(printEnd(form, { error: error.message, code: error.code }))
  }
}

const headers = {
  'content-type': eventStreamType,
  'cache-control': 'no-store',
  // nginx would hold events back until it has a buffer of them
  'x-accel-buffering': 'no',
}

/** Throws as the lists themselves do, and for too many streams. */
export async function openStream(live: LiveRoom, asked: LiveRequest): Promise<HttpResponse> {
  if (live.room.isEnding()) throw new ApiError('unavailable', 'Draining', { retryAfterSeconds: 1 })
  const { principal } = asked.caller
  for (const { followed } of setsOf(asked)) followed.seenBy(principal)
  for (const page of pagesOf(asked)) page.key(principal)
  if (asked.request.method === 'HEAD') return { status: 200, headers: { ...headers }, body: null }
  await live.ready()
  const begun = await begin(live, asked)
  const parts = subscribe(live, asked, begun)
  const { stream, pages, watched } = parts
  // Before its pages may end it: its end removes it.
  live.watch.add(watched, asked.caller)
  try {
    for (const page of pages) await live.pages.join(page)
    if (stream.length() > pageBytesMax) throw new ApiError('bad-request', tooLong)
  } catch (error) {
    stream.end()
    throw error
  }
  void run(live, asked, { begun, parts })
  return { status: 200, headers: { ...headers }, body: null, lasting: stream.text }
}
