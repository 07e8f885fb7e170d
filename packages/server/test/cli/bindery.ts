/**
 * Runs the real command line on a data folder of its own: in this process, or in a separate one for
 * tests about processes.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { databaseOf, removeDatabase, temporaryFolder } from 'bindery-server/test'
import { type Ran, runInProcess } from './in-process.ts'

export const mainFile = new URL('../application/bindery.ts', import.meta.url).pathname

export type { Ran }

/**
 * A long command says every second how far it is, so a slow machine has such lines where a fast one
 * has none.
 */
const progressLines = /^.*: \d+ rows, \d+ rows\/s.*\n/gm

export type Bindery = {
  /** The data folder; files may go there too. */
  readonly folder: string
  path(name: string): string
  /** In a process of its own. */
  start(args: readonly string[], options?: Options): Promise<ReturnType<typeof spawn>>
  /** In this process, unless `alone` or arguments for Node say otherwise, or it would serve. */
  run(args: readonly string[], options?: Options): Promise<Ran>
  /** The NDJSON or JSON that the command prints with `--json`. Throws when the command fails. */
  values(...args: readonly string[]): Promise<Record<string, unknown>[]>
}
type Options = {
  readonly input?: string
  readonly alone?: boolean
  readonly nodeArgs?: readonly string[]
  readonly env?: Variables
}
type Variables = Readonly<Record<string, string>>

/** For tests about SQLite files, or about databases that they name themselves. */
export const embedded: Variables = { DATABASE_URL: '' }

/**
 * Variables by which `run.ts` configures test files; other tests of this process read them while a
 * command runs.
 */
const ofTheRun = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => /^BINDERY_TEST_/.test(name)))

/**
 * `always` is the environment of every run, `main` the command line of an application. Without a
 * `DATABASE_URL` in it, the commands use the database of the test run.
 */
export function makeBindery(t: Pick<TestContext, 'after'>, always: Variables = {}, main = mainFile): Bindery {
  const folder = temporaryFolder()
  t.after(async () => {
    await removeDatabase(folder)
    rmSync(folder, { recursive: true, force: true })
  })

  async function environment(env: Variables): Promise<NodeJS.ProcessEnv> {
    const database = always.DATABASE_URL === undefined ? await databaseOf(folder) : {}
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    return { PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: folder, ...database, ...always, ...env }
  }

  async function start(args: readonly string[], { nodeArgs = [], env = {} }: Options = {}) {
    return spawn(process.execPath, [...nodeArgs, main, ...args], { env: await environment(env) })
  }

  async function runAlone(args: readonly string[], options: Options): Promise<Ran> {
    const child = await start(args, options)
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [stdout, stderr] = await Promise.all([
      text(child.stdout as NodeJS.ReadableStream),
      text(child.stderr as NodeJS.ReadableStream),
    ])
    return { code: await code, stdout, stderr: stderr.replace(progressLines, '') }
  }

  async function run(args: readonly string[], options: Options = {}): Promise<Ran> {
    const { input = '', env = {}, nodeArgs, alone = nodeArgs !== undefined || args[0] === 'serve' } = options
    if (alone) return runAlone(args, options)
    return runInProcess({ main, args, env: { ...ofTheRun(), ...(await environment(env)) }, input })
  }

  return {
    folder,
    path: (name) => join(folder, name),
    start,
    run,
    async values(...args) {
      const { code, stdout, stderr } = await run([...args, '--json'])
      if (code !== 0) throw new Error(`bindery ${args.join(' ')} ended with ${code}: ${stderr}`)
      const lines = stdout.split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  }
}
