/**
 * Runs a program of the application, such as its server, in a process of its own. It reads the
 * output, and stops the process by signals.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { dirname, extname, join } from 'node:path'
import { removeFolder, temporaryFolder } from './folder.ts'
import { password } from './fresh-records.ts'
import { adminEmail } from './people.ts'

export type ExitedProcess = { readonly code: number | null; readonly signal: string | null; readonly ms: number }
export type ServerProcess = {
  readonly child: ChildProcess
  readonly folder: string
  stdout(): string
  stderr(): string
  /** The lines of stdout, as JSON. */
  lines(): Record<string, unknown>[]
  /** Its address, once it is ready. Rejects when the process ends first. */
  ready(): Promise<string>
  /** Resolves when the text has been written to stdout. */
  wrote(text: string, msMax?: number): Promise<void>
  readonly ended: Promise<ExitedProcess>
  /** Sends the signal; resolves when the process has ended, with `ms` counted from the call. */
  stop(signal?: NodeJS.Signals): Promise<ExitedProcess>
}

export type SpawnOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** `['main.ts']` runs a file of `cwd` with this Node; `['npm', 'start']` a program. */
  readonly command: readonly [string, ...string[]]
  readonly cwd: string
}

/** A process without output for so long is stuck, however slow the machine is. */
const stuckMs = 240_000

/**
 * The program `bindery` as a file, for a test that runs it by this Node: `[process.execPath,
 * program, 'start']`.
 */
export const program = join(import.meta.dirname, `../bindery${extname(import.meta.filename)}`)

/**
 * Starts a process on a free port. Without `DATA_DIR` in `env` it gets a temporary folder, which is
 * removed when it ends.
 */
export function spawnServer({ env = {}, command, cwd }: SpawnOptions): ServerProcess {
  const folder = env.DATA_DIR ?? temporaryFolder()
  const [file, ...args] = command[0].endsWith('.ts') ? ([process.execPath, ...command] as const) : command
  const child = spawn(file, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME ?? folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      DATA_DIR: folder,
      ADMIN_EMAIL: adminEmail,
      ADMIN_PASSWORD: password,
      ...env,
    },
  })
  const waitForEnd = endWithTestFile(child)
  let out = ''
  let err = ''
  let watchers: (() => void)[] = []
  const note = () => {
    for (const watch of watchers) watch()
  }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
    note()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
    note()
  })
  let stoppedAt = performance.now()
  const ended = new Promise<ExitedProcess>((resolve) => {
    child.once('close', (code, signal) => {
      if (!env.DATA_DIR) removeFolder(folder)
      resolve({ code, signal, ms: performance.now() - stoppedAt })
      note()
    })
  })

  function until<T>(look: () => T | undefined, what: string, msMax: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (run: () => void) => {
        clearTimeout(timer)
        watchers = watchers.filter((one) => one !== watch)
        run()
      }
      const fail = (why: string) => settle(() => reject(new Error(`${what}: ${why}\n${out}\n${err}`)))
      const timer = setTimeout(() => fail(`not within ${msMax} ms`), msMax)
      const watch = () => {
        const found = look()
        if (found !== undefined) settle(() => resolve(found))
        else if (child.exitCode !== null || child.signalCode !== null) fail('the process has ended')
      }
      watchers.push(watch)
      watch()
    })
  }
  return {
    child,
    folder,
    stdout: () => out,
    stderr: () => err,
    lines: () =>
      out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : [])),
    ready: () => until(() => /Bindery is ready on (http:\/\/[^\s"]+)/.exec(out)?.[1], 'ready', stuckMs),
    async wrote(text, msMax = stuckMs) {
      await until(() => out.includes(text) || undefined, `"${text}" on stdout`, msMax)
    },
    get ended() {
      waitForEnd()
      return ended
    },
    stop(signal = 'SIGTERM') {
      waitForEnd()
      stoppedAt = performance.now()
      child.kill(signal)
      return ended
    },
  }
}

/** The processes that run now. One listener ends them all: Node warns of more than ten. */
const runningChildren = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of runningChildren) child.kill('SIGKILL')
})

/**
 * A test with a failed assertion does not stop its process, but the test file must end and report
 * that. So the process keeps the event loop alive only after the returned function was called, and
 * it is killed when the test file exits.
 */
function endWithTestFile(child: ChildProcess): () => void {
  const pipes = [child.stdout, child.stderr] as (Socket | null)[]
  child.unref()
  for (const pipe of pipes) pipe?.unref()
  runningChildren.add(child)
  child.once('close', () => runningChildren.delete(child))
  return () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    for (const pipe of pipes) pipe?.ref()
  }
}
