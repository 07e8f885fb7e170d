/** Starts nginx, HAProxy and Caddy with their files of deploy/, in front of services of a test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../src/testing/postgres.ts'

export const proxyPrograms = ['nginx', 'haproxy', 'caddy'] as const
type ProxyProgram = (typeof proxyPrograms)[number]

export const deploy = join(import.meta.dirname, '../../../../deploy')
export const textOf = (name: string) => readFileSync(join(deploy, name), 'utf8')

export function lacks(program: string): string | false {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return false
  } catch {
    return `${program} is not installed here`
  }
}

type ProxyOptions = {
  readonly folder: string
  readonly upstreams: readonly { readonly url: string }[]
  /** Of silence, in place of all time limits of the file that are longer than 60 s. */
  readonly idleSeconds?: number
}

export type TestProxy = {
  readonly port: number
  /** Resolves with the first answer of 200 at the path. */
  start(path: string): Promise<Response>
  /** As its operator stops it: open streams do not hold it up. */
  stop(): Promise<void>
}

/** Each upstream in place of one of the three that the files have. */
function toUpstreams(text: string, ports: readonly string[]): string {
  return text
    .split('\n')
    .filter(
      (line) =>
        ![4302, 4303].slice(ports.length - 1).some((port) => /^ *server /.test(line) && line.includes(`:${port}`)),
    )
    .join('\n')
    .replaceAll(/127\.0\.0\.1:430([123])/g, (_, number: string) => `127.0.0.1:${ports[Number(number) - 1] ?? ports[0]}`)
}

/** Writes its file, and returns the arguments. */
function writeFiles(program: ProxyProgram, own: string, edit: (text: string) => string): readonly string[] {
  const write = (name: string, text: string) => writeFileSync(join(own, name), text)
  if (program === 'nginx') {
    write('upstream.conf', edit(textOf('upstream.conf')))
    // The pipe to a test is no file that nginx could open.
    write('nginx.conf', edit(textOf('nginx.conf')).replace('/dev/stdout', join(own, 'access.log')))
    return ['-c', join(own, 'nginx.conf'), '-g', `daemon off; pid ${join(own, 'pid')};`]
  }
  if (program === 'haproxy') {
    write('haproxy.cfg', edit(textOf('haproxy.cfg')))
    return ['-f', join(own, 'haproxy.cfg')]
  }
  write('Caddyfile', edit(textOf('Caddyfile')).replace('{\n', '{\n\tadmin off\n'))
  return ['run', '--adapter', 'caddyfile', '--config', join(own, 'Caddyfile')]
}

export async function makeProxy(
  program: ProxyProgram,
  { folder, upstreams, idleSeconds }: ProxyOptions,
): Promise<TestProxy> {
  const port = await freePort()
  const own = join(folder, program)
  mkdirSync(own, { recursive: true })
  const ports = upstreams.map(({ url }) => new URL(url).port)
  const args = writeFiles(program, own, (text) => {
    const moved = toUpstreams(text, ports)
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace('http://:8080', `http://127.0.0.1:${port}`)
    return idleSeconds === undefined ? moved : moved.replaceAll(/\b(75|600)s\b/g, `${idleSeconds}s`)
  })
  let running: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined
  return {
    port,
    async start(path) {
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      running = { child, ended: once(child, 'exit') }
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          said += chunk
        })
      for (let i = 0; i < 2_000; i += 1) {
        const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
        if (reply?.status === 200) return reply
        await reply?.arrayBuffer()
        await sleep(50)
      }
      throw new Error(`${program} does not answer: ${said}`)
    },
    async stop() {
      running?.child.kill('SIGTERM')
      await running?.ended
      running = undefined
    },
  }
}
