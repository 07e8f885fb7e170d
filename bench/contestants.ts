/** The contestants of the benchmark: how to start each server, its requests and its credentials. */
import { readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { adminEmail, benchPassword, type Filled, readerEmail } from './fill.ts'
import { type Command, type Served, serve } from './processes.ts'
import type { Ask } from './workloads.ts'

export type Contestant = {
  readonly name: string
  start(): Promise<Served>
  /** The request as bytes for its socket; undefined: it has nothing of the kind. */
  requestOf(ask: Ask, credentials: Credentials): string | undefined
  logIn(port: number): Promise<Credentials>
}

export type Credentials = { readonly token: string; readonly key: string }

const root = join(import.meta.dirname, '..')
/** This Node, for the script as for npm. */
const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
/** The command of `npm start`. */
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** `{ path: '/books', query: { author: 'x' } }` → the text of an HTTP/1.1 request. */
export function textOf({ method = 'GET', path, query, body, credential }: Ask, { token, key }: Credentials): string {
  const target = query ? `${path}?${new URLSearchParams(query)}` : path
  const content = body === undefined ? undefined : JSON.stringify(body)
  const lines = [`${method} ${target} HTTP/1.1`, 'host: 127.0.0.1']
  if (credential === 'token') lines.push(`authorization: Bearer ${token}`)
  if (credential === 'key') lines.push(`x-api-key: ${key}`)
  if (content !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(content)}`)
  return `${lines.join('\r\n')}\r\n\r\n${content ?? ''}`
}

async function call(url: string, body: unknown, token?: string): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}

/** Tokens last 15 minutes, so this is done anew for each workload; the key is made once. */
async function logInToBindery(port: number, keys: Map<number, string>): Promise<Credentials> {
  const address = `http://127.0.0.1:${port}`
  const { accessToken: token } = await call(`${address}/auth/login`, { email: readerEmail, password: benchPassword })
  if (!keys.has(port)) {
    const admin = await call(`${address}/auth/login`, { email: adminEmail, password: benchPassword })
    const { key } = await call(`${address}/api/v1/api-keys`, { name: 'bench' }, admin.accessToken)
    keys.set(port, key as string)
  }
  return { token: token as string, key: keys.get(port) as string }
}

type BinderyOptions = {
  readonly name?: string
  readonly env?: Readonly<Record<string, string>>
  /** A program that runs it. */
  readonly before?: Command | readonly []
}

/** As its users start it, with nothing set but where the data is. Its log goes to /dev/null. */
export function bindery(dataDir: string, { name = 'Bindery', env = {}, before = [] }: BinderyOptions = {}): Contestant {
  const keys = new Map<number, string>()
  return {
    name,
    start: () =>
      serve({
        command: () => [...before, 'sh', '-c', scripts.start],
        env: (port) => ({ PATH: path, DATA_DIR: dataDir, PORT: String(port), ...env }),
        cwd: root,
        ready: '/readyz',
      }),
    requestOf: textOf,
    logIn: (port) => logInToBindery(port, keys),
  }
}

export function handWritten({ plainFile }: Filled): Contestant {
  return {
    name: 'hand-written',
    start: () =>
      serve({
        command: (port) => [process.execPath, join(root, 'bench/hand-written.ts'), String(port), plainFile],
        ready: '/livez',
      }),
    requestOf: textOf,
    logIn: (port) => call(`http://127.0.0.1:${port}/auth/bench`, {}) as Promise<never>,
  }
}

/** Answers whatever it is asked with these bodies. */
export function bare(file: string): { start(): Promise<Served>; remove(): void } {
  return {
    start: () =>
      serve({ command: (port) => [process.execPath, join(root, 'bench/bare.ts'), String(port), file], ready: '/' }),
    remove: () => rmSync(file, { force: true }),
  }
}
