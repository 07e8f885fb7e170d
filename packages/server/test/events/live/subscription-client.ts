/**
 * A reader of a GraphQL subscription for tests: the same as that of a live stream. Each result is
 * read as the event of REST that says the same.
 */
import { type LiveClient, makeLiveClient, type StreamEvent } from './live-client.ts'

export type SubscriptionAsked = {
  readonly url: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The members of an event besides its record. */
export const memberNames = 'type id version before at transaction last position resumed message'

/**
 * `next` with `{ data: { notes: { type: 'ENTER', … } } }` → the event `enter`. Errors are events
 * `errors`, and `complete` has no data.
 */
function readResult({ event, id, data }: StreamEvent): StreamEvent {
  if (event !== 'next') return { event, id, data }
  if (data.errors !== undefined) return { event: 'errors', id, data }
  const [result] = Object.values(data.data as Record<string, Record<string, unknown>>)
  const given = Object.entries(result ?? {}).filter(([, value]) => value !== null)
  return { event: String(result?.type).toLowerCase(), id, data: Object.fromEntries(given) }
}

export function makeSubscriber({ url, query, variables, headers }: SubscriptionAsked): LiveClient {
  return makeLiveClient({
    ...{ url, prefix: '', path: '/graphql', method: 'POST', body: { query, variables } },
    ...(headers && { headers }),
    read: readResult,
  })
}
