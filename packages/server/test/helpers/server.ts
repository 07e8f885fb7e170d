/** An HTTP server without an engine, which serves a test's own routes on a real connection. */
import { recordingLog } from 'bindery-server/test'
import { readConfig } from '../../src/config.ts'
import type { LoadMonitor } from '../../src/http/connections/overload.ts'
import { json } from '../../src/http/messages/exchange.ts'
import { readJson } from '../../src/http/messages/read-body.ts'
import { type HttpRoute, type HttpServer, makeServer } from '../../src/http/server.ts'
import type { ServerLimits } from '../../src/limits.ts'
import { limits as usualLimits } from '../../src/limits.ts'

export type TestServer = {
  readonly url: string
  readonly server: HttpServer
  readonly logged: string[]
  stop(): Promise<void>
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * `/slow/:ms` responds after that time, `/echo` with the body, `/stream/:pieces` piece by piece;
 * `/fails` throws.
 */
export const probeRoutes: readonly HttpRoute[] = [
  { methods: ['GET'], path: '/ok', answer: async ({ path, query }) => json(200, { path, query }) },
  {
    methods: ['GET', 'POST'],
    path: '/slow/:ms',
    async answer({ parameters }) {
      await pause(Number(parameters.ms))
      return json(200, { slow: Number(parameters.ms) })
    },
  },
  { methods: ['POST'], path: '/echo', answer: async (request) => json(200, (await readJson(request)) ?? null) },
  {
    methods: ['GET'],
    path: '/stream/:pieces',
    async answer({ parameters }) {
      async function* pieces() {
        for (let i = 0; i < Number(parameters.pieces); i += 1)
          yield `${String(i).padStart(9, '0')}${'x'.repeat(65_527)}`
      }
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: pieces() }
    },
  },
  {
    methods: ['GET'],
    path: '/fails',
    async answer() {
      throw new Error('the inside of the engine', { cause: new Error('the deepest cause') })
    },
  },
]

/** A slow machine that runs tests is no reason to refuse a request. */
const unhurried = { lameDuckMs: 0, loopDelayMsMax: Number.POSITIVE_INFINITY }

type Parts = { env?: Record<string, string>; limits?: Partial<ServerLimits>; load?: LoadMonitor }

export async function startServer(
  routes: readonly HttpRoute[] = probeRoutes,
  { env = {}, limits = {}, load }: Parts = {},
): Promise<TestServer> {
  const logged: string[] = []
  const parts = { routes, limits: { ...usualLimits, ...unhurried, ...limits }, ...(load && { load }) }
  const server = await makeServer(readConfig({ PORT: '0', ...env }), recordingLog(logged), parts)
  const url = await server.listen()
  return { url, server, logged, stop: () => server.drain() }
}
