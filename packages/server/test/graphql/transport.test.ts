/** GraphQL over HTTP: the audits of graphql-http, and cases that they do not cover. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { serverAudits } from 'graphql-http'
import { wrapReads } from '../helpers/wrapped-reads.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'

describe('GraphQL over HTTP', () => {
  let endpoint: Endpoint
  let url: string
  before(async () => {
    endpoint = await openEndpoint()
    url = endpoint.address
  })
  after(() => endpoint.stop())

  const audits = serverAudits({ url: () => endpoint.address })
  it('has 61 audits', () => assert.equal(audits.length, 61))
  for (const audit of audits) {
    it(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn()
      assert.equal(result.status, 'ok', 'reason' in result ? result.reason : '')
    })
  }

  const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: body as never })
  const codeOf = async (response: Response) =>
    ((await response.json()) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code

  it('answers a mutation by GET with 405, and says how to send it', async () => {
    const response = await fetch(`${url}?query=${encodeURIComponent('mutation { deleteShelf(id: 1) { id } }')}`)
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'POST')
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(await codeOf(response), 'METHOD_NOT_ALLOWED')
  })

  it('refuses a key of a mutation, which it could not keep, and takes one beside a query', async () => {
    const key = { 'idempotency-key': 'one' }
    const send = (query: string, headers = key) => post(JSON.stringify({ query }), headers)
    const refused = await send('mutation { deleteShelf(id: 1) { id } }')
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /GraphQL mutations take no Idempotency-Key/)
    assert.equal((await send('{ __typename }')).status, 200)
  })

  it('has no other method, and says so as REST does', async () => {
    const response = await fetch(url, { method: 'DELETE' })
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET, POST, HEAD, OPTIONS')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await response.json(), { error: 'DELETE is not allowed here; allowed: GET, POST, HEAD, OPTIONS' })
  })

  it('gives every refusal a body', async () => {
    const table = [
      [await post('{"query":"{ __typename }"}', { accept: 'image/png' }), 406, 'NOT_ACCEPTABLE'],
      [
        await post('{"query":"{ nothing }"}', { accept: 'application/graphql-response+json' }),
        400,
        'GRAPHQL_VALIDATION_FAILED',
      ],
      [await fetch(`${url}?query=mutation%7BdeleteShelf(id:1)%7Bid%7D%7D`), 405, 'METHOD_NOT_ALLOWED'],
      [await post('{"query":"{ __typename }"}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [
        await post('{"query":"{ __typename }"}', { 'content-type': 'application/json; charset=iso-8859-1' }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      [await post('[{"query":"{ __typename }"}]'), 400, 'BAD_USER_INPUT'],
      [await post('{"query":"{ __typename }","query":"{ __typename }"}'), 400, 'BAD_USER_INPUT'],
      [await post('{"query":'), 400, 'BAD_USER_INPUT'],
      [await post('{"query":1}'), 400, 'BAD_USER_INPUT'],
      [await post(''), 400, 'BAD_USER_INPUT'],
      [await post(new Uint8Array([0x22, 0xff, 0x22])), 400, 'BAD_USER_INPUT'],
      [await post(JSON.stringify({ query: `# ${'x'.repeat(1_048_576)}\n{ __typename }` })), 413, 'PAYLOAD_TOO_LARGE'],
      [await fetch(`${url}?query=%7B__typename%7D&variables=%5B%5D`), 400, 'BAD_USER_INPUT'],
      [await fetch(`${url}?query=%E0%A4%A`), 400, 'BAD_USER_INPUT'],
    ] as const
    for (const [response, status, code] of table) {
      assert.equal(response.status, status)
      assert.equal(response.headers.get('cache-control'), 'no-store', `${status} ${code}`)
      assert.equal(await codeOf(response), code)
    }
  })

  it('answers in the type that the client likes best, and in none that it refuses', async () => {
    const [plain, own] = ['application/json', 'application/graphql-response+json']
    const table: [accept: string, type: string | null][] = [
      ['*/*', plain],
      ['application/*', plain],
      [`${own}, ${plain}`, own],
      [`${plain}, ${own}`, plain],
      [`${plain};q=0.5, ${own}`, own],
      [`${plain};q=0, */*`, own],
      [`${own}; q=0.000, ${plain}`, plain],
      [`APPLICATION/JSON ; Q=1`, plain],
      [`text/csv, */*;q=0.1`, plain],
      [`${plain};q=0`, null],
      [`${plain}; q=0.0`, null],
      ['*/*;q=0', null],
      ['application/*;q=0, text/html', null],
      [`${plain};q=0, ${own};q=0, */*`, null],
      [`${plain};charset=latin1`, null],
    ]
    for (const [accept, type] of table) {
      const response = await post('{"query":"{ __typename }"}', { accept })
      assert.equal(response.status, type === null ? 406 : 200, accept)
      assert.equal(response.headers.get('content-type'), `${type ?? plain}; charset=utf-8`, accept)
    }
  })

  it('names the parameter that is not JSON', async () => {
    const problem = async (query: string) => {
      const response = await fetch(`${url}?query=%7B__typename%7D&${query}`)
      assert.equal(response.status, 400)
      return ((await response.json()) as { errors: { message: string }[] }).errors[0]?.message
    }
    assert.equal(await problem('variables=%7B'), 'variables is not valid JSON')
    assert.equal(await problem('extensions=x'), 'extensions is not valid JSON')
    assert.equal(await problem('variables=%7B%22a%22:%22%5Cu0000%22%7D'), 'variables must not contain a NUL character')
    assert.equal(await problem('variables=%7B%22a%22:1,%22a%22:2%7D'), 'The key a occurs twice')
  })

  it('takes an empty operationName as none, and names one that the document lacks', async () => {
    const [one, two] = ['query=%7B__typename%7D', 'query=query%20A%7B__typename%7Dquery%20B%7B__typename%7D']
    const ask = async (query: string) => {
      const response = await fetch(`${url}?${query}`)
      const { errors } = (await response.json()) as { errors?: { message: string }[] }
      return [response.status, errors?.[0]?.message]
    }
    assert.deepEqual(await ask(`${one}&operationName=`), [200, undefined])
    assert.deepEqual(await ask(`${two}&operationName=B`), [200, undefined])
    assert.deepEqual(await ask(`${one}&operationName=C`), [200, 'Unknown operation C; its operations have no name'])
    assert.deepEqual(await ask(`${two}&operationName=C`), [200, 'Unknown operation C; the document has A and B'])
    const several = 'The document has several operations: send operationName; the document has A and B'
    assert.deepEqual(await ask(`${two}&operationName=`), [200, several])
    const posted = await post(JSON.stringify({ query: '{ __typename }', operationName: '' }))
    assert.deepEqual(await posted.json(), { data: { __typename: 'Query' } })
  })

  it('refuses a bad credential with 401, also where none is needed', async () => {
    const response = await post('{"query":"{ __typename }"}', { authorization: 'Bearer nonsense' })
    assert.equal(response.status, 401)
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/)
    assert.deepEqual(await response.json(), {
      errors: [{ message: 'Invalid token', extensions: { code: 'UNAUTHENTICATED' } }],
    })
  })

  it('tells caches for whom the answer is', async () => {
    const { token } = await endpoint.person('USER')
    const cacheOf = async (headers: Record<string, string>, query = '') => {
      const response = await fetch(`${url}?query=%7B__typename%7D${query}`, { headers })
      return [response.status, response.headers.get('cache-control')]
    }
    assert.deepEqual(await cacheOf({}), [200, 'no-cache'])
    assert.deepEqual(await cacheOf({ authorization: `Bearer ${token}` }), [200, 'private, no-cache'])
  })

  it('says nothing of a fault of ours, and logs it', async () => {
    const fail = () => Promise.reject(new Error('disk on fire at /var/lib'))
    const restore = wrapReads(endpoint.service.engine, ['list'], () => fail)
    const answer = await endpoint.ask('{ editions { data { id } } }')
    restore()
    assert.deepEqual(
      answer.errors?.map(({ message, extensions }) => [message, extensions]),
      [['Internal server error', { code: 'INTERNAL_SERVER_ERROR' }]],
    )
    assert.match(String(endpoint.logged.find((line) => line.startsWith('error'))), /disk on fire/)
  })

  it('names documents that do not parse or are not valid', async () => {
    const codes = async (query: string, variables?: Record<string, unknown>) =>
      (await endpoint.ask(query, { variables })).errors?.map((error) => error.extensions.code)
    assert.deepEqual(await codes('{ shelf('), ['GRAPHQL_PARSE_FAILED'])
    assert.deepEqual(await codes('{ nothing }'), ['GRAPHQL_VALIDATION_FAILED'])
    assert.deepEqual(await codes('query ($id: ID!) { shelf(id: $id) { id } }'), ['BAD_USER_INPUT'])
    assert.deepEqual(await codes('query ($page: Int) { shelves(page: $page) { data { id } } }', { page: 'x' }), [
      'BAD_USER_INPUT',
    ])
  })
})
