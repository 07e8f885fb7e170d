/** GraphQL by hand: one schema for one list, and a cache of compiled queries by their text. */
import type { FastifyInstance } from 'fastify'
import { buildSchema, type ExecutionResult, parse, validate } from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { ProductQueries } from './hand-written-lists.ts'

const schema = buildSchema(`
  type Product { id: ID! name: String! description: String category: String inStock: Boolean! stock: Int price: Float! createdAt: String! updatedAt: String! }
  type Meta { page: Int! limit: Int! total: Int! totalPages: Int! hasNextPage: Boolean! hasPrevPage: Boolean! }
  type ProductList { data: [Product!]! meta: Meta! }
  type Query {
    products(page: Int, limit: Int, sort: String, q: String, category: String, inStock: Boolean, minPrice: Float, maxPrice: Float): ProductList!
  }`)

const queriesMax = 1000

export function graphqlRoute(app: FastifyInstance, queries: ProductQueries): void {
  const products = schema.getQueryType()?.getFields().products
  if (products) products.resolve = (_root, query) => queries.list({ page: 1, limit: 20, ...query })
  const compiled = new Map<string, CompiledQuery>()

  function compile(text: string): CompiledQuery | ExecutionResult {
    const known = compiled.get(text)
    if (known) return known
    const document = parse(text)
    const errors = validate(schema, document)
    const made = errors.length > 0 ? { errors } : compileQuery(schema, document)
    if (!isCompiledQuery(made)) return made
    if (compiled.size === queriesMax) compiled.clear()
    compiled.set(text, made)
    return made
  }

  const body = { type: 'object', required: ['query'], properties: { query: { type: 'string' } } } as const
  app.post('/graphql', { schema: { body } }, async (request, reply) => {
    const { query, variables = {} } = request.body as { query: string; variables?: Record<string, unknown> }
    const made = compile(query)
    return isCompiledQuery(made) ? made.query({}, {}, variables) : reply.code(400).send(made)
  })
}
