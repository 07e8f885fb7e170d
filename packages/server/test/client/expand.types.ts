/** Compile-time tests: the type of a response follows from the relations that its query expands. */
import { createClient } from 'bindery-server/client'

type Ok<T> = { responses: { 200: { content: { 'application/json': T } } } }
type Author = { id: string; name: string }
type Work = { id: string; pages: number; author?: Author | null; can?: { get: boolean; update: boolean } }
type Copy = { id: string; place: string; work?: Work | null }
type Reader = { id: string; email: string; copies?: Copy[]; friend?: Reader | null }
type Query = { expand?: string; fields?: ('id' | 'email')[]; cursor?: string; page?: number }
type paths = {
  '/readers': {
    get: { parameters: { query?: Query } } & Ok<
      { data: Reader[]; meta: { total: number } } | { data: Reader[]; meta: { nextCursor: string | null } }
    >
  }
  '/readers/{id}': { get: { parameters: { path: { id: string }; query?: Query } } & Ok<Reader> }
  '/works': { get: Ok<{ data: Work[] }> }
  '/works/{id}': {
    get: { parameters: { path: { id: string }; query?: { expand?: string } } } & Ok<Work>
  }
}

export async function read(): Promise<void> {
  const client = createClient<paths>({ url: 'http://localhost' })
  const expand = 'copies(limit:10).work.author, friend'
  const { data, meta } = await client.get('/readers', { query: { expand } })
  const [reader] = data
  if (!reader) return
  reader.copies.map(({ work }): string | undefined => work?.author?.name)
  // @ts-expect-error a friend may be one that the caller does not see
  reader.friend.email
  // @ts-expect-error nobody asked for the friend's copies
  reader.friend?.copies.length
  meta.total satisfies number
  // @ts-expect-error a page has no cursor
  meta.nextCursor

  const plain = await client.get('/readers', { query: { cursor: '' } })
  plain.meta.nextCursor satisfies string | null
  // @ts-expect-error without `expand` there may be none
  plain.data[0]?.copies.length

  const path = { id: '1' }
  const one = await client.get('/readers/{id}', {
    path,
    query: { expand: ['copies.work', 'friend'], fields: ['email'] },
  })
  one.email satisfies string
  one.copies.map(({ place, work }): [string, number | undefined] => [place, work?.pages])
  const narrow = await client.get('/readers/{id}', { path, query: { fields: 'email' } })
  // @ts-expect-error not among the fields
  narrow.copies

  const work = await client.get('/works/{id}', { path, query: { expand: ['can'] } })
  work.can.update satisfies boolean
  // @ts-expect-error the work has no such operation
  work.can.burn
  const bare = await client.get('/works/{id}', { path })
  // @ts-expect-error without `expand` there may be none
  bare.can.update

  for await (const { copies } of client.all('/readers', { query: { expand: 'copies' } })) copies.length satisfies number
  // @ts-expect-error this list expands nothing
  await client.get('/works', { query: { expand: 'author' } })
}
