/** Starts the shop for one test file and sends it GraphQL requests, as a client does. */
import { startService, type TestService } from '../helpers/service.ts'

export type Problem = { message: string; path?: unknown[]; extensions: { code: string; requiredRoles?: string[] } }
// biome-ignore lint/suspicious/noExplicitAny: responses have the shape of each test's query
export type Answer = { data?: any; errors?: Problem[] }
export type Sent = {
  readonly token?: string
  readonly key?: string
  readonly variables?: Record<string, unknown>
}
export type Shop = Omit<TestService, 'ask'> & { ask(query: string, sent?: Sent): Promise<Answer> }

export async function startShop(): Promise<Shop> {
  const service = await startService()
  return {
    ...service,
    async ask(query, { token, key, variables } = {}) {
      const sent = { ...(token && { token }), ...(key && { key }), body: { query, variables } }
      return (await service.ask('POST', '/graphql', sent)).body
    },
  }
}
