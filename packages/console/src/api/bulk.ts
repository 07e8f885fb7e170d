/** One write for many records: by their filter in one request, else by a hundred ids at a time. */
import type { ResourceDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { client } from './client.ts'
import { forgetRows, nextOf, pageOf, pagingOf, type Row } from './rows.ts'

/** The limits of the server: records of a write by a filter, and operations of a batch. */
export const filteredMax = 1_000
const idsAtOnce = 100

export type BulkWrite = { readonly method: 'PATCH' | 'DELETE'; readonly body?: Row }
export type Progress = (done: number, all: number) => void

const listPath = ({ path }: ResourceDescription) => `/api/v1${path}`

/** The server writes all or none, and counts without writing for `isTry`. Returns the count. */
export async function writeByFilter(
  resource: ResourceDescription,
  { method, body }: BulkWrite,
  { query, isTry = false }: { readonly query: ListQuery; readonly isTry?: boolean },
): Promise<number> {
  const { sort: _, fields: __, ...filters } = query
  const answer = await client.send(method, listPath(resource), {
    query: { ...filters, limit: filteredMax },
    body,
    ...(isTry && { headers: { Prefer: 'dry-run' } }),
  })
  const { updated, deleted } = answer.body as { updated?: number; deleted?: number }
  return updated ?? deleted ?? 0
}

/** All records that the query finds, page after page. */
export async function readAll(resource: ResourceDescription, query: ListQuery, onFound: Progress): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined = ''
  for (let pages = 1; cursor !== undefined; pages += 1) {
    const asked: Row = { ...query, ...pagingOf(resource, cursor) }
    const page = pageOf((await client.send('GET', listPath(resource), { query: asked })).body)
    for (const row of page.data) rows.push(row)
    onFound(0, rows.length)
    cursor = nextOf(resource, page, pages)
  }
  return rows
}

export async function idsOf(resource: ResourceDescription, query: ListQuery, onFound: Progress): Promise<string[]> {
  const { idField } = resource
  return (await readAll(resource, { ...query, fields: idField }, onFound)).map((row) => String(row[idField]))
}

/** A declaration may name its filters, and leave out the id. */
function findsByIds({ list, fields, idField }: ResourceDescription): boolean {
  return Boolean(list?.bulk) && fields.some(({ name, operators }) => name === idField && operators.includes('in'))
}

async function writePart(resource: ResourceDescription, { method, body }: BulkWrite, ids: readonly string[]) {
  if (findsByIds(resource)) {
    const query = { [`${resource.idField}[in]`]: ids.join(','), limit: ids.length }
    return client.send(method, listPath(resource), { query, body })
  }
  const operations = ids.map((id) => ({
    method,
    path: `${resource.path}/${encodeURIComponent(id)}`,
    ...(body && { body }),
  }))
  return client.send('POST', '/api/v1/batch', { body: { operations } })
}

/** Each hundred is one transaction. Throws the first error; the hundreds before it are written. */
export async function writeByIds(
  resource: ResourceDescription,
  write: BulkWrite,
  { ids, onDone }: { readonly ids: readonly string[]; readonly onDone: Progress },
): Promise<void> {
  try {
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      await writePart(resource, write, ids.slice(at, at + idsAtOnce))
      onDone(Math.min(at + idsAtOnce, ids.length), ids.length)
    }
  } finally {
    forgetRows(resource)
  }
}
