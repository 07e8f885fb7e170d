/** A real service whose clock a test can turn: assembled here from the usual parts, because `start` takes no clock. */
import { type IncomingHttpHeaders, request } from 'node:http'
import { makeServer } from '../http/server.ts'
import type { Engine } from '../perform/engine.ts'
import type { Declared } from '../resource/define.ts'
import { firstAdmin } from '../service/first-admin.ts'
import { makeHttpRoutes } from '../service/http-routes.ts'
import { openEngine } from '../service/open-engine.ts'
import { type Ask, makeAsk } from './ask.ts'
import { removeDatabase } from './database.ts'
import { removeFolder, temporaryFolder } from './folder.ts'
import { startLogCheck } from './log-check.ts'
import { readTestConfig, recordingLog } from './service.ts'

export type TurnedService = {
  readonly ask: Ask
  readonly url: string
  readonly engine: Engine
  /** The data folder. */
  readonly folder: string
  /** Lets time pass, all at once. */
  turn(ms: number): void
  now(): number
  stop(): Promise<void>
}

export async function startTurned(
  declarations: readonly Declared[],
  env: Record<string, string> = {},
  clock: () => number = Date.now,
): Promise<TurnedService> {
  const folder = temporaryFolder()
  const config = await readTestConfig(folder, env)
  let turnedMs = 0
  const now = () => clock() + turnedMs
  const engine = await openEngine(config, declarations, { clock: now })
  const logCheck = await startLogCheck(engine)
  await firstAdmin(engine, config)
  const log = recordingLog([])
  const routes = makeHttpRoutes(engine, config, { log, state: { draining: false } })
  const server = await makeServer(config, log, { routes })
  const url = await server.listen()
  return {
    ask: makeAsk(url),
    url,
    engine,
    folder,
    turn(ms) {
      turnedMs += ms
    },
    now,
    async stop() {
      await server.drain()
      await logCheck.check().finally(() => engine.storage.close())
      await removeDatabase(folder)
      removeFolder(folder)
    },
  }
}

export type PlainReply = { status: number; headers: IncomingHttpHeaders; text: string }

type PlainAsk = {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string
}

/** Without fetch, which sets Host and joins headers itself. A list of values sends the header once for each. */
export function askPlain(url: string, { method, path, headers = {}, body = '' }: PlainAsk): Promise<PlainReply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { method, agent: false, headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    sent.on('error', reject).end(body)
  })
}

/** `refreshToken=abc; Path=/auth; HttpOnly` → `{ refreshToken: 'abc', Path: '/auth', HttpOnly: '' }` */
export function cookieParts(header: string | string[] | null | undefined): Record<string, string> {
  const parts = String(header ?? '')
    .split('; ')
    .map((part) => {
      const at = part.indexOf('=')
      return at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
    })
  return Object.fromEntries(parts)
}
