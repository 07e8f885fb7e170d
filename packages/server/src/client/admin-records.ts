/**
 * The record operations that the adapters of react-admin and Refine share: pages, ids, and writes
 * that name the version that the user saw.
 */

import { type AnyRecord, makeEtagCache, type RecordLocation, type RecordReadOptions, withId } from './etag-cache.ts'
import { makeGivenFiles } from './files/given-files.ts'
import type { ApiConnection } from './make-connection.ts'
import { makePages, type PageRequestOptions, type PageResult } from './read-page.ts'
import { RequestError } from './request-error.ts'

export type RecordId = string | number
export type RecordValues = Readonly<Record<string, unknown>>
export type AdminOptions = {
  /** `/api/v1` unless given: a resource `things` is at `/api/v1/things`. */
  readonly prefix?: string
}

type WriteRequest = { readonly body?: RecordValues; readonly ifMatch?: string | undefined }

const idsMax = 100
const requestsAtOnce = 5
/**
 * The server refuses the request or has no such record for this caller. Any other error says
 * nothing about the record.
 */
const refusals: readonly number[] = [400, 403, 404, 405]

function isRefusal(error: unknown): boolean {
  return error instanceof RequestError && refusals.includes(error.status)
}

/**
 * Sends one request for each item, a few at a time. Throws the first error, with the number of
 * failures.
 */
export async function doEach<T>(items: readonly T[], ask: (item: T) => Promise<unknown>): Promise<AnyRecord[]> {
  const failures: unknown[] = []
  const results: unknown[] = []
  const waiting = [...items.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, item] = next
      try {
        results[at] = await ask(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, work))
  const [first] = failures
  if (first === undefined) return results
  if (!(first instanceof RequestError) || items.length === 1) throw first
  const { status, code, fields } = first
  throw new RequestError(`${failures.length} of ${items.length} failed: ${first.message}`, { status, code, fields })
}

export function makeAdminRecords(client: ApiConnection, { prefix = '/api/v1' }: AdminOptions = {}) {
  const readPage = makePages(client)
  const shown = makeEtagCache(client)
  const withFiles = makeGivenFiles(client, prefix)
  const pathOf = (resource: string) => (resource === '' ? prefix : `${prefix}/${resource}`)
  const locationOf = (resource: string, id: RecordId): RecordLocation => ({ path: pathOf(resource), id })

  async function page(
    resource: string,
    asked: PageRequestOptions,
  ): Promise<PageResult & { readonly data: AnyRecord[] }> {
    const found = await readPage(pathOf(resource), asked)
    const data = found.data.map(withId)
    for (const record of data) shown.note(locationOf(resource, record.id), record, undefined)
    return { ...found, data }
  }

  /** Leaves out records that do not exist, or not for this caller. */
  async function oneByOne(
    resource: string,
    ids: readonly RecordId[],
    signal: AbortSignal | undefined,
  ): Promise<AnyRecord[]> {
    const found = await doEach(ids, async (id) => {
      try {
        return await shown.get(locationOf(resource, id), { signal })
      } catch (error) {
        if (isRefusal(error)) return undefined
        throw error
      }
    })
    return found.filter((one) => one !== undefined)
  }

  async function send(method: string, location: RecordLocation, sent: WriteRequest): Promise<AnyRecord> {
    const answer = await client.send(method, `${location.path}/{id}`, { ...sent, path: { id: location.id } })
    const record = answer.body === undefined ? undefined : withId(answer.body)
    if (record === undefined) shown.forget(location)
    else shown.note(location, record, answer.etag)
    return record
  }

  return {
    page,
    one: (resource: string, id: RecordId, options?: RecordReadOptions) => shown.get(locationOf(resource, id), options),

    async many(resource: string, ids: readonly RecordId[], signal?: AbortSignal): Promise<AnyRecord[]> {
      const records: AnyRecord[] = []
      for (let from = 0; from < ids.length; from += idsMax) {
        const part = ids.slice(from, from + idsMax)
        try {
          const query = { 'id[in]': part }
          records.push(...(await page(resource, { page: 1, size: idsMax, query, signal })).data)
        } catch (error) {
          // A caller who may not list records may still read single ones.
          if (!isRefusal(error)) throw error
          records.push(...(await oneByOne(resource, part, signal)))
        }
      }
      return records
    },

    async make(resource: string, body: RecordValues): Promise<AnyRecord> {
      const answer = await client.send('POST', pathOf(resource), { body: await withFiles(resource, body) })
      const record = withId(answer.body)
      shown.note(locationOf(resource, record.id), record, answer.etag)
      return record
    },

    async change(resource: string, id: RecordId, { body = {}, ...sent }: WriteRequest) {
      return send('PATCH', locationOf(resource, id), { ...sent, body: await withFiles(resource, body) })
    },

    remove: (resource: string, id: RecordId, ifMatch?: string) => send('DELETE', locationOf(resource, id), { ifMatch }),

    /**
     * `before`: the record that the user saw, or else the one that was shown last. Throws
     * `RequestError` (412) when it has changed since.
     */
    versionOf: (resource: string, id: RecordId, before?: RecordValues) =>
      shown.versionOf(locationOf(resource, id), before),

    /** `act('things', 7, { action: 'close' })` */
    async act(resource: string, id: RecordId, { action, data }: { readonly action: string; readonly data?: unknown }) {
      const path = { id, action }
      return (await client.send('POST', `${pathOf(resource)}/{id}/{action}`, { path, body: data })).body as AnyRecord
    },
  }
}
