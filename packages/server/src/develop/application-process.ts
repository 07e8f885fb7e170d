/** The application as a process of its own, which a change replaces. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** `errors`: the end of what it said on stderr, which is shown as it comes once it serves. */
export type ProcessEnd = { readonly code: number | null; readonly errors: string }

export type ApplicationProcess = {
  /** Its address when it answers, or how it ended before. */
  readonly started: Promise<string | ProcessEnd>
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<ProcessEnd>
  /**
   * Ends it: by SIGTERM, and by SIGKILL when open connections hold it up. Nothing that was
   * acknowledged is lost by that.
   */
  stop(): Promise<void>
}

/**
 * A process that has loaded the engine, which is most of what a start takes, and waits for the word
 * to load the application.
 */
export type PreparedProcess = {
  /** Gives the word. Called once. */
  serve(): ApplicationProcess
  /** Ends it without its having served. */
  drop(): void
}

const drainMs = 100
/** Why a process has ended is said last, and it may have run for days. */
const errorsKept = 100_000

/**
 * `command`: what a shell would be given, of a program that waits for a message. Its output goes
 * where this process's own goes.
 */
export function prepareApplication(command: readonly string[], folder: string): PreparedProcess {
  const [program = process.execPath, ...given] = command
  const child: ChildProcess = spawn(program, given, { cwd: folder, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  let errors = ''
  let isServing = false
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-errorsKept)
    if (isServing) process.stderr.write(text)
  })
  const ended = once(child, 'close').then(([code]): ProcessEnd => ({ code: code as number | null, errors }))
  const address = new Promise<string>((resolve) => {
    child.on('message', (message) => {
      isServing = true
      process.stderr.write(errors)
      resolve((message as { address: string }).address)
    })
  })
  const served: ApplicationProcess = {
    started: Promise.race([address, ended]),
    ended,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), drainMs)
      await ended
      clearTimeout(timer)
    },
  }
  return {
    serve() {
      child.send('serve', () => undefined) // one that has ended already says so by `started`
      return served
    },
    drop: () => void child.kill('SIGKILL'),
  }
}
