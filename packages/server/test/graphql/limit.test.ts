/** Limits on the cost of an operation; the calculation itself costs next to nothing. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { buildSchema, getIntrospectionQuery, getOperationAST, parse } from 'graphql'
import { checkLimits } from '../../src/graphql/documents/limit.ts'
import { watchCalls } from '../helpers/watch-calls.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'

describe('limits', () => {
  let endpoint: Endpoint
  before(async () => {
    endpoint = await openEndpoint()
  })
  after(() => endpoint.stop())

  async function refusal(query: string, variables?: Record<string, unknown>): Promise<string | undefined> {
    const { errors } = await endpoint.ask(query, { variables })
    return errors && `${errors[0]?.extensions.code}: ${errors[0]?.message}`
  }
  const aliases = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: shelf(id: 1) { id }`).join(' ')

  it('1,000 tokens', async () => {
    const shelves = (values: number) =>
      `{ shelves(filter: { since: { in: [${'1 '.repeat(values)}] } }) { data { id } } }`
    assert.equal(await refusal(shelves(970)), 'BAD_USER_INPUT: since[in] takes at most 100 values')
    assert.match(String(await refusal(shelves(990))), /^GRAPHQL_PARSE_FAILED: .*1000 tokens/)
  })

  it('every valid document within them is accepted, however often it repeats itself', async () => {
    const { data } = await endpoint.ask('mutation { createShelf(input: { label: "T", room: "A" }) { id } }')
    const { id } = data.createShelf
    const fields = (count: number) => `shelf(id: ${id}) { ${'id '.repeat(count)} }`
    for (const query of [
      `{ ${fields(989)} }`,
      `{ ${fields(480)} ${fields(480)} }`,
      `{ ... { ${fields(480)} } ${fields(480)} }`,
    ]) {
      for (let use = 1; use <= 4; use += 1)
        assert.deepEqual(await endpoint.ask(query), { data: { shelf: { id } } }, query.slice(0, 40))
    }
    // Fields that are left out of the comparison are still validated.
    const conflict = `{ shelf(id: ${id}) { ${'id '.repeat(400)} ${'x: id '.repeat(100)} x: label } }`
    assert.match(String(await refusal(conflict)), /^GRAPHQL_VALIDATION_FAILED: Fields "x" conflict/)
    assert.match(String(await refusal(`{ shelf(id: ${id}) { ${'none '.repeat(900)} } }`)), /Cannot query field "none"/)
    await endpoint.ask(`mutation { deleteShelf(id: ${id}) { id } }`)
  })

  it('10 levels, through fragments; inline fragments add none, introspection is exempt', async () => {
    const circular = buildSchema('type Query { node: Node } type Node { id: ID, node: Node }')
    const depthOf = (query: string) => {
      const document = parse(query)
      const operation = getOperationAST(document)
      assert.ok(operation)
      checkLimits(circular, { document, operation, variables: {} })
    }
    const levels = (count: number, leaf = 'id') => `${'node { '.repeat(count - 1)}${leaf}${' }'.repeat(count - 1)}`
    const problem = { message: 'The operation is deeper than 10 levels' }
    depthOf(`{ ${levels(10)} }`)
    assert.throws(() => depthOf(`{ ${levels(11)} }`), problem)
    depthOf(`{ ... { ... { ${levels(10, '... { id }')} } } }`)
    depthOf(`{ ${levels(6, '...F')} } fragment F on Node { ${levels(5)} }`)
    assert.throws(() => depthOf(`{ ${levels(6, '...F')} } fragment F on Node { ${levels(6)} }`), problem)
    depthOf(getIntrospectionQuery())
    assert.equal(await refusal(getIntrospectionQuery()), undefined)
  })

  it('15 aliases, counted where a fragment is spread', async () => {
    assert.match(String(await refusal(`{ ${aliases(15)} }`)), /NOT_FOUND/)
    assert.equal(
      await refusal(`{ ${aliases(16)} }`),
      'GRAPHQL_VALIDATION_FAILED: The operation has more than 15 aliases',
    )
    const spread =
      'query { opinions { data { ...A } } more: editions { data { ...P } } last: articles { data { id } } } fragment A on Opinion { a: id b: id c: id d: id e: id f: id g: id } fragment P on Edition { a: id b: id c: id d: id e: id f: id g: id }'
    assert.equal(await refusal(spread), 'GRAPHQL_VALIDATION_FAILED: The operation has more than 15 aliases')
    const hidden = `{ __schema { ${Array.from({ length: 16 }, (_, i) => `a${i}: queryType { name }`).join(' ')} } }`
    assert.equal(await refusal(hidden), 'GRAPHQL_VALIDATION_FAILED: The operation has more than 15 aliases')
  })

  const wide = (count: number) =>
    Array.from({ length: count }, (_, i) => `l${i}: editions(limit: 100) { data { ...P } }`).join(' ')
  const fragment = 'fragment P on Edition { id title summary subject available copies price createdAt updatedAt }'

  it('the cost of records, through fragments, literals and variables', async () => {
    assert.equal(await refusal(`query { ${wide(9)} } ${fragment}`), undefined)
    assert.match(
      String(await refusal(`query { ${wide(11)} } ${fragment}`)),
      /^GRAPHQL_VALIDATION_FAILED: The operation may read more than 10000 fields/,
    )
    const byVariable = (count: number) =>
      `query ($n: Int) { ${wide(count).replaceAll('limit: 100', 'limit: $n')} } ${fragment}`
    assert.equal(await refusal(byVariable(11), { n: 1 }), undefined)
    assert.match(String(await refusal(byVariable(11), { n: 100 })), /may read more/)
    assert.match(String(await refusal(byVariable(11).replace('$n: Int', '$n: Int = 100'))), /may read more/)
  })

  it('the whole schema, three times', async () => {
    const types = (count: number) =>
      `{ ${Array.from({ length: count }, (_, i) => `a${i}: __schema { types { name } }`).join(' ')} }`
    assert.equal(await refusal(types(3)), undefined)
    assert.match(String(await refusal(types(4))), /may read more/)
    const within = `{ __schema { ${Array.from({ length: 4 }, (_, i) => `a${i}: types { name }`).join(' ')} } }`
    assert.match(String(await refusal(within)), /may read more/)
  })

  it('hostile documents take work in proportion: the largest of these some 340,000 looks into maps, where two to the power of 80 are meant', async () => {
    const chain = (links: number, spreads: number, on: string, leaf: string) =>
      Array.from(
        { length: links },
        (_, i) => `fragment F${i} on ${on} { ${i === links - 1 ? leaf : `...F${i + 1} `.repeat(spreads)} }`,
      ).join(' ')
    const hostile = [
      `{ ...F0 } ${chain(80, 2, 'Query', 'shelf(id: 1) { id }')}`,
      `{ ...F0 } ${chain(50, 5, 'Query', 'x: shelf(id: 1) { id }')}`,
      `{ opinions(limit: 100) { data { ...F0 } } } ${Array.from({ length: 60 }, (_, i) => `fragment F${i} on Opinion { a${i}: edition { id } ${i < 59 ? `...F${i + 1} ...F${i + 1}` : 'id'} }`).join(' ')}`,
      `{ ${'... { '.repeat(330)} __typename ${'}'.repeat(330)} }`,
      `{ ${'shelf(id: 1) { id } '.repeat(110)} }`,
      `{ ${Array.from({ length: 80 }, (_, i) => `...F${i}`).join(' ')} } ${Array.from({ length: 80 }, (_, i) => `fragment F${i} on Query { shelf(id: 1) { id } }`).join(' ')}`,
      `{ ${'['.repeat(900)}`,
      `{ shelf(id: ${'['.repeat(490)}${']'.repeat(490)}) { id } }`,
      `{ shelf(id: 1) { ${'id '.repeat(985)} } }`,
      `{ shelf(id: 1) { ${'id label '.repeat(490)} } }`,
      `{ ${'me { id } '.repeat(240)} }`,
      `{ ${'me { ...A } '.repeat(190)} } fragment A on Member { id name email role status }`,
      `{ opinions { data { ${'edition { id } '.repeat(240)} } } }`,
      `{ ${'me { ...A ...B ...A ...B } '.repeat(80)} } fragment A on Member { id } fragment B on Member { id }`,
    ]
    await endpoint.ask('{ __typename }')
    for (const query of hostile) {
      let looks = 0
      const ends = [Map.prototype, WeakMap.prototype, Set.prototype].map((owner) =>
        watchCalls(owner, owner === Set.prototype ? ['has', 'add'] : ['get', 'has', 'set'], () => (looks += 1)),
      )
      // by then it would have been compiled
      for (let use = 1; use <= 4; use += 1) await endpoint.ask(query)
      for (const end of ends) end()
      assert.ok(looks < 1_000_000, `${looks} looks into maps and sets for ${query.slice(0, 60)}`)
    }
  })
})
