/**
 * The same routes written by hand, as a good engineer would without Bindery: Fastify with schemas,
 * node:sqlite with prepared statements, an index for each query. No response cache, no policy, no
 * change log. Arguments: port, file.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import Fastify from 'fastify'
import { graphqlRoute } from './hand-written-graphql.ts'
import { makeProductQueries } from './hand-written-lists.ts'
import { checkToken, keyCheck, signToken } from './hand-written-tokens.ts'
import { importLines, makeWrites } from './hand-written-writes.ts'

const [port, file] = process.argv.slice(2) as [string, string]
const database = new DatabaseSync(file, { timeout: 5000 })
database.exec(
  'PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY',
)
const statements = new Map<string, StatementSync>()

/** Prepared once for each text. */
function prepare(sql: string): StatementSync {
  const known = statements.get(sql)
  if (known) return known
  const made = database.prepare(sql)
  statements.set(sql, made)
  return made
}

const text = { type: 'string' } as const
const maybe = { type: ['string', 'null'] } as const
const whole = { type: 'integer' } as const
const product = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    description: maybe,
    category: maybe,
    inStock: { type: 'boolean' },
    stock: { type: ['integer', 'null'] },
    price: { type: 'number' },
    createdAt: text,
    updatedAt: text,
  },
} as const
const page = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    data: { type: 'array', items: product },
    meta: {
      type: 'object',
      properties: {
        page: whole,
        limit: whole,
        total: whole,
        totalPages: whole,
        hasNextPage: { type: 'boolean' },
        hasPrevPage: { type: 'boolean' },
      },
    },
  },
} as const
const error = { type: 'object', properties: { error: text } } as const
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 } as const
const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    limit,
    sort: { type: 'string', pattern: '^-?[a-zA-Z]+(,-?[a-zA-Z]+)*$' },
    category: text,
    inStock: { type: 'boolean' },
    minPrice: { type: 'number' },
    maxPrice: { type: 'number' },
    q: text,
  },
} as const
const writeBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 1000 },
    description: { type: 'string', maxLength: 1000 },
    category: { type: 'string', maxLength: 1000 },
    price: { type: 'number', minimum: 0 },
    stock: { type: ['integer', 'null'], minimum: 0 },
    inStock: { type: 'boolean' },
  },
} as const

const app = Fastify({ logger: false })
const queries = makeProductQueries(prepare)
const writes = makeWrites(prepare)
const onRequest = keyCheck(database)
const base = '/api/v1/products'

app.get('/livez', async () => ({ status: 'ok' }))
app.get(base, { schema: { querystring: listQuery, response: { 200: page } } }, async (request) =>
  queries.list(request.query as never),
)
app.get(`${base}/:id`, { schema: { response: { 200: product, 404: error } } }, async (request, reply) => {
  const found = queries.find((request.params as { id: string }).id)
  return found ?? reply.code(404).send({ error: 'Product not found' })
})
app.post(
  base,
  { onRequest, schema: { body: { ...writeBody, required: ['name', 'price'] }, response: { 201: product } } },
  async (request, reply) => reply.code(201).send(queries.find(writes.create(request.body as never))),
)
app.patch(
  `${base}/:id`,
  { onRequest, schema: { body: writeBody, response: { 200: product, 404: error } } },
  async (request, reply) => {
    const { id } = request.params as { id: string }
    if (!writes.update(id, request.body as never)) return reply.code(404).send({ error: 'Product not found' })
    return queries.find(id)
  },
)
app.addContentTypeParser('application/x-ndjson', (_request, payload, done) => done(null, payload))
app.post(`${base}/import`, { onRequest }, async (request) => importLines(database, writes, request.body as never))

/** LIKE is answered from the trigrams. */
const booksByAuthor = `SELECT id, title, author, year FROM books
  WHERE id IN (SELECT rowid FROM books_authors WHERE author LIKE ?) ORDER BY id`
app.get(
  '/books',
  { schema: { querystring: { type: 'object', required: ['author'], properties: { author: text } } } },
  async (request) => {
    const { author } = request.query as { author: string }
    const data = prepare(booksByAuthor).all(`%${author}%`)
    return { data, count: data.length }
  },
)

/** Each side is a walk of its own index that stops at the limit; the two are merged. */
const ownMessages = (after: string) => `
  SELECT * FROM (SELECT * FROM messages WHERE sender_id = ?1 ${after} ORDER BY id DESC LIMIT ?2)
  UNION SELECT * FROM (SELECT * FROM messages WHERE recipient_id = ?1 ${after} ORDER BY id DESC LIMIT ?2)
  ORDER BY id DESC LIMIT ?2`
const messageQuery = { type: 'object', properties: { limit, cursor: text } } as const
app.get('/messages', { schema: { querystring: messageQuery } }, async (request, reply) => {
  const userId = checkToken(request.headers.authorization)
  if (!userId) return reply.code(401).send({ error: 'Invalid token' })
  const { limit, cursor } = request.query as { limit: number; cursor?: string }
  const values: SQLInputValue[] = cursor ? [userId, limit + 1, cursor] : [userId, limit + 1]
  const rows = prepare(ownMessages(cursor ? 'AND id < ?3' : '')).all(...values)
  const data = rows.slice(0, limit).map((row) => ({
    _id: row.id,
    senderId: row.sender_id,
    recipientId: row.recipient_id,
    text: row.text,
    createdAt: row.created_at,
  }))
  return { data, meta: { limit, nextCursor: rows.length > limit ? data.at(-1)?._id : null } }
})

graphqlRoute(app, queries)

/** For the benchmark: credentials of the first reader, without asking who wants them. */
app.post('/auth/bench', async () => {
  const user = prepare("SELECT id FROM users WHERE email = 'reader0@bench.example'").get() as { id: string }
  return { token: signToken(user.id), key: 'hand-written' }
})

await app.listen({ port: Number(port), host: '127.0.0.1' })
process.on('SIGTERM', () => app.close().then(() => process.exit(0)))
