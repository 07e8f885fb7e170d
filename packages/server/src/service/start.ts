/** One running service in this process: engine, server, and the way to stop both. What `npm start`, its workers and the tests share. */
import type { Config } from '../config.ts'
import { ApiError, StartError } from '../errors.ts'
import type { Log } from '../http/log.ts'
import { type HttpServer, makeServer } from '../http/server.ts'
import type { Engine } from '../perform/engine.ts'
import type { Declared } from '../resource/define.ts'
import { factsOf } from '../resource/operation-kind.ts'
import { anonymous } from '../resource/principal.ts'
import { firstAdmin } from './first-admin.ts'
import { makeHttpRoutes } from './http-routes.ts'
import { openEngine } from './open-engine.ts'

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
      .filter((operation) => !factsOf(operation).reads && isOpen(operation, resource))
      .map((operation) => `${operation} ${resource.slug}`),
  )
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
}

async function listen(server: HttpServer, { host, port }: Config): Promise<string> {
  try {
    return await server.listen()
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new StartError(`Cannot listen on ${host}:${port}: ${listenProblems[code] ?? message}`)
  }
}

/** What whoever starts the service should know: the writes that are open to anyone, and the first ADMIN. */
export function announce(log: Log, { engine, admin }: Pick<Service, 'engine' | 'admin'>): void {
  for (const write of openWrites(engine)) log.warn(`Open to anyone: ${write}`)
  if (admin) log.info(`Made the first ADMIN ${admin.email}`)
  if (admin?.password)
    process.stderr.write(`First ADMIN: ${admin.email} with password ${admin.password} (shown once)\n`)
}

/** Throws `StartError`. */
export async function start(config: Config, declarations: readonly Declared[], log: Log): Promise<Service> {
  const engine = await openEngine(config, declarations, { report: log.warn })
  const admin = await firstAdmin(engine, config)
  const state = { draining: false }
  const server = await makeServer(config, log, makeHttpRoutes(engine, config, log, state))
  const address = await listen(server, config)
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
