/**
 * Follows the changes of a list for a page that shows it. It says which records came, changed or
 * went; the page reads them again. After a lost connection it goes on where it was.
 */
import { RequestError, type ResourceDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { client } from '../api/client.ts'

/** `any`: the server cannot tell which records changed. */
export type News = { readonly type: 'any' } | { readonly type: 'changed' | 'gone'; readonly id: string }
export type LiveState = 'live' | 'again'

type Following = {
  /** The parameters that select its records. */
  readonly selects: ListQuery
  readonly signal: AbortSignal
  tell(news: News): void
  say(state: LiveState | undefined): void
}

/** These arrange the records of a list, and do not select them. */
const arranging: readonly string[] = ['page', 'limit', 'cursor', 'sort', 'fields', 'expand']
const retryMs = 5_000

export function selectingIn(query: ListQuery): ListQuery {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !arranging.includes(name)))
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

type Position = { readonly meta: { readonly position: string } }

/** The position comes before the read that it asks for, so that no change is between the two. */
async function followFrom(resource: ResourceDescription, { selects, signal, tell, say }: Following): Promise<void> {
  const name = (resource.path ?? '').slice(1)
  const query = { resources: [resource.slug] }
  const { body } = await client.send('GET', '/api/v1/_changes', { query, signal })
  const { position } = (body as Position).meta
  tell({ type: 'any' })
  const onConnection = (isThere: boolean) => say(isThere ? 'live' : 'again')
  for await (const event of client.live(name, { after: position, query: selects, signal, onConnection })) {
    if (event.type === 'records') tell({ type: 'any' })
    else tell({ type: event.type === 'leave' || event.type === 'delete' ? 'gone' : 'changed', id: String(event.id) })
  }
}

/**
 * Ends with the signal, and where the server refuses. A filter that the log cannot decide is left
 * out: then every change of the resource is told.
 */
export async function follow(resource: ResourceDescription, following: Following): Promise<void> {
  const { signal, say } = following
  let { selects } = following
  while (!signal.aborted) {
    try {
      await followFrom(resource, { ...following, selects })
    } catch (error) {
      if (signal.aborted) return
      const status = error instanceof RequestError ? error.status : undefined
      const isFilter = status === 400 && Object.keys(selects).length > 0
      const isPassing = status !== undefined && (status === 0 || status === 429 || status >= 500)
      if (isFilter) selects = {}
      else if (!isPassing) return say(undefined)
      else await pause(retryMs, signal)
    }
  }
}
