/**
 * Follows all that a page shows by one request, however many lists and records it has: the feed of
 * changes. It says what came, changed or went; the page reads that again. After a lost connection
 * it goes on where it was.
 */
import { RequestError } from 'bindery-server/client'
import { client } from '../api/client.ts'
import { feedQueryOf, type Selecting } from './selecting.ts'

/** `any`: the server cannot tell which records changed. */
export type News = { readonly type: 'any' } | { readonly type: 'changed' | 'gone'; readonly id: string }
export type LiveState = 'live' | 'again'

/** A part of a page. */
export type Watched = Selecting & {
  tell(news: News): void
  /** Undefined: it cannot be followed. */
  say(state: LiveState | undefined): void
}

type Change = { readonly type: string; readonly resource: string; readonly id: string | number }
type Page = { readonly data: readonly Change[]; readonly meta: { readonly position: string } }

type Following = {
  /** With what follows them; undefined for one that is new. */
  readonly watched: Map<Watched, Selecting | 'refused' | undefined>
  position: string | undefined
}

const retryMs = 5_000
/** Parts of a page that come within this time are followed together. */
const gatherMs = 50
/** Between two requests while there are changes all the time. */
const pauseMs = 250
const waitSeconds = 20
const eventsAtOnce = 1_000

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function readFeed(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Page> {
  return (await client.send('GET', '/api/v1/_changes', { query, signal })).body as Page
}

const statusOf = (error: unknown) => (error instanceof RequestError ? error.status : undefined)

/** Whether the same request may have an answer later. */
function isPassing(error: unknown): boolean {
  const status = statusOf(error)
  return status !== undefined && (status === 0 || status === 429 || status >= 500)
}

/**
 * The present position, and what selects. A filter that the log cannot decide is left out: then
 * every change of the resource is told. Throws the refusal of the resource itself.
 */
async function begin({ slug, selects }: Watched, signal: AbortSignal): Promise<Selecting & { position: string }> {
  const at = async (selecting: Selecting) => {
    const { meta } = await readFeed(feedQueryOf([selecting]), signal)
    return { ...selecting, position: meta.position }
  }
  return at({ slug, selects }).catch((error) => {
    if (statusOf(error) === 400 && Object.keys(selects).length > 0) return at({ slug, selects: {} })
    throw error
  })
}

/** The position comes before the read that it asks for, so that no change is between the two. */
async function beginNew(following: Following, one: Watched, signal: AbortSignal): Promise<void> {
  const { watched } = following
  try {
    const { position, ...selecting } = await begin(one, signal)
    if (!watched.has(one)) return
    following.position ??= position
    watched.set(one, selecting)
    one.tell({ type: 'any' })
  } catch (error) {
    if (signal.aborted || isPassing(error)) throw error
    if (watched.has(one)) watched.set(one, 'refused')
    one.say(undefined)
  }
}

function followedIn({ watched }: Following): readonly (readonly [Watched, Selecting])[] {
  return [...watched].flatMap(([one, state]) => (typeof state === 'object' ? [[one, state] as const] : []))
}

function hand(following: Following, { data, meta }: Page): void {
  following.position = meta.position
  const parts = followedIn(following)
  for (const { type, resource, id } of data) {
    const news = { type: type === 'leave' || type === 'delete' ? 'gone' : 'changed', id: String(id) } as const
    for (const [one] of parts) if (one.slug === resource) one.tell(news)
  }
}

/** Throws what the server refuses. */
async function followAll(following: Following, signal: AbortSignal): Promise<void> {
  const fresh = [...following.watched].flatMap(([one, state]) => (state === undefined ? [one] : []))
  await Promise.all(fresh.map((one) => beginNew(following, one, signal)))
  const parts = followedIn(following)
  const query = { ...feedQueryOf(parts.map(([, selecting]) => selecting)), limit: eventsAtOnce }
  let isSure = false
  while (!signal.aborted && parts.length > 0) {
    // The first answer comes at once, and says that the server is there.
    const asked = { ...query, after: following.position, wait: isSure ? waitSeconds : 0 }
    const page = await readFeed(asked, signal)
    if (signal.aborted) return
    if (!isSure) for (const [one] of parts) one.say('live')
    isSure = true
    hand(following, page)
    if (page.data.length > 0) await pause(pauseMs, signal)
  }
}

/** Returns whether to try again. */
async function goesOn(following: Following, error: unknown, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  if (statusOf(error) === 410) {
    following.position = ((error as RequestError).body as { readonly position: string }).position
    for (const [one] of followedIn(following)) one.tell({ type: 'any' })
    return true
  }
  const isAgain = isPassing(error)
  for (const one of following.watched.keys()) one.say(isAgain ? 'again' : undefined)
  if (isAgain) await pause(retryMs, signal)
  return isAgain
}

async function run(following: Following, { signal }: AbortController): Promise<void> {
  let isOn = true
  while (isOn && !signal.aborted) {
    try {
      return await followAll(following, signal)
    } catch (error) {
      isOn = await goesOn(following, error, signal)
    }
  }
}

function makeFollow(): (one: Watched) => () => void {
  const following: Following = { watched: new Map(), position: undefined }
  let control: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function restart(): void {
    control?.abort()
    control = new AbortController()
    void run(following, control)
  }
  function end(): void {
    clearTimeout(timer)
    control?.abort()
    following.position = undefined
  }
  return (one) => {
    following.watched.set(one, undefined)
    clearTimeout(timer)
    timer = setTimeout(restart, gatherMs)
    return () => {
      following.watched.delete(one)
      if (following.watched.size === 0) end()
    }
  }
}

/**
 * One for the page: browsers open few connections to a server. Returns the function that ends the
 * following of a part.
 */
export const follow = makeFollow()
