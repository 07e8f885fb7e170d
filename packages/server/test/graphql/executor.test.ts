/**
 * Compiled and plain execution give the same results: graphql-jit against graphql's own executor,
 * on a schema with every special case.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  buildSchema,
  execute,
  type GraphQLError,
  type GraphQLObjectType,
  getIntrospectionQuery,
  parse,
  validate,
  valueFromASTUntyped,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { ApiError } from '../../src/errors.ts'
import { makeDocumentCache } from '../../src/graphql/documents/document.ts'
import { executeDocument } from '../../src/graphql/execute.ts'
import { representError } from '../../src/graphql/graphql-error.ts'
import { makeSchema } from '../../src/graphql/schema/make-schema.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { resources } from '../application/resources/index.ts'
import { shortOr } from '../helpers/long.ts'

const schema = buildSchema(`
  enum Color { RED GREEN }
  input Inner { at: Int, tags: [String!] }
  input Filter { color: Color = GREEN, inner: Inner, needed: Boolean! }
  type Node { id: ID!, name: String, fails: String, failsHard: String!, matrix: [[Int]], strict: [[Int!]!]!, color: Color, children(limit: Int = 2): [Node!]!, maybe: Node, sure: Node! }
  type Query { node(id: ID): Node, nodes(limit: Int = 3, filter: Filter): [Node!]!, echo(filter: Filter, list: [Int!], text: String = "d", n: Float): String, boom: String, hard: Node! }
  type Mutation { add(n: Int!): Int, addBroken: Int!, total: Int }
`)

/**
 * graphql-jit 0.8.9 overlooks defaults that were written in SDL (graphql 17 keeps them as
 * literals), and defaults inside the default of a variable. The real schema has no defaults at all
 * (a test below makes sure); here they are turned into values.
 */
for (const type of Object.values(schema.getTypeMap())) {
  if (type.name.startsWith('__')) continue
  const fields = 'getFields' in type ? Object.values(type.getFields()) : []
  const withDefaults = fields.flatMap((field) => ('args' in field ? field.args : [field]))
  for (const one of withDefaults) {
    if (one.default?.literal) Object.assign(one, { default: { value: valueFromASTUntyped(one.default.literal) } })
  }
}

let total = 0
function node(id: number): Record<string, unknown> {
  return {
    id,
    name: id % 2 ? `n${id}` : null,
    fails: () => Promise.reject(new ApiError('conflict', `no ${id}`)),
    failsHard: () => {
      throw new ApiError('forbidden', 'Insufficient permissions', { requiredRoles: ['ADMIN'] })
    },
    matrix: [[1, null], null, []],
    strict: [[id], []],
    color: 'RED',
    children: ({ limit }: { limit: number }) => Array.from({ length: limit }, (_, i) => node(id * 10 + i)),
    maybe: () => (id > 5 ? null : Promise.resolve(node(id + 1))),
    sure: () => (id > 5 ? null : node(id + 1)),
  }
}

const rootFields: Record<string, (args: never) => unknown> = {
  node: ({ id }: { id?: string }) => (id === undefined ? null : node(Number(id))),
  nodes: async ({ limit }: { limit: number }) => Array.from({ length: limit }, (_, i) => node(i)),
  echo: (args: Record<string, unknown>) => JSON.stringify(Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))),
  boom: () => {
    throw new Error('secret')
  },
  hard: () => null,
  add: async ({ n }: { n: number }) => {
    const before = total
    await new Promise((resolve) => setImmediate(resolve))
    total = before + n
    return total
  },
  addBroken: () => null,
  total: () => total,
}
// Compiled code reads a field without a resolver as a property and never calls it. Our own fields
// are all properties; these are functions.
for (const name of ['fails', 'failsHard', 'children', 'maybe', 'sure']) {
  const field = (schema.getType('Node') as GraphQLObjectType).getFields()[name]
  if (field) field.resolve = (source, args) => source[name](args)
}
for (const type of [schema.getQueryType(), schema.getMutationType()] as GraphQLObjectType[]) {
  for (const [name, field] of Object.entries(type.getFields()))
    field.resolve = (_source, args) => rootFields[name]?.(args as never)
}

type Case = [name: string, query: string, variables?: Record<string, unknown>, operationName?: string]
const cases: Case[] = [
  [
    'scalars, nulls and aliases',
    '{ a: node(id: 3) { id name other: name color } b: node { id } c: node(id: "4") { name } }',
  ],
  ['lists of lists', '{ nodes { matrix strict } }'],
  [
    'variables with defaults',
    'query ($limit: Int = 4, $inner: Inner = { tags: ["x"] }) { nodes(limit: $limit) { id } echo(filter: { needed: true, inner: $inner }) }',
  ],
  [
    'defaults of inputs and arguments',
    '{ echo(filter: { needed: false }) other: echo(list: [1, 2], n: 3) third: echo(filter: { needed: true, inner: {} }) }',
  ],
  [
    'variables given',
    'query ($f: Filter, $l: [Int!], $t: String) { echo(filter: $f, list: $l, text: $t) }',
    { f: { needed: true, color: 'RED', inner: { at: null } }, l: [1] },
  ],
  ['one value for a list', 'query ($l: [Int!]) { echo(list: $l) }', { l: 5 }],
  ['null variables', 'query ($t: String, $f: Filter) { echo(text: $t, filter: $f) }', { t: null }],
  [
    'fragments, nested and repeated',
    'query { nodes { ...A ...B } } fragment A on Node { id children(limit: 2) { ...C } } fragment C on Node { id matrix } fragment B on Node { name children(limit: 2) { id ... on Node { name } } }',
  ],
  ['merged fields', '{ node(id: 1) { children { id } } node(id: 1) { children { name } name } }'],
  [
    'skip and include',
    'query ($yes: Boolean!, $no: Boolean = false) { node(id: 1) { id @include(if: $yes) name @skip(if: $yes) ... @include(if: $no) { color } ...A @skip(if: $no) } } fragment A on Node { matrix }',
    { yes: true },
  ],
  ['errors in nullable fields', '{ nodes { id fails } }'],
  [
    'errors that pass upwards',
    '{ node(id: 1) { id maybe { failsHard } } nodes(limit: 1) { maybe { maybe { id failsHard } } } }',
  ],
  ['errors in lists of what is never null', '{ nodes { id children { failsHard } } }'],
  ['null for what is never null', '{ node(id: 5) { id sure { id sure { id } } } }'],
  ['the root is lost', '{ node(id: 1) { id } hard { id } }'],
  ['faults', '{ boom node(id: 1) { id } }'],
  ['typename', '{ __typename node(id: 1) { __typename t: __typename } }'],
  ['operations by name', 'query A { node(id: 1) { id } } query B { node(id: 2) { id } }', undefined, 'B'],
  ['mutations one after another', 'mutation { a: add(n: 1) b: add(n: 10) total c: add(n: 100) }'],
  ['a mutation that fails', 'mutation { a: add(n: 1) addBroken total }'],
  ['introspection', getIntrospectionQuery()],
  [
    'introspection of a type',
    '{ __type(name: "Filter") { name inputFields { name defaultValue type { kind ofType { name } } } } __schema { queryType { name } } }',
  ],
  ['a variable of the wrong type', 'query ($l: [Int!]) { echo(list: $l) }', { l: ['x'] }],
  ['a missing variable', 'query ($id: ID!) { node(id: $id) { id } }'],
  ['an unknown enum value', 'query ($f: Filter) { echo(filter: $f) }', { f: { needed: true, color: 'BLUE' } }],
  ['an unknown input field', 'query ($f: Filter) { echo(filter: $f) }', { f: { needed: true, nope: 1 } }],
  ['a number beyond Int', 'query ($limit: Int) { nodes(limit: $limit) { id } }', { limit: 3_000_000_000 }],
]

/**
 * The response as the caller sees it. The order in which concurrent fields fail is not guaranteed.
 */
function shown(result: { data?: unknown; errors?: readonly GraphQLError[] }) {
  const errors = (result.errors ?? []).map((error) => {
    const { message, path, extensions } = representError(error)
    // Each executor has its own messages about variables, which name the field; the path and the
    // kind of error must be the same.
    return path ? { message, path, extensions } : { message: '', path, extensions: { code: extensions?.code } }
  })
  return {
    data: result.data ?? null,
    errors: errors.sort((a, b) => (JSON.stringify(a.path) < JSON.stringify(b.path) ? -1 : 1)),
  }
}

describe('compiled and plain execution', () => {
  for (const [name, query, variables, operationName] of cases) {
    it(name, async () => {
      const document = parse(query)
      assert.deepEqual(validate(schema, document), [])
      const compiled = compileQuery(schema, document, operationName)
      assert.ok(isCompiledQuery(compiled), 'it compiles')
      total = 0
      const plain = await execute({ schema, document, variableValues: variables, operationName })
      total = 0
      const fast = await compiled.query(undefined, undefined, variables ?? {})
      assert.deepEqual(
        JSON.parse(JSON.stringify(shown(fast as never))),
        JSON.parse(JSON.stringify(shown(plain as never))),
      )
    })
  }

  it('any document without directives', async () => {
    const name = fc.constantFrom('id', 'name', 'fails', 'failsHard', 'matrix', 'strict', 'color', '__typename')
    const branch = fc.constantFrom('children', 'maybe', 'sure')
    const fragment = fc.constantFrom('...A', '...B', '...C')
    const { set } = fc.letrec<{ set: string; one: string }>((tie) => ({
      set: fc.array(tie('one') as fc.Arbitrary<string>, { minLength: 1, maxLength: 4 }).map((all) => all.join(' ')),
      one: fc.oneof(
        { maxDepth: 4 },
        name,
        fragment,
        fc
          .tuple(fc.constantFrom('', 'x: ', 'y: '), branch, tie('set'))
          .map(([alias, field, inner]) => `${alias}${field} { ${inner} }`),
        tie('set').map((inner) => `... on Node { ${inner} }`),
      ),
    }))
    const document = fc.tuple(set, set, name, name).map(([root, a, b, c]) => {
      // B and C spread no other fragment, so that no fragment contains itself.
      const withoutA = a.replaceAll('...A', '...B')
      return `{ nodes(limit: 2) { ${root} } node(id: 4) { ...A ...B ...C } } fragment A on Node { ${withoutA} } fragment B on Node { ${b} children { ...C } } fragment C on Node { ${c} maybe { id } }`
    })
    let compared = 0
    await fc.assert(
      fc.asyncProperty(document, async (query) => {
        const parsed = parse(query)
        if (validate(schema, parsed).length > 0) return
        const compiled = compileQuery(schema, parsed)
        assert.ok(isCompiledQuery(compiled))
        const [plain, fast] = await Promise.all([
          execute({ schema, document: parsed }),
          compiled.query(undefined, undefined, {}),
        ])
        assert.deepEqual(
          JSON.parse(JSON.stringify(shown(fast as never).data)),
          JSON.parse(JSON.stringify(shown(plain as never).data)),
        )
        compared += 1
      }),
      { numRuns: shortOr(120, 300), seed: 20 },
    )
    assert.ok(compared > 40, `${compared} were valid`)
  })

  it('gives the plain answer where compiled ones are wrong', async () => {
    const table: [query: string, variables: Record<string, unknown>, data: string][] = [
      [
        'query ($no: Boolean = false) { node(id: 1) { ...A @include(if: $no) ...A } } fragment A on Node { id }',
        {},
        '{"node":{"id":"1"}}',
      ],
      ['{ node(id: 1) { __proto__: id constructor: name } }', {}, '{"node":{"__proto__":"1","constructor":"n1"}}'],
      [
        'query ($constructor: ID, $toString: String) { node(id: $constructor) { id } echo(text: $toString) }',
        {},
        '{"node":null,"echo":"[[\\"text\\",\\"d\\"]]"}',
      ],
    ]
    const documents = makeDocumentCache(schema)
    for (const [query, variableValues, data] of table) {
      for (let use = 1; use <= 4; use += 1) {
        const known = documents.read(query)
        assert.ok('document' in known)
        const result = await executeDocument(known, { schema, document: known.document, variableValues })
        assert.equal(JSON.stringify(result.data), data)
      }
    }
  })

  it('does no mutation behind one that may not be null and has failed, whichever use it is', async () => {
    const documents = makeDocumentCache(schema)
    const queries = [
      'mutation { add(n: 1) addBroken more: add(n: 10) }',
      'mutation { add(n: 1) ...Rest } fragment Rest on Mutation { addBroken more: add(n: 10) }',
    ]
    for (const query of queries)
      for (let use = 1; use <= 4; use += 1) {
        const known = documents.read(query)
        assert.ok('document' in known)
        total = 0
        const result = await executeDocument(known, { schema, document: known.document })
        assert.deepEqual([result.data, result.errors?.length, total], [null, 1, 1], `use ${use}`)
      }
  })

  it('introspects the real schema alike', async () => {
    const real = makeSchema(makeCatalog(resources), { currency: 'USD', signUp: 'open' })
    const document = parse(getIntrospectionQuery())
    const compiled = compileQuery(real, document)
    assert.ok(isCompiledQuery(compiled))
    const [plain, fast] = await Promise.all([
      execute({ schema: real, document }),
      compiled.query(undefined, undefined, {}),
    ])
    assert.deepEqual(JSON.parse(JSON.stringify(fast)), JSON.parse(JSON.stringify(plain)))
  })

  it('has a schema without defaults, which would differ', () => {
    const real = makeSchema(makeCatalog(resources), { currency: 'USD', signUp: 'open' })
    for (const type of Object.values(real.getTypeMap())) {
      if (type.name.startsWith('__') || !('getFields' in type)) continue
      for (const field of Object.values(type.getFields())) {
        for (const one of 'args' in field ? field.args : [field])
          assert.equal(one.default ?? one.defaultValue, undefined, `${type.name}.${field.name}`)
      }
    }
  })

  it('compiles from the third use on', async () => {
    const documents = makeDocumentCache(schema)
    for (let use = 1; use <= 4; use += 1) {
      const known = documents.read('{ node(id: 1) { id } }')
      assert.ok('document' in known)
      assert.deepEqual(JSON.parse(JSON.stringify(await executeDocument(known, { schema, document: known.document }))), {
        data: { node: { id: '1' } },
      })
      assert.equal(known.compiled.size, use < 3 ? 0 : 1)
    }
  })
})
