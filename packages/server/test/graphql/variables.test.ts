/**
 * A variable has the same meaning at every use of a document. The graphql package runs the first
 * two uses, compiled code the later ones where it is correct.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { buildSchema, execute, type GraphQLObjectType, parse, validate } from 'graphql'
import { makeDocumentCache } from '../../src/graphql/documents/document.ts'
import { executeDocument } from '../../src/graphql/execute.ts'
import { representError } from '../../src/graphql/graphql-error.ts'
import { type Answer, type Endpoint, openEndpoint, type Sent, type TestPerson } from './endpoint.ts'

const uses = 4

describe('variables that are not given', () => {
  let endpoint: Endpoint
  let admin: TestPerson
  before(async () => {
    endpoint = await openEndpoint()
    admin = await endpoint.admin()
  })
  after(() => endpoint.stop())

  const ask = (query: string, sent: Sent = {}) => endpoint.ask(query, { token: admin.token, ...sent })
  async function askOften(query: string, variables: () => Record<string, unknown>): Promise<Answer[]> {
    const answers: Answer[] = []
    for (let use = 1; use <= uses; use += 1) answers.push(await ask(query, { variables: variables() }))
    return answers
  }
  async function make(field: string, input: string): Promise<string> {
    const answer = await ask(`mutation { ${field}(input: {${input}}) { id } }`)
    assert.equal(answer.errors, undefined)
    return answer.data[field].id
  }

  it('leave the fields of a record as they are', async () => {
    const edition = await make('createEdition', 'title: "Lamp", summary: "Bright", subject: "Light", price: 5')
    const article = await make('createArticle', 'title: "T", body: "B", published: true, tags: ["a", "b"]')
    const shelf = await make('createShelf', 'label: "T", room: "A", since: 1999')
    const table = [
      [
        'mutation ($id: ID!, $n: String, $d: String) { updateEdition(id: $id, input: {title: $n, summary: $d}) { title summary subject } }',
        { id: edition, n: 'Lantern' },
        { updateEdition: { title: 'Lantern', summary: 'Bright', subject: 'Light' } },
      ],
      [
        'mutation ($id: ID!, $t: String, $p: Boolean, $l: [String!]) { updateArticle(id: $id, input: {title: $t, published: $p, tags: $l}) { title published tags } }',
        { id: article, t: 'New' },
        { updateArticle: { title: 'New', published: true, tags: ['a', 'b'] } },
      ],
      [
        'mutation ($id: ID!, $y: Int, $t: String = "Default") { updateShelf(id: $id, input: {since: $y, label: $t}) { since label } }',
        { id: shelf },
        { updateShelf: { since: 1999, label: 'Default' } },
      ],
    ] as const
    for (const [query, variables, data] of table) {
      for (const answer of await askOften(query, () => variables)) assert.deepEqual(answer, { data })
    }
  })

  it('take the default of a new or replaced record, and keep what a replacement keeps', async () => {
    let made = 0
    const email = () => {
      made += 1
      return `made${made}@example.com`
    }
    const created = await askOften(
      'mutation ($e: String!, $r: Role) { createMember(input: {email: $e, password: "long enough", role: $r}) { role status } }',
      () => ({ e: email() }),
    )
    for (const answer of created)
      assert.deepEqual(answer, { data: { createMember: { role: 'USER', status: 'ACTIVE' } } })
    const member = await make('createMember', `email: "${email()}", password: "long enough", name: "N", role: EDITOR`)
    const replaced = await askOften(
      'mutation ($id: ID!, $e: String!, $n: String, $r: Role, $s: MemberStatus) { replaceMember(id: $id, input: {email: $e, name: $n, role: $r, status: $s}) { name role status } }',
      () => ({ id: member, e: email(), n: 'M' }),
    )
    for (const answer of replaced)
      assert.deepEqual(answer, { data: { replaceMember: { name: 'M', role: 'EDITOR', status: 'ACTIVE' } } })
  })

  it('do not filter, neither inside literals nor as arguments', async () => {
    await make('createShelf', 'label: "Found", room: "Somebody"')
    const queries = [
      'query ($t: String, $a: String) { shelves(filter: {label: {eq: $t}, room: {eq: $a}}) { data { label } } }',
      'query ($t: [String!], $a: String) { shelves(filter: {label: {in: $t}, room: {eq: $a}}) { data { label } } }',
      'query ($f: TextFilter, $a: String) { shelves(filter: {label: $f, room: {eq: $a}}) { data { label } } }',
      'query ($f: ShelfFilter, $a: String) { shelves(filter: $f, room: $a) { data { label } } }',
      'query ($page: Int, $limit: Int = 9, $a: String) { shelves(page: $page, limit: $limit, room: $a) { data { label } } }',
    ]
    for (const query of queries) {
      for (const answer of await askOften(query, () => ({ a: 'Somebody' })))
        assert.deepEqual(answer, { data: { shelves: { data: [{ label: 'Found' }] } } }, query)
    }
  })

  it('give the same error for a bad value at every use', async () => {
    const table: [query: string, variables: Record<string, unknown>, message: RegExp][] = [
      ['query ($l: Int) { shelves(limit: $l) { data { id } } }', { l: 'x' }, /^Variable "\$l" has invalid value: /],
      [
        'mutation ($i: CreateEditionInput!) { createEdition(input: $i) { id } }',
        { i: { title: 'X', price: 'dear' } },
        /^Variable "\$i" has invalid value at \.price: /,
      ],
      ['query ($id: ID!) { shelf(id: $id) { id } }', {}, /^Variable "\$id" has invalid value: /],
      [
        'query ($id: ID = "1") { shelf(id: $id) { id } }',
        { id: null },
        /^Argument "Query\.shelf\(id:\)" has invalid value/,
      ],
    ]
    for (const [query, variables, message] of table) {
      const [first, ...others] = await askOften(query, () => variables)
      assert.match(first?.errors?.[0]?.message ?? '', message)
      assert.equal(first?.errors?.[0]?.extensions.code, 'BAD_USER_INPUT')
      for (const other of others) assert.deepEqual(other, first)
    }
  })
})

/** A schema with a field that returns the arguments that it was given. */
const echoSchema = buildSchema(`
  enum Color { RED GREEN }
  input Inner { at: Int, tags: [String!], color: Color }
  type Query { echo(id: ID, n: Int, f: Float, s: String, b: Boolean, color: Color, list: [Int], words: [String!], inner: Inner, more: [Inner], must: Int!): String }
`)
const echo = (echoSchema.getQueryType() as GraphQLObjectType).getFields().echo
if (echo) echo.resolve = (_source, args) => JSON.stringify(args, Object.keys(args).sort().concat('at', 'tags', 'color'))

describe('any variable', () => {
  const types = [
    ...[
      'Int',
      'Int!',
      'Int = 7',
      'Int = null',
      'Float',
      'String',
      'String = "d"',
      'Boolean',
      'ID',
      'Color',
      'Color = RED',
    ],
    ...['[Int]', '[String!]', '[String!] = ["d"]', 'Inner', 'Inner = {at: 2}', '[Inner]'],
  ]
  const places = ['n', 'f', 's', 'b', 'id', 'color', 'list', 'words', 'inner', 'more', 'must']
  const wraps = [
    '$v',
    '[$v]',
    '[1, $v]',
    '{at: $v}',
    '{tags: $v}',
    '{tags: [$v]}',
    '{color: $v}',
    '[{at: $v}, {at: 1}]',
  ]
  const values = [
    ...[undefined, null, 0, 1, 1.5, 3_000_000_000, 'x', '', '1', 'RED', 'BLUE', true],
    ...[[], [1], ['a'], ['a', null], [[1]], {}, [{}], [{ at: 1 }, null]],
    ...[
      { at: 1 },
      { at: null, tags: 'x' },
      { at: 'x' },
      { tags: [null] },
      { color: 'BLUE' },
      { color: 'RED', nope: 1 },
    ],
  ]
  const documents = types.flatMap((type) =>
    places.flatMap((place) =>
      wraps.map((wrap) => `query ($v: ${type}) { echo(${place === 'must' ? '' : 'must: 1, '}${place}: ${wrap}) }`),
    ),
  )
  const valid = documents.filter((query) => validate(echoSchema, parse(query)).length === 0)
  const shown = ({ data, errors }: { data?: unknown; errors?: readonly Error[] }) =>
    JSON.stringify({ data, errors: errors?.map((error) => representError(error)) })

  it('means at every use what it means to graphql', async () => {
    assert.ok(valid.length > 50, `${valid.length} documents`)
    let compiled = 0
    for (const query of valid) {
      for (const value of values) {
        const args = { schema: echoSchema, variableValues: value === undefined ? {} : { v: value } }
        const expected = shown(await execute({ ...args, document: parse(query) }))
        const { read } = makeDocumentCache(echoSchema)
        for (let use = 1; use <= uses; use += 1) {
          const known = read(query)
          assert.ok('document' in known)
          const result = await executeDocument(known, { ...args, document: known.document })
          assert.equal(shown(result), expected, `${query} with ${JSON.stringify(value)}, use ${use}`)
          if (known.compiled.get('')) compiled += 1
        }
      }
    }
    assert.ok(compiled > 100, `${compiled} compiled`)
  })
})
