/**
 * Processes of the benchmark: starts each on a core of its own, waits for it, and reads its memory.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Servers share one core, what asks them has another. */
export type Core = 'server' | 'load'

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A core for each, or undefined where processes cannot be pinned or there is only one core. */
export const cores: Readonly<Record<Core, string>> | undefined =
  availableParallelism() > 1 && hasTaskset() ? { server: '0', load: '1' } : undefined

/** This process too: what it does must not disturb the servers. */
if (cores) execFileSync('taskset', ['-cp', cores.load, String(process.pid)], { stdio: 'ignore' })

export const pinning = cores
  ? 'each server alone on core 0, the load on core 1'
  : 'not pinned: taskset or a second core is missing, so servers and load share what there is'

export type Command = readonly [file: string, ...args: string[]]
type Options = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly ipc?: boolean
  /** `read`: this process reads standard output through a socket, and throws away what comes. */
  readonly output?: 'show' | 'read'
}

const running = new Set<ChildProcess>()

/** The command that runs the command on that core. */
export function pinned(core: Core, [file, ...args]: Command): Command {
  return cores ? ['taskset', '-c', cores[core], file, ...args] : [file, ...args]
}

/**
 * The JSON that a script of the benchmark prints, run on the servers' core. `before`: a program
 * that runs it.
 */
export async function printedBy<T>(script: string, given: readonly string[], before?: Command): Promise<T> {
  const own: Command = [process.execPath, join(import.meta.dirname, script), ...given]
  const [first, ...args] = pinned('server', before ? [...before, ...own] : own)
  return JSON.parse((await promisify(execFile)(first, args)).stdout) as T
}

export function launch(core: Core, command: Command, options: Options = {}): ChildProcess {
  const [first, ...rest] = pinned(core, command)
  const output = options.output === 'show' ? 'inherit' : 'ignore'
  const stdout = options.output === 'read' ? 'pipe' : output
  const child = spawn(first, rest, {
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    stdio: ['ignore', stdout, output, ...(options.ipc ? (['ipc'] as const) : [])],
  })
  child.stdout?.resume()
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** SIGTERM, and SIGKILL for a process that is still there after a while. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  const late = setTimeout(() => child.kill('SIGKILL'), 12_000)
  await ended
  clearTimeout(late)
}

export async function endAll(): Promise<void> {
  await Promise.all([...running].map(end))
}

/**
 * Not the one of the tests: that loads the embedded PostgreSQL, which decides how the process ends.
 */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export type Served = {
  readonly port: number
  readonly child: ChildProcess
  /** From the start of the process to its first answer that is no fault. */
  readonly readyMs: number
}

type Service = {
  readonly command: (port: number) => Command
  readonly env?: (port: number) => Record<string, string>
  readonly cwd?: string
  readonly ready: string
}

/** Starts a server on a free port and asks `ready` until the answer is no fault of the server. */
export async function serve({ command, env, cwd, ready }: Service): Promise<Served> {
  const port = await freePort()
  const began = performance.now()
  const child = launch('server', command(port), { env: env?.(port) ?? {}, cwd })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${command(port).join(' ')} ended with ${child.exitCode}`)
    const response = await fetch(`http://127.0.0.1:${port}${ready}`).catch(() => undefined)
    await response?.arrayBuffer()
    if (response && response.status < 500) return { port, child, readyMs: performance.now() - began }
    if (performance.now() - began > 600_000)
      throw new Error(`${command(port).join(' ')} is not ready after ten minutes`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
