/**
 * The record of an address. Records that are reached only below others have an address below them:
 * `/clubs/{id}/teams/{id}`, and `/clubs/{id}/settings` where there is one.
 */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { client } from '../api/client.ts'
import { resourceQuery } from '../api/declarations.ts'
import { queries } from '../api/queries.ts'
import type { Located } from '../api/rows.ts'
import { selectingBy } from '../live/selecting.ts'
import { t } from '../words/words.ts'

export const newId = '_new'

const writes: readonly string[] = ['create', 'replace', 'update', 'delete']

export type RecordPlace = {
  /** Its path is that of the address. */
  readonly resource: Located
  readonly id: string
  /** There is one at most, and its path has no id of its own. */
  readonly isSingle: boolean
  /** Its resource has an address of its own. */
  readonly isOwn: boolean
  /** Its address, and that of the list or the record that it stands in. */
  readonly parts: readonly string[]
  readonly above: readonly string[]
  readonly aboveLabel: string
  /** The parameters that select it among the changes of its resource. */
  readonly selects: ListQuery
  /** Fields of a new record whose values its path gives. */
  readonly given: readonly string[]
  /** The id of the person who is logged in. */
  readonly person: string
}

function describe(slug: string): Promise<ResourceDescription> {
  return queries.fetchQuery(resourceQuery(slug))
}

/** The path of a record below `/api/v1`. */
export function pathAt({ resource, id }: Pick<RecordPlace, 'resource' | 'id'>): string {
  return `${resource.path}/${encodeURIComponent(id)}`
}

/** Selects the records below one. A path without an id has none to filter by. */
export function selectingBelow(
  { isSingle, id }: Pick<RecordPlace, 'isSingle' | 'id'>,
  by: string,
  { fields }: ResourceDescription,
): ListQuery {
  return isSingle ? {} : selectingBy(fields, by, id)
}

async function below(place: RecordPlace, segment: string, id: string | undefined): Promise<RecordPlace> {
  const child = place.resource.children.find(({ path }) => path === segment)
  if (!child || (id === undefined && !child.single)) throw new Error(t('notFound'))
  const found = await describe(child.resource)
  // Below a record there may be fewer operations than in lists of their own.
  const operations = found.operations.filter((name) => !writes.includes(name) || child.operations.includes(name))
  const described = { ...found, operations }
  const { parts: above, person } = place
  const aboveLabel = place.resource.label
  const shared = { above, aboveLabel, person, isSingle: child.single, given: [child.by] }
  if (child.single) {
    const resource = { ...described, path: pathAt(place), segment: child.path }
    const selects = selectingBelow(place, child.by, found)
    return { ...shared, resource, selects, id: child.path, isOwn: false, parts: [...above, child.path] }
  }
  const resource = { ...described, path: `${pathAt(place)}/${child.path}` }
  const parts = [...above, child.path, id as string]
  const selects = selectingBy(found.fields, found.idField, id as string)
  return { ...shared, resource, selects, id: id as string, isOwn: described.path !== undefined, parts }
}

/** The only record of a resource: its path has no id. */
function onlyOf(resource: ResourceDescription, person: string): RecordPlace {
  const { slug, plural } = resource
  const id = (resource.path ?? '').slice(1)
  const located = { ...resource, path: '', segment: id }
  const place = { resource: located, id, isSingle: true, isOwn: true, parts: [slug], selects: {} }
  return { ...place, above: [], aboveLabel: plural, given: [], person }
}

async function find([slug, id, ...rest]: readonly string[]): Promise<RecordPlace> {
  const [resource, session] = await Promise.all([describe(slug as string), client.session()])
  const person = session?.userId ?? ''
  if (resource.single) return walk(onlyOf(resource, person), id === undefined ? [] : [id, ...rest])
  return walk(placeOf(resource, { id: id as string, person }), rest)
}

type Named = Pick<RecordPlace, 'id' | 'person'>

function placeOf(resource: ResourceDescription, { id, person }: Named): RecordPlace {
  const { slug } = resource
  return {
    resource,
    id,
    isSingle: false,
    isOwn: true,
    selects: selectingBy(resource.fields, resource.idField, id),
    parts: [slug, id],
    above: [slug],
    aboveLabel: resource.plural,
    given: [],
    person,
  }
}

async function walk(first: RecordPlace, rest: readonly string[]): Promise<RecordPlace> {
  let place = first
  for (let left = rest; left.length > 0; ) {
    const [segment, childId] = left
    place = await below(place, segment as string, childId)
    left = left.slice(place.isSingle ? 1 : 2)
  }
  return place
}

export function useRecordPlace(parts: readonly string[]) {
  return useQuery({ queryKey: ['_place', ...parts], staleTime: 0, queryFn: () => find(parts) })
}
