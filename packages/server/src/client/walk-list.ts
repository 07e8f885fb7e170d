/**
 * Iterates over all pages of a list: by cursor, so that concurrent writes neither hide nor repeat a
 * record; by page on request.
 */
import { RequestError } from './request-error.ts'

/** The body of every list response, in any style. */
export type ListEnvelope = {
  readonly data: readonly unknown[]
  readonly meta?: { readonly nextCursor?: string | null; readonly hasNextPage?: boolean }
}

type Query = Readonly<Record<string, unknown>>
export type ReadPage = (query: Query) => Promise<ListEnvelope>

const largestLimit = 100

async function* walkPages(read: ReadPage, query: Query): AsyncGenerator<ListEnvelope> {
  const fullPage = Math.min(Number(query.limit), largestLimit)
  for (let page = Number(query.page); ; page += 1) {
    const answer = await read({ ...query, page })
    yield answer
    // A list that does not count ends with a page that is not full.
    const { hasNextPage = answer.data.length >= fullPage } = answer.meta ?? {}
    if (!hasNextPage) return
  }
}

/** Without `limit` it takes the largest page. A list without a cursor is read in one response. */
export async function* walk(read: ReadPage, { limit = largestLimit, ...query }: Query): AsyncGenerator<ListEnvelope> {
  if (query.page !== undefined) return yield* walkPages(read, { ...query, limit })
  let answer: ListEnvelope
  try {
    answer = await read({ cursor: '', ...query, limit })
  } catch (error) {
    if (!(error instanceof RequestError && error.status === 400) || query.cursor !== undefined) throw error
    // A list without cursors refuses one, and returns all records in one response. Any other error
    // occurs again.
    yield await read(query)
    return
  }
  for (;;) {
    yield answer
    const cursor = answer.meta?.nextCursor
    if (!cursor) return
    answer = await read({ ...query, limit, cursor })
  }
}
