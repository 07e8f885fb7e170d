/** The records below this one: a grid for each kind, read from its path below this record. */

import type { ChildDescription, FieldDescription, ResourceDescription } from 'bindery-server/client'
import { useCallback, useMemo, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { go, hrefOf } from '../address/router.ts'
import { useResource, useResources } from '../api/declarations.ts'
import { isLinks, naming } from '../api/requested-fields.ts'
import { useRows } from '../api/rows.ts'
import { showField } from '../extend/own-value.tsx'
import { growsIn, isFigure } from '../fields/show-value.tsx'
import { Grid } from '../grid/grid.tsx'
import type { GridColumn } from '../grid/grid-column.ts'
import { rowHeight } from '../grid/grid-fit.ts'
import type { Selected } from '../grid/grid-selection.ts'
import { isLive } from '../live/is-live.ts'
import { useMoves } from '../order/moving.tsx'
import { sayError } from '../shell/form-errors.ts'
import { loaded } from '../shell/loaded.tsx'
import { PlaceLink } from '../shell/menu.tsx'
import { inSentence, t } from '../words/words.ts'
import type { InBody } from './line-edits.ts'
import { newId, pathAt, type RecordPlace, selectingBelow } from './record-place.ts'
import { SingleChild } from './single-child.tsx'
import type { Can } from './use-can.ts'
import { useInBody, useStoredLines } from './use-in-body.ts'
import { Versions } from './versions.tsx'

const LiveRows = loaded(() => import('../live/live-rows.tsx').then((part) => part.LiveRows))

const rowsMax = 8
const nothing: Selected = new Set()

/** As in a list, without the field that names the record above. */
function shownFields({ fields, columns, title }: ResourceDescription, by: string): readonly FieldDescription[] {
  const all = fields.filter((field) => !isLinks(field))
  const named = columns?.flatMap((name) => fields.filter((field) => field.name === name)) ?? all
  const shown = named.filter(
    ({ secret, type, name }) => !secret && type !== 'id' && type !== 'manualOrder' && name !== by,
  )
  return [...shown.filter(({ name }) => name === title), ...shown.filter(({ name }) => name !== title)]
}

function columnsOf(resource: ResourceDescription, fields: readonly FieldDescription[]): GridColumn[] {
  return fields.map((field, i) => ({
    id: field.name,
    label: field.label,
    width: i === 0 ? 240 : 168,
    grows: growsIn(field),
    sortable: false,
    isFigure: isFigure(field) && i > 0,
    opens: i === 0,
    show: (row) => showField(resource, field, row),
  }))
}

type ChildProps = { readonly place: RecordPlace; readonly child: ChildDescription }

type ChildRowsProps = ChildProps & {
  readonly resource: ResourceDescription
  readonly fields: readonly FieldDescription[]
  readonly query: ListQuery
  readonly marked: Selected
}

function ChildRows({ place, child, resource, fields, query, marked }: ChildRowsProps) {
  const below = useMemo(() => ({ ...resource, path: `${pathAt(place)}/${child.path}` }), [resource, place, child])
  const list = useRows(below, query)
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data])
  const columns = useMemo(() => columnsOf(resource, fields), [resource, fields])
  const [first] = resource.list?.defaultSort ?? []
  const { moves, sheet } = useMoves(resource, {
    rows,
    sort: first ? `${first.descending ? '-' : ''}${first.field}` : '',
  })
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (list.error && !list.data) return <p className="problem">{sayError(list.error)}</p>
  if (list.isPending) return <p className="quiet">{t('loading')}</p>
  if (rows.length === 0) return <p className="quiet">{t('empty', { plural: inSentence(resource.plural) })}</p>
  const parts = resource.path === undefined ? [...place.parts, child.path] : [resource.slug]
  return (
    <div className="child-grid" style={{ height: Math.min(rows.length, rowsMax) * rowHeight + rowHeight + 18 }}>
      <Grid
        label={child.label}
        columns={columns}
        rows={rows}
        idField={resource.idField}
        total={hasNextPage ? undefined : rows.length}
        isLoading={list.isFetching}
        sort=""
        onSort={() => undefined}
        onMore={more}
        moves={moves}
        marked={marked}
        onOpen={(row) => go(hrefOf([...parts, String(row[resource.idField])]))}
      />
      {sheet}
    </div>
  )
}

type ChildListProps = ChildProps & { readonly resource: ResourceDescription; readonly mayCreate: boolean }

function ChildList({ place, child, resource, mayCreate }: ChildListProps) {
  const fields = useMemo(() => shownFields(resource, child.branch ? '' : child.by), [resource, child])
  const query = useMemo(() => naming(fields), [fields])
  const selects = useMemo(
    () => (child.branch ? {} : selectingBelow(place, child.by, resource)),
    [place, child, resource],
  )
  const [marked, setMarked] = useState(nothing)
  return (
    <section className="child">
      <div className="head">
        <h2>{child.label}</h2>
        {isLive(resource) && <LiveRows resource={resource} selects={selects} query={query} onMarked={setMarked} />}
        {mayCreate && (
          <button type="button" onClick={() => go(hrefOf([...place.parts, child.path, newId]))}>
            {t('create', { label: inSentence(resource.label) })}
          </button>
        )}
      </div>
      <ChildRows place={place} child={child} resource={resource} fields={fields} query={query} marked={marked} />
    </section>
  )
}

function Child({ place, child }: ChildProps) {
  const { data: resource } = useResource(child.resource)
  if (!resource) return null
  const may = (name: string) => child.operations.includes(name) && resource.operations.includes(name)
  if (!may(child.single ? 'get' : 'list')) return null
  if (!child.single && !resource.made)
    return <ChildList place={place} child={child} resource={resource} mayCreate={may('create')} />
  const parts = [...place.parts, child.path]
  return (
    <section className="child">
      <div className="head">
        <h2>{resource.made === 'history' ? t('history') : child.label}</h2>
        {child.single && <PlaceLink parts={parts} label={t('open', { label: child.label })} isHere={false} />}
      </div>
      {child.single && <SingleChild parts={parts} label={child.label} />}
      {resource.made === 'history' && <Versions place={place} child={child} versions={resource} />}
    </section>
  )
}

/** The form above shows the first of them: the list is here where there are more, or an order. */
function BeyondForm({ inBody, ...shown }: ChildProps & { readonly inBody: InBody }) {
  const { hasNextPage } = useStoredLines(inBody).list
  const hasOrder = inBody.resource.fields.some(({ type }) => type === 'manualOrder')
  return (hasNextPage || hasOrder) && <Child {...shown} />
}

export function Children({ place, can }: Pick<ChildProps, 'place'> & { readonly can: Can | null }) {
  const { data: resources = [] } = useResources()
  const nested = useInBody(place, can) ?? []
  const known = place.resource.children.filter((child) => resources.some(({ slug }) => slug === child.resource))
  return known.map((child) => {
    const inBody = nested.find((one) => one.child.name === child.name)
    if (inBody) return <BeyondForm key={child.name} place={place} child={child} inBody={inBody} />
    return <Child key={child.name} place={place} child={child} />
  })
}
