/** Runs the application in a process of its own, which each change replaces. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** `errors`: the last part of its stderr, which is shown at once while it serves. */
export type ProcessEnd = { readonly code: number | null; readonly errors: string }

export type ApplicationProcess = {
  /** Its address once it answers, or how it ended before. */
  readonly started: Promise<string | ProcessEnd>
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<ProcessEnd>
  /**
   * Ends it with SIGTERM, and with SIGKILL when open connections delay that. No acknowledged write
   * is lost.
   */
  stop(): Promise<void>
}

/**
 * A process that has loaded the engine, most of the work of a start, and waits for a message to
 * load the application.
 */
export type PreparedProcess = {
  /** Sends the message. Call it once. */
  serve(): ApplicationProcess
  /** Ends the process before it has served. */
  drop(): void
}

const drainMs = 100
/** The reason for an end is printed last, and the process may have run for days. */
const errorsKept = 100_000

/**
 * `command`: the words of a command whose program waits for a message. Its output goes where this
 * process's output goes.
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
    child.once('message', (message) => {
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
      child.send('serve', () => undefined) // if it has ended already, `started` reports that
      return served
    },
    drop: () => void child.kill('SIGKILL'),
  }
}
