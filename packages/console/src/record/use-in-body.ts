/** The children that the form of a record has, and their stored records. */
import { useQueries } from '@tanstack/react-query'
import type { ChildDescription, ResourceDescription } from 'bindery-server/client'
import { useMemo } from 'react'
import { tenantHere } from '../address/router.ts'
import { resourceQuery, useResources } from '../api/declarations.ts'
import { queries } from '../api/queries.ts'
import { naming } from '../api/requested-fields.ts'
import { rowsKey, useRows } from '../api/rows.ts'
import type { InBody } from './line-edits.ts'
import { newId, pathAt, type RecordPlace, selectingBelow } from './record-place.ts'
import type { Can } from './use-can.ts'

function inBodyOf(place: RecordPlace, child: ChildDescription, described: ResourceDescription): InBody {
  const operations = described.operations.filter((name) => child.operations.includes(name))
  const resource = { ...described, operations, path: `${pathAt(place)}/${child.path}` }
  const kinds = (['create', 'update'] as const).filter((kind) => operations.includes(kind))
  const named = [child.by, ...(tenantHere() === undefined ? [] : [described.tenantField])]
  // An order is changed by moves in the list.
  const fields = described.fields.filter(
    ({ name, type, settable }) =>
      !named.includes(name) && type !== 'manualOrder' && kinds.some((kind) => settable.includes(kind)),
  )
  const isTitle = ({ name }: { readonly name: string }) => name === described.title
  return {
    child,
    resource,
    isOwn: described.path !== undefined,
    selects: selectingBelow(place, child.by, described),
    fields: [...fields.filter(isTitle), ...fields.filter((field) => !isTitle(field))],
  }
}

/** Those of which the caller may write something here. Undefined until it is known. */
export function useInBody(place: RecordPlace, can: Can | null | undefined): readonly InBody[] | undefined {
  const { resource, id } = place
  const { data: resources } = useResources()
  const isNew = id === newId
  const isOpen = isNew || (resource.operations.includes('update') && can?.update !== false)
  const children = resource.children.filter(
    (child) => isOpen && child.inBody && resources?.some(({ slug }) => slug === child.resource),
  )
  const described = useQueries({ queries: children.map((child) => resourceQuery(child.resource)) })
  if (!resources || described.some(({ isPending }) => isPending)) return undefined
  const writes = isNew ? ['create'] : ['create', 'update', 'delete']
  return children.flatMap((child, i) => {
    const data = described[i]?.data
    const one = data && inBodyOf(place, child, data)
    return one?.resource.operations.some((name) => writes.includes(name)) ? [one] : []
  })
}

/** The first page of the stored ones, each with what the caller may do to it, and its query. */
export function useStoredLines({ resource, fields }: InBody) {
  const id = resource.fields.filter(({ name }) => name === resource.idField)
  const { fields: names } = naming([...id, ...fields])
  const query = useMemo(() => ({ expand: 'can', ...(names !== undefined && { fields: names }) }), [names])
  return { list: useRows(resource, query), query }
}

/** The saved lines are shown before the edits of them go. */
export async function readLines(nested: readonly InBody[]): Promise<void> {
  await Promise.all(nested.map(({ resource }) => queries.invalidateQueries({ queryKey: rowsKey(resource.slug) })))
}
