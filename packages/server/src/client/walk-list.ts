/**
 * All pages of a list, one after the other: by cursor, so that writes in between neither hide nor
 * repeat a record; by page where asked.
 */
import { RequestError } from './request-error.ts'

/** What every list answers, whatever its style. */
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
    // A list that counts nothing has ended where a page is not full.
    const { hasNextPage = answer.data.length >= fullPage } = answer.meta ?? {}
    if (!hasNextPage) return
  }
}

/**
 * `query` without `limit` takes as many records a page as there may be. A list without a cursor is
 * read in one answer.
 */
export async function* walk(read: ReadPage, { limit = largestLimit, ...query }: Query): AsyncGenerator<ListEnvelope> {
  if (query.page !== undefined) return yield* walkPages(read, { ...query, limit })
  let answer: ListEnvelope
  try {
    answer = await read({ cursor: '', ...query, limit })
  } catch (error) {
    if (!(error instanceof RequestError && error.status === 400) || query.cursor !== undefined) throw error
    // A list without a cursor refuses it, and has all records in one answer. What else was wrong is
    // wrong again.
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
