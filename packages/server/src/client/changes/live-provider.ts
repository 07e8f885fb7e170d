/**
 * The live providers of Refine and react-admin: subscriptions to the changes of a list, which tell
 * screens to read again.
 */
import type { ApiConnection } from '../make-connection.ts'
import { makeLive } from './live-list.ts'

export type RecordNews = {
  readonly type: 'created' | 'updated' | 'deleted'
  readonly ids: readonly (string | number)[]
}

const newsTypes = { enter: 'created', change: 'updated', leave: 'deleted', delete: 'deleted' } as const

type Position = { readonly meta: { readonly position: string } }

/**
 * Calls for each change of a list from now on. A change that the server cannot tell counts as an
 * update of no record. Returns the function that ends it.
 */
export function watchList(client: ApiConnection, name: string, call: (news: RecordNews) => void): () => void {
  const control = new AbortController()
  const { signal } = control
  const live = makeLive(client)
  void (async () => {
    const { body } = await client.send('GET', '/api/v1/_changes', { query: { resources: [name] }, signal })
    const after = (body as Position).meta.position
    for await (const event of live(name, { after, signal })) {
      if (event.type === 'records') call({ type: 'updated', ids: [] })
      else call({ type: newsTypes[event.type], ids: [event.id] })
    }
  })().catch(() => undefined) // the screens go on without news
  return () => control.abort()
}
