/** Starts the library on a real database for one test file, and sends it GraphQL requests. */
import { startService, type TestPerson, type TestResponse, type TestService } from '../helpers/application.ts'

export type { TestPerson }
export type Problem = { message: string; path?: unknown[]; extensions: { code: string; requiredRoles?: string[] } }
// biome-ignore lint/suspicious/noExplicitAny: responses have the shape of each test's query
export type Answer = { data?: any; errors?: Problem[] }
export type Sent = {
  readonly token?: string
  readonly key?: string
  readonly variables?: Record<string, unknown>
}
export type Endpoint = Omit<TestService, 'ask'> & {
  /** `http://127.0.0.1:40001/graphql` */
  readonly address: string
  ask(query: string, sent?: Sent): Promise<Answer>
  /** A body as it is. */
  post(body: object): Promise<TestResponse>
}

export async function openEndpoint(): Promise<Endpoint> {
  const test = await startService()
  return {
    ...test,
    address: `${test.url}/graphql`,
    post: (body) => test.ask('POST', '/graphql', { body }),
    async ask(query, { variables, ...credential } = {}) {
      return (await test.ask('POST', '/graphql', { ...credential, body: { query, variables } })).body
    },
  }
}
