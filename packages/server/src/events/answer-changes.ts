/**
 * Answers a request for changes. It identifies the caller and reads the log from the position. It
 * waits for the first event where the client asks for that.
 */
import { ApiError } from '../errors.ts'
import { checkAccept } from '../http/accept-header.ts'
import { type IdentifiedRequest, identifyRequest, type TakeRate } from '../http/identify-request.ts'
import { type HttpRequest, type HttpResponse, json, ndjsonType } from '../http/messages/exchange.ts'
import { engineFor } from '../perform/engine.ts'
import type { Principal } from '../resource/principal.ts'
import type { LogPlace } from '../storage/derived/kept-log.ts'
import type { FeedRoom } from './feed-room.ts'
import { LostPlace, lost } from './lost.ts'
import { openPosition, sealPosition } from './positions-of-feed.ts'
import { type PrintedEvent, printTransaction } from './print-events.ts'
import { checkWhole, type FeedParts, type FeedReader, readFeed } from './read-feed.ts'
import { type RequestedFeed, requestedFeed } from './requested-feed.ts'

export type ChangesRouteDeps = { readonly room: FeedRoom; readonly takeRate: TakeRate | undefined }

/** How long one request looks through changes that its caller does not see. */
const lookingMsMax = 5_000

type FeedCaller = { readonly room: FeedRoom; readonly caller: IdentifiedRequest; readonly asked: RequestedFeed }

/** The body of the answer. */
type ChangesPage = { readonly data: PrintedEvent[]; readonly place: LogPlace; readonly hasMore: boolean }

function signalOf(request: HttpRequest, ms: number): { readonly signal: AbortSignal; readonly end: () => void } {
  const control = new AbortController()
  const timer = setTimeout(() => control.abort(), ms)
  const forget = request.onLeft(() => control.abort())
  return {
    signal: control.signal,
    end() {
      clearTimeout(timer)
      forget()
    },
  }
}

/** Reads until there are enough events, or the log ends. */
async function readPart(
  { room, asked }: FeedCaller,
  feed: FeedParts,
  { reader, after, untilMs }: { reader: FeedReader; after: LogPlace; untilMs: number },
): Promise<ChangesPage> {
  const data: PrintedEvent[] = []
  const { principal } = reader
  let place = after
  for (;;) {
    const page = await readFeed(feed, reader, { after: place, most: Math.max(0, asked.most - data.length) })
    for (const one of page.transactions)
      data.push(
        ...printTransaction(one, { position: await sealPosition(room, one.transaction.place, principal), principal }),
      )
    place = page.place
    const hasMore = page.isFull || (!page.isEnd && room.engine.clock() > untilMs)
    if (page.isEnd || hasMore) return { data, place, hasMore }
  }
}

/**
 * Throws `LostPlace`, what a list of the caller throws, and `too-many-requests` or `unavailable`
 * where too many wait.
 */
async function readChanges(
  { room, caller, asked }: FeedCaller,
  request: HttpRequest,
  given: string,
): Promise<{ readonly page: ChangesPage; readonly principal: Principal }> {
  const { engine, log, tables, bell } = room
  const { catalog, clock } = engine
  const feed = { catalog, log, tables, storage: engineFor(engine, caller).storage }
  const waiting = signalOf(request, asked.waitMs)
  let giveBack: (() => void) | undefined
  try {
    let principal = caller.principal
    let place = await openPosition(room, given, principal)
    await checkWhole(feed, { principal, followed: asked.followed }, place)
    for (;;) {
      const reader = { principal, followed: asked.followed }
      const page = await readPart({ room, caller, asked }, feed, {
        reader,
        after: place,
        untilMs: clock() + lookingMsMax,
      })
      const isDone = page.data.length > 0 || page.hasMore || waiting.signal.aborted || room.isEnding()
      if (isDone || asked.waitMs === 0) return { page, principal }
      place = page.place
      giveBack ??= room.waits.take(caller.readClient.client)
      await bell.next(place, waiting.signal)
      await engine.storage.changes.catchUp()
      const rights = room.rightsOf(principal)
      principal = await caller.callerNow()
      if (room.rightsOf(principal) !== rights) throw lost('The rights of the caller have changed')
    }
  } finally {
    waiting.end()
    giveBack?.()
  }
}

const headers = { 'cache-control': 'no-store' }

async function answer(reading: FeedCaller, request: HttpRequest): Promise<HttpResponse> {
  const { room, caller, asked } = reading
  if (asked.after === undefined) {
    for (const one of asked.followed) one.seenBy(caller.principal)
    const position = await sealPosition(room, await room.log.end(), caller.principal)
    return print(asked, { data: [], position, hasMore: false })
  }
  const { page, principal } = await readChanges(reading, request, asked.after)
  const position = await sealPosition(room, page.place, principal)
  return print(asked, { data: page.data, position, hasMore: page.hasMore })
}

type Printed = { readonly data: readonly PrintedEvent[]; readonly position: string; readonly hasMore: boolean }

function print({ asLines }: RequestedFeed, { data, position, hasMore }: Printed): HttpResponse {
  if (!asLines) return json(200, { data, meta: { position, hasMore } }, { ...headers })
  const lines = [...data, { position, hasMore }].map((one) => `${JSON.stringify(one)}\n`)
  return { status: 200, headers: { 'content-type': ndjsonType, ...headers }, body: lines.join('') }
}

/** Throws `gone` with the position to begin from. */
export async function answerChanges({ room, takeRate }: ChangesRouteDeps, request: HttpRequest): Promise<HttpResponse> {
  const { identity, storage } = room.engine
  // A caller that is remembered from before its newest membership would miss what that shows.
  await storage.changes.catchUp()
  const caller = await identifyRequest({ identity, takeRate }, request, { machine: false })
  checkAccept(request.headers.accept, ['application/json', 'application/x-ndjson'])
  const asked = requestedFeed(room, caller.principal, request)
  const end = await room.log.end()
  try {
    return await answer({ room, caller, asked }, request)
  } catch (error) {
    if (!(error instanceof LostPlace)) throw error
    const position = await sealPosition(room, end, caller.principal)
    const sentence = `${error.message}: read the lists again, and go on from the position of this answer`
    throw new ApiError('gone', sentence, { cause: error, more: { position } })
  }
}
