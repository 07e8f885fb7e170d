/** Follows changes while the page is seen. A hidden one has no connection: there are few. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { follow, type LiveState, type News } from './follow.ts'

/** Changes within this time are read together. */
const gatherMs = 250

function listen(call: () => void): () => void {
  document.addEventListener('visibilitychange', call)
  return () => document.removeEventListener('visibilitychange', call)
}

type Follower = {
  readonly slug: string
  /** Another object follows anew. */
  readonly selects: ListQuery
  /** Reads what has changed; the next call waits for its end. Another function follows anew. */
  readonly onNews: (news: readonly News[]) => Promise<void>
}

/** A cell with an open editor keeps its row, so that nothing is typed over another value. */
const isTyping = () => document.querySelector('.cell-editor') !== null

/** Hands news on, all of a moment together, and one call after the other. */
function makeGatherer(onNews: Follower['onNews'], signal: AbortSignal): (news: News) => void {
  let waiting: News[] = []
  let isBusy = false
  async function work(): Promise<void> {
    isBusy = true
    while (waiting.length > 0 && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, gatherMs))
      if (isTyping() || signal.aborted) continue
      const gathered = waiting
      waiting = []
      await onNews(gathered).catch(() => undefined) // the list says that it cannot be read
    }
    isBusy = false
  }
  return (news) => {
    waiting.push(news)
    if (!isBusy) void work()
  }
}

/** Undefined before the first connection, and where the server refuses. */
export function useFollow({ slug, selects, onNews }: Follower): LiveState | undefined {
  const isSeen = useSyncExternalStore(listen, () => !document.hidden)
  const [state, setState] = useState<LiveState>()
  useEffect(() => {
    if (!isSeen) return
    const control = new AbortController()
    const end = follow({ slug, selects, tell: makeGatherer(onNews, control.signal), say: setState })
    return () => {
      control.abort()
      end()
    }
  }, [isSeen, slug, selects, onNews])
  return state
}
