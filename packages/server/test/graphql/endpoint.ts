/** A real endpoint on a real database for one test file: its own folder, its own port, and one person of each role. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resources } from '../../../../apps/shop/resources/index.ts'
import { readConfig } from '../../src/config.ts'
import { assetsPath, makeGraphiql } from '../../src/graphql/graphiql.ts'
import { makeGraphql } from '../../src/graphql/graphql.ts'
import type { RestRequest, RestResponse } from '../../src/http/exchange.ts'
import type { Sessions } from '../../src/identity/session.ts'
import type { Principal } from '../../src/operation/principal.ts'
import type { Engine } from '../../src/perform/engine.ts'
import type { Declared } from '../../src/resource/define.ts'
import type { Role } from '../../src/resource/rule.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { databaseOf, removeDatabase } from '../helpers/service.ts'

export const password = 'correct horse'

export type Problem = { message: string; path?: unknown[]; extensions: { code: string; requiredRoles?: string[] } }
// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of each test's query
export type Answer = { data?: any; errors?: Problem[] }
export type Person = { readonly id: string; readonly email: string; readonly token: string }
export type Sent = {
  readonly token?: string
  readonly key?: string
  readonly variables?: Record<string, unknown>
  readonly operationName?: string
}

export type Endpoint = {
  readonly engine: Engine
  /** `http://127.0.0.1:40001` */
  readonly address: string
  /** What `onFault` was told. */
  readonly faults: unknown[]
  readonly schema: ReturnType<typeof makeGraphql>['schema']
  answer(request: RestRequest): Promise<RestResponse>
  ask(query: string, sent?: Sent): Promise<Answer>
  person(role: Role): Promise<Person>
  /** Rows go in as they are stored. */
  insert(resource: string, values: Record<string, unknown>): Promise<Record<string, unknown>>
  close(): Promise<void>
}

function toRequest(message: IncomingMessage): RestRequest {
  const [path = '', query = ''] = (message.url ?? '').split(/\?(.*)/s)
  const hasBody = message.headers['content-length'] !== undefined || message.headers['transfer-encoding'] !== undefined
  return {
    id: 'test',
    method: message.method ?? 'GET',
    path,
    query,
    parameters: {},
    headers: message.headers,
    address: '127.0.0.1',
    protocol: 'http',
    body: hasBody ? message : undefined,
  }
}

function write(response: ServerResponse, { status, headers, body }: RestResponse): void {
  response.writeHead(status, headers as Record<string, string>)
  response.end(body as string | Buffer | null)
}

export function principalOf(person: { id: string }, role: Role): Principal {
  return { kind: 'user', userId: person.id, role, via: 'token', scopes: null }
}

async function listen(answer: Endpoint['answer']) {
  const graphiql = makeGraphiql()
  const server = createServer((message, response) => {
    const request = toRequest(message)
    const asset = request.path.startsWith(`${assetsPath}/`)
      ? graphiql.asset(request.path.slice(assetsPath.length + 1))
      : undefined
    const work = asset ? Promise.resolve(asset) : answer(request)
    work.then((one) => write(response, one)).catch((error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

export async function openEndpoint(
  env: Record<string, string> = {},
  declarations: readonly Declared[] = resources,
): Promise<Endpoint> {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-graphql-'))
  const engine = await openEngine(readConfig({ DATA_DIR: folder, ...(await databaseOf(folder)), ...env }), declarations)
  const faults: unknown[] = []
  const { answer, schema } = makeGraphql({ engine, onFault: (error) => void faults.push(error) })
  const server = await listen(answer)
  let people = 0
  const now = () => new Date(engine.clock()).toISOString()

  async function insert(name: string, values: Record<string, unknown>) {
    const resource = engine.catalog.get(name)
    const empty = Object.fromEntries(resource.storedNames.map((field) => [field, null]))
    const id = resource.fields[resource.idField]?.type.column === 'text' ? { [resource.idField]: engine.makeId() } : {}
    return engine.storage.transaction((transaction) => transaction.insert(resource, { ...empty, ...id, ...values }))
  }

  return {
    engine,
    address: server.address,
    faults,
    schema,
    answer,
    insert,
    async ask(query, { token, key, variables, operationName } = {}) {
      const headers: Record<string, string> = { 'content-type': 'application/json' }
      if (token) headers.authorization = `Bearer ${token}`
      if (key) headers['x-api-key'] = key
      const body = JSON.stringify({ query, variables, operationName })
      const response = await fetch(`${server.address}/graphql`, { method: 'POST', headers, body })
      return (await response.json()) as Answer
    },
    async person(role) {
      people += 1
      const email = `person${people}@example.com`
      const times = { createdAt: now(), updatedAt: now() }
      const secret = await engine.identity.hashPassword(password)
      const row = await insert('user', {
        email,
        password: secret,
        name: `Person ${people}`,
        role,
        status: 'ACTIVE',
        ...times,
      })
      const pair = await (engine.identity.sessions as Sessions).login(email, password, {
        address: '127.0.0.1',
        userAgent: 'test',
      })
      return { id: row.id as string, email, token: pair.accessToken }
    },
    async close() {
      await server.close()
      await engine.storage.close()
      await removeDatabase(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
