/**
 * The client of this page: the one that every application may use. The access token stays in
 * memory; the refresh token is in a cookie that scripts cannot read. All tabs share the cookie, so
 * a refresh may bring the session of another person, who logged in elsewhere.
 */
import { type ApiConnection, type Client, createClient, memoryStore, type TokenStore } from 'bindery-server/client'
import { makeDataProvider } from 'bindery-server/react-admin'
import { serverUrl } from '../address/place.ts'
import { fetchInView } from './viewing.ts'

export type SessionEnd = 'ended' | 'other-person'

const ends = new EventTarget()
const kept = memoryStore()
let person: string | undefined

/** The id of the person whose page this is. */
export function personId(): string {
  return person ?? ''
}

/** From now on the page takes tokens of this person alone; undefined: of any. */
export function bindTo(userId: string | undefined): void {
  person = userId
}

function end(how: SessionEnd): void {
  ends.dispatchEvent(new CustomEvent('end', { detail: how }))
}

const tokens: TokenStore = {
  read: kept.read,
  /** Throws for the tokens of another person: a request of the first is not sent with them. */
  async write(next) {
    await kept.write(next)
    if (!next || person === undefined || (await client.session())?.userId === person) return
    await kept.write(undefined)
    end('other-person')
    throw new Error('Another person uses this browser')
  },
}

const connection: Client = createClient({
  url: serverUrl,
  fetch: fetchInView,
  tokens,
  onLogOut: () => end('ended'),
})

let reads = new AbortController()

/** Ends the reads on their way, and all until the next log-in: without a token they are refused. */
export function endReads(): void {
  reads.abort()
}

export function allowReads(): void {
  if (reads.signal.aborted) reads = new AbortController()
}

export const client: ApiConnection & Pick<Client, 'live'> = {
  ...connection,
  send(method, path, asked) {
    if (method !== 'GET') return connection.send(method, path, asked)
    const signals = asked?.signal ? [reads.signal, asked.signal] : [reads.signal]
    return connection.send(method, path, { ...asked, signal: AbortSignal.any(signals) })
  },
}

/** Reads and writes of records: it knows the version that was shown, and sends it with writes. */
export const records = makeDataProvider(client)

/** Calls when the session has ended. Returns a function that stops it. */
export function onSessionEnd(call: (how: SessionEnd) => void): () => void {
  const hear = (event: Event) => call((event as CustomEvent<SessionEnd>).detail)
  ends.addEventListener('end', hear)
  return () => ends.removeEventListener('end', hear)
}
