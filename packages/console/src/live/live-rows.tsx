/** A list that follows its changes: it is read again, and the rows that differ are marked. */
import type { InfiniteData } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { useCallback, useEffect, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { queries } from '../api/queries.ts'
import { isSameValue, type Row, type RowPage, rowsKey } from '../api/rows.ts'
import type { Selected } from '../grid/grid-selection.ts'
import { t } from '../words/words.ts'
import type { News } from './follow.ts'
import { LiveLine } from './live-line.tsx'
import { useFollow } from './use-follow.ts'

const markedMs = 4_000
/** A list that changes all the time is not read out all the time. */
const saidEveryMs = 10_000

export type LiveRowsProps = {
  readonly resource: ResourceDescription
  /** The parameters that select its records; those of the query too. */
  readonly selects: ListQuery
  readonly query: ListQuery
  onMarked(ids: Selected): void
  /** They are no longer in the list. */
  readonly onGone?: (ids: Selected) => void
}

type Rows = ReadonlyMap<string, Row>

function rowsNow({ slug, idField }: ResourceDescription, query: ListQuery): Rows {
  const found = queries.getQueriesData<InfiniteData<RowPage>>({ queryKey: rowsKey(slug, query) })
  const rows = found.flatMap(([, data]) => data?.pages.flatMap((page) => page.data) ?? [])
  return new Map(rows.map((row) => [String(row[idField]), row]))
}

/** Reads the pages that are shown. Returns the rows that are new or differ. */
async function readAgain(resource: ResourceDescription, query: ListQuery): Promise<Selected> {
  const before = rowsNow(resource, query)
  await queries.refetchQueries({ queryKey: rowsKey(resource.slug, query), type: 'active' })
  void queries.invalidateQueries({ queryKey: [resource.slug, 'total'] })
  const now = [...rowsNow(resource, query)]
  return new Set(now.filter(([id, row]) => !isSameValue(row, before.get(id))).map(([id]) => id))
}

/** The number of changes that were not read out yet, said now and then. */
function useSaid() {
  const [state, setState] = useState({ count: 0, said: '', atMs: Number.NEGATIVE_INFINITY })
  const add = useCallback((count: number) => {
    setState((now) => {
      const all = now.count + count
      const nowMs = performance.now()
      if (all === 0 || nowMs - now.atMs < saidEveryMs) return { ...now, count: all }
      return { count: 0, said: t('liveChanged', { count: all }), atMs: nowMs }
    })
  }, [])
  const { said, count } = state
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setState((now) => ({ ...now, said: '' })), markedMs)
    return () => clearTimeout(timer)
  }, [said])
  useEffect(() => {
    if (count === 0) return
    const timer = setTimeout(() => add(0), saidEveryMs)
    return () => clearTimeout(timer)
  }, [count, add])
  return [said, add] as const
}

export function LiveRows({ resource, selects, query, onMarked, onGone }: LiveRowsProps) {
  const [said, say] = useSaid()
  const [marked, setMarked] = useState<Selected>()
  useEffect(() => {
    if (!marked) return
    onMarked(marked)
    const timer = setTimeout(() => onMarked(new Set()), markedMs)
    return () => clearTimeout(timer)
  }, [marked, onMarked])

  const onNews = useCallback(
    async (news: readonly News[]) => {
      const found = await readAgain(resource, query)
      const gone = new Set(news.flatMap((one) => (one.type === 'gone' ? [one.id] : [])))
      if (gone.size > 0) onGone?.(gone)
      say(found.size + gone.size)
      if (found.size > 0) setMarked(found)
    },
    [resource, query, onGone, say],
  )
  const state = useFollow({ slug: resource.slug, selects, onNews })
  return <LiveLine state={state} said={said} />
}
