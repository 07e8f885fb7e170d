/**
 * The client of this page: the one that every application may use. The access token stays in
 * memory; the refresh token is in a cookie that scripts cannot read.
 */
import { type ApiConnection, createClient } from 'bindery-server/client'
import { makeDataProvider } from 'bindery-server/react-admin'
import { serverUrl } from '../address/place.ts'
import { fetchInView } from './viewing.ts'

const ended = new EventTarget()

export const client: ApiConnection = createClient({
  url: serverUrl,
  fetch: fetchInView,
  onLogOut: () => ended.dispatchEvent(new Event('ended')),
})

/** Reads and writes of records: it knows the version that was shown, and sends it with writes. */
export const records = makeDataProvider(client)

/** Calls when the server has ended the session. Returns a function that stops it. */
export function onSessionEnd(call: () => void): () => void {
  ended.addEventListener('ended', call)
  return () => ended.removeEventListener('ended', call)
}
