/**
 * A line of the access log is one line. It tells the id and trace of the request, the caller, the
 * route, the operation, and the number of records read.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminEmail, makeAsk, password, spawnServer } from '../../src/testing/index.ts'
import { exchange } from '../helpers/wire.ts'

const server = spawnServer({ command: ['failing-main.ts'], cwd: import.meta.dirname })
after(() => server.child.kill('SIGKILL'))
let url = ''
let ask: ReturnType<typeof makeAsk>
let token = ''

before(async () => {
  url = await server.ready()
  ask = makeAsk(url)
  token = (await ask('POST', '/auth/login', { body: { email: adminEmail, password } })).body.accessToken
})

type Sent = NonNullable<Parameters<typeof ask>[2]>

/** The line of a request, once it is written. */
async function lineOf(method: string, path: string, sent: Sent = {}): Promise<Record<string, unknown>> {
  const { headers } = await ask(method, path, sent)
  const id = headers.get('x-request-id') as string
  await server.wrote(`"requestId":"${id}"`)
  const lines = server.lines().filter((line) => line.requestId === id && line.method !== undefined)
  assert.equal(lines.length, 1, id)
  return lines[0] as Record<string, unknown>
}

test('the id of the client is kept where it is sane, in the answer and in the log', async () => {
  for (const id of ['01a2-req', 'Root=1-67891233-abcdef012345678912345678', 'a.b:c@d+e_f', 'x'.repeat(128)]) {
    const { headers } = await ask('GET', '/api/v1/things', { headers: { 'x-request-id': id } })
    assert.equal(headers.get('x-request-id'), id)
    await server.wrote(`"requestId":"${id}"`)
  }
  for (const id of ['x'.repeat(129), 'a b', '"},{"level":"error', '<script>', '\u202e', '']) {
    const { headers } = await ask('GET', '/api/v1/things', {
      headers: { 'x-request-id': encodeURIComponent(id) + (id === '' ? '' : ' ;') },
    })
    assert.match(headers.get('x-request-id') ?? '', /^[\w-]{8}-\w+$/, id)
  }
})

test('the trace of the client is named where its traceparent is sane', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const told: readonly (readonly [string, string | undefined])[] = [
    [`00-${trace}-00f067aa0ba902b7-01`, trace],
    [`cc-${trace}-00f067aa0ba902b7-01-what-comes-later`, trace],
    [`00-${trace}-00f067aa0ba902b7-01-more`, undefined],
    [`ff-${trace}-00f067aa0ba902b7-01`, undefined],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
    [`00-${trace}-${'0'.repeat(16)}-01`, undefined],
    [`00-${trace.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
    ['"},{"level":"error', undefined],
  ]
  for (const [traceparent, traceId] of told)
    assert.equal((await lineOf('GET', '/api/v1/things', { headers: { traceparent } })).traceId, traceId, traceparent)
})

test('a line names the route as it was declared, the caller, and the rows that were read', async () => {
  const made = (await ask('POST', '/api/v1/things', { body: { name: 'One' } })).body.id as string
  await ask('POST', '/api/v1/things', { body: { name: 'Two' } })
  const { route, rows, userId, keyId } = await lineOf('GET', '/api/v1/things')
  assert.deepEqual(
    { route, rows, userId, keyId },
    { route: '/api/v1/things', rows: 2, userId: undefined, keyId: undefined },
  )
  const one = await lineOf('GET', `/api/v1/things/${made}`, { token })
  assert.deepEqual({ route: one.route, rows: one.rows }, { route: '/api/v1/things/:id', rows: 1 })
  assert.match(one.userId as string, /^[0-9a-f-]{36}$/)
  const key = (await ask('POST', '/api/v1/keys', { token, body: { name: 'k' } })).body
  const byKey = await lineOf('GET', '/api/v1/things?limit=1', { key: key.secret ?? key.token ?? key.key })
  assert.deepEqual(
    { rows: byKey.rows, keyId: byKey.keyId, userId: byKey.userId },
    { rows: 1, keyId: key.id, userId: one.userId },
  )
  assert.equal((await lineOf('GET', '/nobody/knows/this')).route, undefined)
  assert.equal((await lineOf('PUT', '/api/v1/things')).route, undefined)
})

test('a line names the GraphQL operation, of a kept answer too', async () => {
  const query = 'query Everything { things { data { name } } }'
  for (let i = 0; i < 4; i += 1) {
    const { route, operation } = await lineOf('POST', '/graphql', { body: { query } })
    assert.deepEqual({ route, operation }, { route: '/graphql', operation: 'Everything' })
  }
  const long = 'q'.repeat(300)
  assert.equal(
    (await lineOf('POST', '/graphql', { body: { query: `query ${long} { __typename }` } })).operation,
    'q'.repeat(100),
  )
  const wrong = await lineOf('POST', '/graphql', { body: { query: '{ __typename }', operationName: 'a\n"b' } })
  assert.equal(wrong.operation, undefined)
})

test('whatever a caller writes stays in its line, and is shown in the order that it has', async () => {
  const name = 'end\n{"level":"error","msg":"all is lost"}\u202etxt.exe\u2028\u0007\u009b2J'
  const { id } = (
    await ask('POST', '/api/v1/things', { body: { name: name.replace('\u0007', '').replace('\u009b', '') } })
  ).body
  const failed = await ask('POST', `/api/v1/things/${id}/fail`, { token })
  assert.equal(failed.status, 500)
  await server.wrote('it was about end')
  await exchange(
    url,
    Buffer.from('GET /\u202e\u009b2J HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 'utf8') as never,
  )
  await ask('GET', '/livez')
  assert.equal((await server.stop()).code, 0)
  const output = server.stdout()
  for (const line of output.trimEnd().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
  assert.doesNotMatch(output, /[^\P{C}\n]|[\u2028\u2029]/u)
  const fault = server.lines().find(({ level }) => level === 'error') as { err: { message: string } }
  assert.match(fault.err.message, /^failing-main\.ts: thing: actions\.fail threw it was about end\n\{"level"/)
  assert.ok(fault.err.message.includes('\u202etxt.exe'))
  assert.equal(server.lines().filter(({ msg }) => msg === 'all is lost').length, 0)
})
