/** The list of a resource: its address is the request, its rows come by cursor, its total later. */

import { RequestError, type ResourceDescription } from 'bindery-server/client'
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { changeListQuery, listQueryOf } from '../address/list-query.ts'
import { type ListQuery, requestLine } from '../address/request-line.ts'
import { go, hrefOf, useAddress } from '../address/router.ts'
import { useResource } from '../api/declarations.ts'
import { refusalsOf } from '../api/explanation.ts'
import { type Row, useRows, useTotal } from '../api/rows.ts'
import { titleIn } from '../api/titles.ts'
import { Grid } from '../grid/grid.tsx'
import type { Selected } from '../grid/grid-selection.ts'
import { isLive } from '../live/is-live.ts'
import { selectingIn } from '../live/selecting.ts'
import { useMerging } from '../merge/merging.tsx'
import { useMoves } from '../order/moving.tsx'
import { sayError } from '../shell/form-errors.ts'
import { loaded as loadedPart } from '../shell/loaded.tsx'
import { copyText } from '../shell/notices.tsx'
import { WhyButton } from '../shell/why.tsx'
import { inSentence, locale, t } from '../words/words.ts'
import { unknownIn } from './conditions.ts'
import { EmptyList } from './empty-list.tsx'
import { FilterBar } from './filter-bar.tsx'
import { fieldsFor, requestOf, useListChoices } from './list-choices.ts'
import { columnsOf } from './list-columns.tsx'
import { ListSearch } from './list-search.tsx'
import { ListTools } from './list-tools.tsx'
import { SelectionBar } from './selection-bar.tsx'

const LiveRows = loadedPart(() => import('../live/live-rows.tsx').then((part) => part.LiveRows))

const numbers = new Intl.NumberFormat(locale)

type HeadProps = {
  readonly resource: ResourceDescription
  readonly first: Row | undefined
  readonly children: ReactNode
}

function Head({ resource, first, children }: HeadProps) {
  const { plural, label, slug, operations, declaredIn, path = '', idField } = resource
  const named = first && { id: String(first[idField]), title: titleIn(resource, first) }
  return (
    <div className="head">
      <h1>{plural}</h1>
      {declaredIn && (
        <span className="quiet" title={declaredIn}>
          {t('declaredIn', { place: declaredIn.split('/').at(-1) ?? '' })}
        </span>
      )}
      {children}
      {operations.includes('create') && !resource.madeBelow && (
        <button type="button" className="main" onClick={() => go(hrefOf([slug, '_new']))}>
          {t('create', { label: inSentence(label) })}
        </button>
      )}
      <WhyButton refusals={refusalsOf(resource, { path, id: undefined, ...named })} />
    </div>
  )
}

/** The request that the list is, to be copied. */
function RequestLine({ request }: { readonly request: string }) {
  return (
    <div className="request">
      <code>{request}</code>
      <button type="button" className="plain" onClick={() => copyText(request)}>
        {t('copy')}
      </button>
    </div>
  )
}

type Loading = ReturnType<typeof useRows>

/** Rows that belong to the query before, or are not shown yet, are no reason to ask for more. */
function useMore({ hasNextPage, isFetchingNextPage, fetchNextPage }: Loading, isShown: boolean): () => void {
  return useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && isShown) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isShown, fetchNextPage])
}

function sortOf({ list }: ResourceDescription, { sort }: ListQuery): string {
  return sort ?? list?.defaultSort.map(({ field, descending }) => `${descending ? '-' : ''}${field}`)[0] ?? ''
}

const nothing: Selected = new Set()

type FailedProps = { readonly error: Error; readonly unknown: readonly string[]; onRetry(): void }

function Failed({ error, unknown, onRetry }: FailedProps) {
  if (error instanceof RequestError && error.status === 400 && unknown.length > 0)
    return (
      <p role="alert" className="failed">
        {t('unknownInQuery', { names: unknown.join(', ') })}{' '}
        <button
          type="button"
          onClick={() => changeListQuery(Object.fromEntries(unknown.map((name) => [name, undefined])))}
        >
          {t('openWithout')}
        </button>
      </p>
    )
  return (
    <p role="alert" className="failed">
      {sayError(error)}{' '}
      <button type="button" onClick={onRetry}>
        {t('retry')}
      </button>
    </p>
  )
}

function countOf(loaded: number, total: number | null | undefined): string {
  const shown = numbers.format(loaded)
  return total == null
    ? t('rowsLoaded', { loaded: shown })
    : t('rowsOf', { loaded: shown, total: numbers.format(total) })
}

function Nothing({ resource, isFiltered }: { readonly resource: ResourceDescription; readonly isFiltered: boolean }) {
  if (!isFiltered) return <EmptyList resource={resource} />
  return <p className="empty">{t('noRows', { plural: inSentence(resource.plural) })}</p>
}

/** Another filter has other rows: a row that is not in the list is not selected. */
function useSelected(query: ListQuery) {
  const [state, setState] = useState({ query, selected: nothing })
  const setSelected = useCallback(
    (next: Selected | ((now: Selected) => Selected)) =>
      setState((now) => {
        const before = now.query === query ? now.selected : nothing
        return { query, selected: typeof next === 'function' ? next(before) : next }
      }),
    [query],
  )
  return [state.query === query ? state.selected : nothing, setSelected] as const
}

function List({ resource }: { readonly resource: ResourceDescription }) {
  const { query: address } = useAddress()
  const [choices, choose] = useListChoices(resource.slug)
  const query = useMemo(
    () => requestOf(resource, listQueryOf(address), choices.columns),
    [resource, address, choices.columns],
  )
  const selects = useMemo(() => selectingIn(query), [query])
  const list = useRows(resource, query)
  const total = useTotal(resource, query, list.isSuccess && !list.isPlaceholderData)
  const loaded = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data])
  const rows = useDeferredValue(loaded)
  const fields = useMemo(() => fieldsFor(resource, query, choices), [resource, query, choices])
  const { save, sheet } = useMerging(resource)
  const columns = useMemo(
    () => columnsOf(resource, { fields, widths: choices.widths, save }),
    [resource, fields, choices.widths, save],
  )
  const [selected, setSelected] = useSelected(query)
  const [marked, setMarked] = useState(nothing)
  const deselect = useCallback(
    (gone: Selected) => setSelected((now) => new Set([...now].filter((id) => !gone.has(id)))),
    [setSelected],
  )
  const more = useMore(list, rows === loaded && !list.isPlaceholderData)
  const sort = sortOf(resource, query)
  const { moves, sheet: moveSheet } = useMoves(resource, { rows, sort })
  const { plural, slug, idField } = resource
  const canSelect = resource.operations.some((one) => one === 'update' || one === 'delete')
  return (
    <>
      <Head resource={resource} first={rows[0]}>
        {isLive(resource) && list.isSuccess && !list.isPlaceholderData && (
          <LiveRows resource={resource} selects={selects} query={query} onMarked={setMarked} onGone={deselect} />
        )}
      </Head>
      <div className="tools">
        {resource.list?.search && <ListSearch plural={plural} q={query.q ?? ''} />}
        <ListTools resource={resource} query={query} shown={fields} choices={choices} onChoose={choose} />
        <output>{list.isPending ? t('loading') : countOf(rows.length, total.data)}</output>
      </div>
      <FilterBar resource={resource} query={query} />
      {selected.size > 0 && (
        <SelectionBar
          resource={resource}
          query={query}
          selected={selected}
          loadedRows={rows.length}
          total={total.data ?? undefined}
          onClear={() => setSelected(new Set())}
        />
      )}
      <RequestLine request={`GET ${requestLine(resource.path ?? '', query)}`} />
      {list.isError && (
        <Failed error={list.error} unknown={unknownIn(resource, query)} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && loaded.length === 0 && <Nothing resource={resource} isFiltered={address.size > 0} />}
      {(loaded.length > 0 || list.isPending) && (
        <Grid
          label={plural}
          columns={columns}
          rows={rows}
          idField={idField}
          total={total.data ?? undefined}
          isLoading={list.isFetching}
          sort={sort}
          moves={moves}
          marked={marked}
          onSort={(next) => changeListQuery({ sort: next })}
          onMore={more}
          {...(canSelect && { selected, onSelect: setSelected })}
          onResize={(id, width) => choose({ widths: { ...choices.widths, [id]: width } })}
          onOpen={(row) => go(hrefOf([slug, String(row[idField])]))}
        />
      )}
      {moves && rows.length > 1 && <p className="quiet">{t('moveHint')}</p>}
      {sheet}
      {moveSheet}
    </>
  )
}

export function ListPage({ slug }: { readonly slug: string }) {
  const { data: resource, error } = useResource(slug)
  if (error && !resource) return <p role="alert">{sayError(error)}</p>
  return resource ? <List resource={resource} /> : <p className="quiet">{t('loading')}</p>
}
