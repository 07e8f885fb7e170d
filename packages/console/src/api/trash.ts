/** The trash of a list: its records, which come back or end. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { RequestError, type ResourceDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { client } from './client.ts'
import { queries } from './queries.ts'
import { forgetRows, nextOf, pageOf, pagingOf, type Row, type RowPage } from './rows.ts'

const keyOf = ({ slug }: ResourceDescription) => [slug, 'trash']
const pathOf = ({ path }: ResourceDescription) => `/api/v1${path}`

/** Page after page, with what the caller may do with each record where the server tells. */
export function useTrash(resource: ResourceDescription, query: ListQuery) {
  return useInfiniteQuery({
    queryKey: [...keyOf(resource), query],
    initialPageParam: '',
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }): Promise<RowPage> => {
      const asked = { ...query, _trash: 'only', expand: 'can', ...pagingOf(resource, pageParam) }
      return pageOf((await client.send('GET', pathOf(resource), { query: asked, signal })).body)
    },
    getNextPageParam: (last, pages) => nextOf(resource, last, pages.length),
  })
}

function forget(resource: ResourceDescription): void {
  forgetRows(resource)
  void queries.invalidateQueries({ queryKey: keyOf(resource) })
}

export function canRestore({ operations, path }: ResourceDescription): boolean {
  return path !== undefined && operations.includes('restore')
}

async function restore(resource: ResourceDescription, id: string): Promise<Row> {
  const answer = await client.send('POST', `${pathOf(resource)}/{id}/restore`, { path: { id } })
  return answer.body as Row
}

export async function restoreRecord(resource: ResourceDescription, id: string): Promise<Row> {
  const row = await restore(resource, id)
  void queries.resetQueries({ queryKey: [resource.slug, 'record', id] })
  forget(resource)
  return row
}

/** It is gone for good afterwards. */
export async function purgeRecord(resource: ResourceDescription, id: string): Promise<void> {
  await client.send('DELETE', `${pathOf(resource)}/{id}`, { path: { id }, query: { _trash: 'skip' } })
  forget(resource)
}

/** Id → why it did not come back. */
type Refused = Map<string, string>

const atOnce = 100

function isRefusal(error: unknown): error is RequestError {
  return error instanceof RequestError && error.status >= 400 && error.status < 500 && error.status !== 429
}

/** A record may have come back with another one: then there is none in the trash. */
async function isThere(resource: ResourceDescription, id: string): Promise<boolean> {
  const asked = client.send('GET', `${pathOf(resource)}/{id}`, { path: { id }, query: { fields: resource.idField } })
  return asked.then(
    () => true,
    () => false,
  )
}

/** All of them in one transaction; where one is refused, each half by itself. */
async function restorePart(resource: ResourceDescription, ids: readonly string[], refused: Refused): Promise<void> {
  try {
    if (ids.length === 1) await restore(resource, ids[0] as string)
    else {
      const operations = ids.map((id) => ({
        method: 'POST',
        path: `${resource.path}/${encodeURIComponent(id)}/restore`,
      }))
      await client.send('POST', '/api/v1/batch', { body: { operations } })
    }
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (ids.length === 1) {
      const [id = ''] = ids
      if (error.status !== 404 || !(await isThere(resource, id))) refused.set(id, error.message)
      return
    }
    const half = Math.ceil(ids.length / 2)
    await restorePart(resource, ids.slice(0, half), refused)
    await restorePart(resource, ids.slice(half), refused)
  }
}

async function restoreAll(resource: ResourceDescription, ids: readonly string[]): Promise<Refused> {
  const refused: Refused = new Map()
  for (let at = 0; at < ids.length; at += atOnce) await restorePart(resource, ids.slice(at, at + atOnce), refused)
  return refused
}

/**
 * Brings back as many as can. The last that went is the first to come back; one that needs another
 * of them is tried again after it. Returns the reasons of the others.
 */
export async function restoreMany(resource: ResourceDescription, ids: readonly string[]): Promise<Refused> {
  let left = ids.toReversed()
  try {
    for (;;) {
      const refused = await restoreAll(resource, left)
      if (refused.size === 0 || refused.size === left.length) return refused
      left = [...refused.keys()]
    }
  } finally {
    void queries.resetQueries({ queryKey: [resource.slug, 'record'] })
    forget(resource)
  }
}
