/**
 * Processes of the library on one database, which a test kills. Each request goes to one of them at
 * random. A reader is repeated where its server has ended; a write has no known outcome then.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Ask,
  type AskOptions,
  adminEmail,
  databaseOf,
  makeAsk,
  password,
  removeDatabase,
  removeFolder,
  type ServerProcess,
  spawnServer,
  type TestResponse,
  temporaryFolder,
} from 'bindery-server/test'
import { until } from '../helpers/until.ts'
import type { Person } from './random-world.ts'

type Below = (max: number) => number

export type KilledWorld = {
  /** Repeats a GET until a server answers it. The status of a write without an answer is 503. */
  readonly ask: Ask
  readonly admin: Person
  person(role: string): Promise<Person>
  anyUrl(): string
  /** Where its database is. */
  readonly env: Readonly<Record<string, string>>
  kill(): Promise<void>
  stop(): Promise<void>
}

const unanswered = { status: 503, text: 'no answer', body: undefined, headers: new Headers() } as TestResponse
/** A server that comes back takes many of them on a busy machine. */
const triesMax = 5_000
/** No answer, or none in time: on a busy machine a request may arrive too late. */
const isAgain = ({ status }: TestResponse) => status === 503 || status === 408
const isExpired = ({ status }: TestResponse) => status === 401

export async function startKilledWorld(
  { instances, workers }: { readonly instances: number; readonly workers: number },
  below: Below,
): Promise<KilledWorld> {
  const folder = temporaryFolder()
  const env = {
    DATA_DIR: folder,
    ...(await databaseOf(folder)),
    WORKERS: String(workers),
  }
  const start = () => spawnServer({ env, command: ['library-server.ts'], cwd: import.meta.dirname })
  const servers: ServerProcess[] = []
  const urls: string[] = []
  for (let i = 0; i < instances; i += 1) {
    servers.push(start())
    urls.push(await (servers[i] as ServerProcess).ready())
  }
  const anyUrl = () => urls[below(urls.length)] as string
  const once = (method: string, path: string, options?: AskOptions) =>
    makeAsk(anyUrl())(method, path, options).catch(() => unanswered)
  const people = new Map<string, { email: string; token: string }>()

  async function logIn(email: string): Promise<string> {
    let token = ''
    await until(async () => {
      const reply = await once('POST', '/auth/login', { body: { email, password } })
      token = reply.body?.accessToken ?? ''
      return token !== ''
    }, 'a log-in')
    return token
  }
  /** Tokens end after 15 minutes. Of several requests with one token, the first renews it. */
  const renewed = new Map<string, Promise<string>>()
  async function renew(token: string): Promise<string> {
    const one = [...people.values()].find((person) => person.token === token)
    if (one && !renewed.has(token)) renewed.set(token, logIn(one.email))
    const next = (await renewed.get(token)) ?? token
    if (one) one.token = next
    return next
  }
  const ask: Ask = async (method, path, { token = '', ...options } = {}) => {
    let credential = token
    let renewals = 0
    for (let tries = 1; ; tries += 1) {
      const reply = await once(method, path, { ...options, ...(token && { token: credential }) })
      if (isExpired(reply) && renewals < 3) {
        renewals += 1
        credential = await renew(credential)
      } else if (!isAgain(reply) || method !== 'GET' || tries === triesMax) return reply
      else await sleep(20)
    }
  }
  async function personOf(id: string, email: string): Promise<Person> {
    const own = { email, token: await logIn(email) }
    people.set(id, own)
    return {
      id,
      get token() {
        return own.token
      },
    }
  }
  const admin = await personOf('admin', adminEmail)
  return {
    ask,
    admin,
    anyUrl,
    env,
    async person(role) {
      const email = `p${people.size}@example.com`
      const { status, body, text } = await ask('POST', '/api/v1/users', {
        body: { email, password, role },
        token: admin.token,
      })
      assert.equal(status, 201, text)
      return personOf(body.id, email)
    },
    async kill() {
      const at = below(servers.length)
      await (servers[at] as ServerProcess).stop('SIGKILL')
      servers[at] = start()
      urls[at] = await (servers[at] as ServerProcess).ready()
    },
    async stop() {
      await Promise.all(servers.map((one) => one.stop('SIGKILL')))
      await removeDatabase(folder)
      removeFolder(folder)
    },
  }
}
