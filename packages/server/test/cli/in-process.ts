/**
 * Runs a program of the command line in this process: the same file with the same arguments, and
 * with replaced environment, input and outputs. A separate process would take a second to load
 * modules that are loaded here already.
 */
import { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

export type Run = {
  /** The file of the program. */
  readonly main: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly input?: string
  /** The folder that it is run in, if not this one. */
  readonly cwd?: string
}
export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

function collector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** Puts these in the place of the process's own, and returns what puts those back. */
function take(properties: Readonly<Record<string, unknown>>): () => void {
  const own = Object.keys(properties).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const)
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true })
  return () => {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor as PropertyDescriptor)
  }
}

/**
 * Returns what takes away the listeners that have been added since: a process that ends takes its
 * own along.
 */
function watchListeners(): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const before = new Map(names.map((name) => [name, process.listeners(name)]))
  return () => {
    for (const name of names)
      for (const listener of process.listeners(name))
        if (!before.get(name)?.includes(listener)) process.off(name, listener)
  }
}

const state = { runs: 0, last: Promise.resolve() as Promise<unknown> }

async function runNow({ main, args, env, input = '', cwd }: Run): Promise<Ran> {
  const [stdout, stderr] = [collector(), collector()]
  const { exitCode } = process
  const folder = process.cwd()
  const dropListeners = watchListeners()
  const giveBack = take({
    argv: [process.execPath, main, ...args],
    env,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  })
  process.exitCode = undefined
  if (cwd !== undefined) process.chdir(cwd)
  try {
    state.runs += 1
    // a program is run by being evaluated
    await import(`${pathToFileURL(main).href}?run=${state.runs}`)
  } catch (error) {
    stderr.stream.write(inspect(error))
    process.exitCode = 1
  }
  const code = Number(process.exitCode ?? 0)
  process.chdir(folder)
  giveBack()
  process.exitCode = exitCode
  dropListeners()
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** One after another: there is one environment and one standard output. */
export function runInProcess(run: Run): Promise<Ran> {
  const ran = state.last.then(() => runNow(run))
  state.last = ran
  return ran
}
