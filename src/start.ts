/** One running service in this process: engine, server, and the way to stop both. What `npm start`, its workers and the tests share. */
import type { Config } from './config.ts'
import { openEngine } from './engine.ts'
import { ApiError } from './errors.ts'
import { firstAdmin } from './first-admin.ts'
import type { Log } from './http/log.ts'
import { makeServer } from './http/server.ts'
import { anonymous } from './operation/principal.ts'
import type { Engine } from './perform/engine.ts'
import type { Declared } from './resource/define.ts'
import { makeHttpRoutes } from './routes.ts'

export type Service = {
  /** `http://127.0.0.1:3000` */
  readonly address: string
  readonly engine: Engine
  readonly admin: { readonly email: string; readonly password?: string } | undefined
  /** Drains, then closes the database. Answers owed are answered. */
  stop(): Promise<void>
}

/** Every write that needs no credential, so that nobody opens one without noticing. */
export function openWrites({ catalog, policy }: Engine): string[] {
  const isOpen = (operation: string, resource: Parameters<typeof policy.admit>[1]['resource']) => {
    try {
      return policy.admit(anonymous, { resource, operation }).where.kind === 'true'
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }
  return [...catalog.resources.values()].flatMap((resource) =>
    Object.keys(resource.access)
      .filter((operation) => !['list', 'get', 'export'].includes(operation) && isOpen(operation, resource))
      .map((operation) => `${operation} ${resource.slug}`),
  )
}

/** Throws `StartError`. */
export async function start(config: Config, declarations: readonly Declared[], log: Log): Promise<Service> {
  const engine = await openEngine(config, declarations)
  const admin = await firstAdmin(engine, config)
  const state = { draining: false }
  const server = await makeServer(config, log, makeHttpRoutes(engine, config, log, state))
  const address = await server.listen()
  return {
    address,
    engine,
    admin,
    async stop() {
      state.draining = true
      await server.drain()
      await engine.storage.close()
    },
  }
}
