/**
 * The live providers of Refine and react-admin: subscriptions to the changes of a list, which tell
 * screens to read again.
 */
import type { ApiConnection } from '../make-connection.ts'
import { makeLive } from './live-list.ts'
import { isPassing, pause } from './reconnect.ts'

export type RecordNews = {
  readonly type: 'created' | 'updated' | 'deleted'
  readonly ids: readonly (string | number)[]
}

const newsTypes = { enter: 'created', change: 'updated', leave: 'deleted', delete: 'deleted' } as const

type Position = { readonly meta: { readonly position: string } }

/** Waits while the server is away. Throws every refusal that will not pass. */
async function positionOf(client: ApiConnection, name: string, signal: AbortSignal): Promise<string> {
  for (let failures = 0; ; failures += 1) {
    try {
      const { body } = await client.send('GET', '/api/v1/_changes', { query: { resources: [name] }, signal })
      return (body as Position).meta.position
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error
      await pause(failures, signal, error)
    }
  }
}

/**
 * Calls for each change of a list, and once at first, because screens may have read the list before
 * it is followed. A change that the server cannot tell counts as an update of no record, as the
 * first call does. Returns the function that ends it.
 */
export function watchList(client: ApiConnection, name: string, call: (news: RecordNews) => void): () => void {
  const control = new AbortController()
  const { signal } = control
  const live = makeLive(client)
  void (async () => {
    const after = await positionOf(client, name, signal)
    call({ type: 'updated', ids: [] })
    for await (const event of live(name, { after, signal })) {
      if (event.type === 'records') call({ type: 'updated', ids: [] })
      else call({ type: newsTypes[event.type], ids: [event.id] })
    }
  })().catch(() => undefined) // the screens go on without news
  return () => control.abort()
}
