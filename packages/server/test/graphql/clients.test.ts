/**
 * Common GraphQL clients, unmodified: how each treats responses, errors, its cache, and persisted
 * queries.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import {
  type AnyVariables,
  Client,
  type CombinedError,
  cacheExchange,
  fetchExchange,
  type OperationResult,
} from '@urql/core'
import { ClientError, GraphQLClient } from 'graphql-request'
import { type Answer, type Endpoint, openEndpoint, type TestPerson } from './endpoint.ts'

type Extensions = Record<string, unknown>
/** One request by a client: its data, or the extensions of its errors. */
type Outcome = { data?: unknown; codes?: unknown[]; extensions?: Extensions[] }
type Ask = (document: string, variables?: Record<string, unknown>) => Promise<Outcome>

let endpoint: Endpoint
let editor: TestPerson
let user: TestPerson
before(async () => {
  endpoint = await openEndpoint()
  editor = await endpoint.person('EDITOR')
  user = await endpoint.person('USER')
})
after(() => endpoint.stop())

function failed(errors: readonly { extensions?: Extensions }[]): Outcome {
  return {
    codes: errors.map(({ extensions }) => extensions?.code),
    extensions: errors.map((one) => one.extensions ?? {}),
  }
}

const isMutation = (document: string) => /^\s*mutation/.test(document)
const sha256 = async (text: string) => createHash('sha256').update(text).digest('hex')

/** Requests that went out, by method and content. */
type Sent = { method: string; url: string; body: string }
function makeFetch(sent: Sent[]): typeof fetch {
  return (url, init) => {
    sent.push({ method: init?.method ?? 'GET', url: String(url), body: String(init?.body ?? '') })
    return fetch(url, init)
  }
}

const headersOf = (token?: string): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {})

function makeApollo(token?: string, options: Partial<HttpLink.Options> & { persisted?: boolean; get?: boolean } = {}) {
  const { persisted, get, ...rest } = options
  const http = new HttpLink({ uri: endpoint.address, headers: headersOf(token), useGETForQueries: get, ...rest })
  const link = persisted
    ? ApolloLink.from([new PersistedQueryLink({ sha256, useGETForHashedQueries: get }), http])
    : http
  return new ApolloClient({ link, cache: new InMemoryCache() })
}

const entriesOf = (client: ApolloClient) => client.cache.extract() as object

async function askApollo(
  client: ApolloClient,
  document: string,
  variables?: Record<string, unknown>,
): Promise<Outcome> {
  try {
    const { data, error } = isMutation(document)
      ? await client.mutate({ mutation: gql(document), variables })
      : await client.query({ query: gql(document), variables, fetchPolicy: 'network-only' })
    if (error) throw error
    return { data }
  } catch (error) {
    if (CombinedGraphQLErrors.is(error)) return failed(error.errors)
    throw error
  }
}

function makeUrql(token?: string, options: { cache?: boolean; get?: boolean } = {}) {
  return new Client({
    url: endpoint.address,
    exchanges: options.cache ? [cacheExchange, fetchExchange] : [fetchExchange],
    preferGetMethod: options.get ? 'force' : false,
    fetchOptions: { headers: headersOf(token) },
  })
}

function ofUrql({ data, error }: OperationResult<unknown, AnyVariables>): Outcome {
  if (!error) return { data }
  const { graphQLErrors, networkError } = error as CombinedError
  if (networkError && graphQLErrors.length === 0) throw networkError
  return failed(graphQLErrors)
}

async function askUrql(client: Client, document: string, variables: Record<string, unknown> = {}): Promise<Outcome> {
  return ofUrql(await (isMutation(document) ? client.mutation(document, variables) : client.query(document, variables)))
}

async function askRequest(
  client: GraphQLClient,
  document: string,
  variables?: Record<string, unknown>,
): Promise<Outcome> {
  try {
    return { data: await client.request(document, variables) }
  } catch (error) {
    if (error instanceof ClientError) return failed(error.response.errors ?? [])
    throw error
  }
}

const clients: readonly (readonly [name: string, make: (token?: string, get?: boolean) => Ask])[] = [
  [
    'Apollo Client',
    (token, get) =>
      (...asked) =>
        askApollo(makeApollo(token, { get }), ...asked),
  ],
  [
    'urql',
    (token, get) =>
      (...asked) =>
        askUrql(makeUrql(token, { get }), ...asked),
  ],
  [
    'graphql-request',
    (token, get) => {
      const options = get ? ({ method: 'GET', jsonSerializer: JSON } as const) : {}
      const client = new GraphQLClient(endpoint.address, { headers: headersOf(token), ...options })
      return (...asked) => askRequest(client, ...asked)
    },
  ],
]

const create =
  'mutation ($input: CreateEditionInput!) { createEdition(input: $input) { __typename id title price createdAt } }'

for (const [name, make] of clients) {
  describe(name, () => {
    it('queries with variables, by POST and by GET', async () => {
      const { data } = await make(editor.token)(create, { input: { title: name, price: 9.5 } })
      const made = (data as { createEdition: { id: string } }).createEdition
      for (const get of [false, true]) {
        const found = await make(undefined, get)(
          'query ($id: ID!) { edition(id: $id) { __typename id title price } }',
          {
            id: made.id,
          },
        )
        assert.deepEqual(found.data, { edition: { __typename: 'Edition', id: made.id, title: name, price: 9.5 } })
      }
      // Documents of before declare their variables as numbers and strings.
      const query =
        'query ($most: Float, $from: String) { editions(maxPrice: $most, filter: {createdAt: {gte: $from}}) { meta { total } } }'
      const listed: Outcome = await make()(query, { most: 1, from: '2020-01-01T00:00:00Z' })
      assert.match(JSON.stringify(listed), /"total":0/)
    })

    it('has UNAUTHENTICATED where nobody asks, and where the credential is bad', async () => {
      assert.deepEqual((await make()('{ me { id } }')).codes, ['UNAUTHENTICATED'])
      for (const get of [false, true])
        assert.deepEqual((await make('no token', get)('{ shelves { meta { total } } }')).codes, ['UNAUTHENTICATED'])
    })

    it('has FORBIDDEN with the roles, NOT_FOUND, and the fields of bad input', async () => {
      const asUser = make(user.token)
      const forbidden = await asUser('{ members { id } }')
      assert.deepEqual(forbidden.extensions, [{ code: 'FORBIDDEN', requiredRoles: ['ADMIN'] }])
      const missing = await asUser('query { edition(id: "01926e0f-0000-7000-8000-000000000001") { id } }')
      assert.deepEqual(missing.extensions, [{ code: 'NOT_FOUND' }])
      const asEditor = make(editor.token)
      const decimals = await asEditor(create, { input: { title: 'T', price: 1.005 } })
      assert.deepEqual(decimals.extensions, [{ code: 'BAD_USER_INPUT', field: 'price' }])
      const kind = await asEditor(create, { input: { title: 'T', price: 'dear' } })
      assert.deepEqual(kind.extensions, [{ code: 'BAD_USER_INPUT', field: 'price' }])
      const several = await asEditor(create, { input: { title: ' ', price: -1 } })
      assert.deepEqual(several.extensions, [
        {
          code: 'BAD_USER_INPUT',
          field: 'title',
          errors: [
            { field: 'title', detail: 'title is required' },
            { field: 'price', detail: 'price must be at least 0' },
          ],
        },
      ])
      const filter = await asEditor('{ editions(filter: {createdAt: {gte: "yesterday"}}) { meta { total } } }')
      assert.deepEqual(filter.codes, ['BAD_USER_INPUT'])
      const filtered = 'query($filter: EditionFilter) { editions(filter: $filter) { meta { total } } }'
      for (const [given, field] of [
        [{ createdAt: { gte: 'yesterday' } }, 'createdAt[gte]'],
        [{ price: { gte: 'dear' } }, 'price[gte]'],
        [{ title: { in: ['a', null] } }, 'title[in]'],
        [{ or: [{ title: 'a' }] }, 'title'],
      ] as const) {
        const { extensions } = await asEditor(filtered, { filter: given })
        assert.deepEqual(extensions, [{ code: 'BAD_USER_INPUT', field }])
      }
      assert.deepEqual((await asEditor('{ nothing }')).codes, ['GRAPHQL_VALIDATION_FAILED'])
    })
  })
}

describe('the cache of Apollo Client', () => {
  it('keeps one entry a record, and evicts what a delete returns', async () => {
    const client = makeApollo(editor.token)
    const { data } = await client.mutate<{ createEdition: { id: string } }>({
      mutation: gql(create),
      variables: { input: { title: 'Cached', price: 1 } },
    })
    const id = data?.createEdition.id ?? ''
    const list = gql('query { editions(limit: 5) { data { id title shelf { id } } } }')
    await client.query({ query: list })
    const key = `Edition:${id}`
    assert.ok(key in entriesOf(client))
    await client.mutate({
      mutation: gql('mutation ($id: ID!) { updateEdition(id: $id, input: {title: "Renamed"}) { id title } }'),
      variables: { id },
    })
    const titles = () =>
      client.cache
        .readQuery<{ editions: { data: { title: string }[] } }>({ query: list })
        ?.editions.data.map((one) => one.title) ?? []
    assert.ok(titles().includes('Renamed'))
    await client.mutate<{ deleteEdition: { __typename: 'Edition'; id: string } }>({
      mutation: gql('mutation ($id: ID!) { deleteEdition(id: $id) { id } }'),
      variables: { id },
      update(cache, { data }) {
        if (data) cache.evict({ id: cache.identify(data.deleteEdition) })
      },
    })
    assert.ok(!(key in entriesOf(client)))
    assert.ok(!titles().includes('Renamed'))
  })

  it('knows records by _id', async () => {
    const client = makeApollo(editor.token)
    const send = 'mutation ($input: CreateLetterInput!) { createLetter(input: $input) { _id } }'
    const { data } = await client.mutate<{ createLetter: { _id: string } }>({
      mutation: gql(send),
      variables: { input: { recipientId: user.id, text: 'Hello' } },
    })
    assert.ok(`Letter:${data?.createLetter._id}` in entriesOf(client))
  })
})

describe('the document cache of urql', () => {
  it('asks for lists again after a delete, by the type that it returns', async () => {
    const client = makeUrql(editor.token, { cache: true })
    const made = await client.mutation<{ createEdition: { id: string } }>(create, {
      input: { title: 'Listed', price: 1 },
    })
    const list = '{ editions(limit: 100) { data { id } } }'
    const idsIn = async () => {
      const { data } = await client.query<{ editions: { data: { id: string }[] } }>(list, {})
      return (data?.editions.data ?? []).map((one) => one.id)
    }
    const id = made.data?.createEdition.id ?? ''
    assert.ok((await idsIn()).includes(id))
    await client.mutation('mutation ($id: ID!) { deleteEdition(id: $id) { id } }', { id })
    assert.ok(!(await idsIn()).includes(id))
  })
})

describe('persisted queries', () => {
  for (const get of [false, true]) {
    it(`are registered once, then sent as their hash${get ? ', by GET too' : ''}`, async () => {
      const sent: Sent[] = []
      const document = `query Persisted${get ? 'ByGet' : ''} { shelves { meta { total } } }`
      const ask = () => askApollo(makeApollo(undefined, { persisted: true, get, fetch: makeFetch(sent) }), document)
      const [first, second] = [await ask(), await ask()]
      assert.ok(first.data)
      assert.deepEqual(second, first)
      // Not found, registered, found.
      assert.equal(sent.length, 3)
      assert.deepEqual(
        sent.map(({ url, body }) => /[?&]query=|"query":/.test(url + body)),
        [false, true, false],
      )
      if (get) assert.deepEqual([sent[0]?.method, sent[2]?.method], ['GET', 'GET'])
    })
  }

  it('are found by documentId, stay bound to their hash, and say so when they are not there', async () => {
    const query = '{ __typename }'
    const hash = await sha256(query)
    const post = async (body: object): Promise<Answer> => (await endpoint.post(body)).body
    const persistedQuery = { version: 1, sha256Hash: hash }
    const unknown = await post({ extensions: { persistedQuery } })
    assert.deepEqual(unknown.errors, [
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ])
    const foreign = await post({ query: '{ me { id } }', extensions: { persistedQuery } })
    assert.equal(foreign.errors?.[0]?.extensions.code, 'BAD_USER_INPUT')
    assert.ok((await post({ extensions: { persistedQuery } })).errors)
    assert.deepEqual(await post({ query, extensions: { persistedQuery } }), { data: { __typename: 'Query' } })
    assert.deepEqual(await post({ extensions: { persistedQuery } }), { data: { __typename: 'Query' } })
    assert.deepEqual(await post({ documentId: `sha256:${hash}` }), { data: { __typename: 'Query' } })
    assert.equal((await post({ documentId: 'nobody' })).errors?.[0]?.extensions.code, 'PERSISTED_QUERY_NOT_FOUND')
    assert.equal(
      (await post({ extensions: { persistedQuery: { version: 2 } } })).errors?.[0]?.extensions.code,
      'BAD_USER_INPUT',
    )
    assert.equal((await post({ extensions: {} })).errors?.[0]?.message, 'Missing query')
  })
})

describe('a client that goes', () => {
  it('gets no answer, and the next one does', async () => {
    const controller = new AbortController()
    const client = makeApollo(undefined, { fetchOptions: { signal: controller.signal } })
    const asked = client.query({ query: gql('{ shelves { meta { total } } }') })
    controller.abort()
    await assert.rejects(asked)
    assert.ok((await askApollo(makeApollo(), '{ shelves { meta { total } } }')).data)
  })
})

describe('the type of an answer', () => {
  it('is the one that was asked for, errors too, and caches are told', async () => {
    const [plain, own] = ['application/json', 'application/graphql-response+json']
    const asked = [
      [{}, plain],
      [{ accept: own }, own],
      [{ accept: `${own}, ${plain};q=0.9` }, own],
    ] as const
    for (const [headers, type] of asked) {
      const bad = { ...headers, authorization: 'Bearer no' }
      for (const [sent, status] of [
        [headers, 200],
        [bad, 401],
      ] as const) {
        const answer = await fetch(`${endpoint.address}?query={__typename}`, { headers: sent })
        assert.deepEqual(
          [answer.status, answer.headers.get('content-type'), answer.headers.get('vary')],
          [status, `${type}; charset=utf-8`, status === 200 ? 'Accept, Authorization, X-API-Key' : 'Accept'],
        )
        await answer.text()
      }
    }
  })
})
