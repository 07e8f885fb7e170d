/** A real service on a real database for one test file: its own folder, its own port, and people of every role. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import type { Log } from '../http/log.ts'
import type { Declared } from '../resource/define.ts'
import { type Service, start } from '../service/start.ts'
import { databaseOf, removeDatabase } from './database.ts'

export const password = 'correct horse'
export const adminEmail = 'admin@example.com'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer, and fails where it is not there
export type Reply = { status: number; headers: Headers; text: string; body: any }
export type Ask = (method: string, path: string, options?: AskOptions) => Promise<Reply>
export type AskOptions = {
  body?: unknown
  /** Sent as it is, instead of `body` as JSON. */
  raw?: string | Uint8Array
  type?: string
  token?: string
  key?: string
  cookie?: string
  headers?: Record<string, string>
}
export type Person = { id: string; email: string; token: string; refreshToken: string }

export type TestService = {
  readonly service: Service
  readonly url: string
  readonly ask: Ask
  /** What was logged, line by line. */
  readonly logged: string[]
  admin(): Promise<Person>
  /** A new ACTIVE user of this role, logged in. */
  person(role?: 'USER' | 'EDITOR' | 'ADMIN'): Promise<Person>
  logIn(email: string, secret?: string): Promise<Person>
  /** An API key of this person, in plain text. */
  key(person: Person, extra?: Record<string, unknown>): Promise<string>
  stop(): Promise<void>
}

export function recordingLog(lines: string[]): Log {
  const note = (level: string) => (message: string, detail?: unknown) =>
    void lines.push(`${level} ${message} ${JSON.stringify(detail ?? {})}`)
  return {
    request: (line) => void lines.push(JSON.stringify(line)),
    info: note('info'),
    ready: note('ready'),
    warn: note('warn'),
    error: (message, error) => void lines.push(`error ${message} ${String((error as Error)?.stack ?? error)}`),
    flush: async () => undefined,
  }
}

export function makeAsk(url: string): Ask {
  return async (method, path, { body, raw, type, token, key, cookie, headers = {} } = {}) => {
    const sent: Record<string, string> = { ...headers }
    if (body !== undefined || raw !== undefined)
      sent['content-type'] = type ?? sent['content-type'] ?? 'application/json'
    if (token) sent.authorization = `Bearer ${token}`
    if (key) sent['x-api-key'] = key
    if (cookie) sent.cookie = cookie
    const response = await fetch(url + path, {
      method,
      headers: sent,
      body: (raw ?? (body === undefined ? undefined : JSON.stringify(body))) as never,
      redirect: 'manual',
    })
    const text = await response.text()
    const isJson =
      response.headers.get('content-type')?.includes('json') &&
      !response.headers.get('content-type')?.includes('ndjson')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }
}

/** A free port, the data folder, and the database that is its own. */
export async function readTestConfig(folder: string, env: Record<string, string>): Promise<Config> {
  return readConfig({
    PORT: '0',
    DATA_DIR: folder,
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: password,
    ...(await databaseOf(folder)),
    ...env,
  })
}

export async function startService(
  declarations: readonly Declared[],
  env: Record<string, string> = {},
): Promise<TestService> {
  const folder = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'bindery-test-'))
  const logged: string[] = []
  const config = await readTestConfig(folder, env)
  const service = await start(config, declarations, recordingLog(logged))
  const ask = makeAsk(service.address)
  let people = 0

  async function logIn(email: string, secret = password): Promise<Person> {
    const reply = await ask('POST', '/auth/login', { body: { email, password: secret } })
    if (reply.status !== 200) throw new Error(`login of ${email}: ${reply.status} ${reply.text}`)
    const { userId } = JSON.parse(Buffer.from(reply.body.accessToken.split('.')[1], 'base64url').toString())
    return { id: userId, email, token: reply.body.accessToken, refreshToken: reply.body.refreshToken }
  }
  let admin: Promise<Person> | undefined
  const getAdmin = () => {
    admin ??= logIn(adminEmail)
    return admin
  }
  return {
    service,
    url: service.address,
    ask,
    logged,
    admin: getAdmin,
    logIn,
    async person(role = 'USER') {
      people += 1
      const email = `person${people}@example.com`
      const { token } = await getAdmin()
      const reply = await ask('POST', '/api/v1/users', {
        body: { email, password, role, name: `Person ${people}` },
        token,
      })
      if (reply.status !== 201) throw new Error(`making ${email}: ${reply.status} ${reply.text}`)
      return logIn(email)
    },
    async key(person, extra = {}) {
      const reply = await ask('POST', '/api/v1/api-keys', { body: { name: 'test', ...extra }, token: person.token })
      if (reply.status !== 201) throw new Error(`making a key: ${reply.status} ${reply.text}`)
      return reply.body.key
    },
    async stop() {
      await service.stop()
      if (env.DATA_DIR) return
      await removeDatabase(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
