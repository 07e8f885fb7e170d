/** Runs the real command line as a process of its own, on a data folder of its own. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { databaseOf, removeDatabase } from 'bindery-server/test'

export const mainFile = new URL('../application/bindery.ts', import.meta.url).pathname

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type Bindery = {
  /** The data folder; files may go there too. */
  readonly folder: string
  path(name: string): string
  start(args: readonly string[], options?: Options): Promise<ReturnType<typeof spawn>>
  run(args: readonly string[], options?: Options): Promise<Ran>
  /** The NDJSON or JSON that the command prints with `--json`. Throws when the command fails. */
  values(...args: readonly string[]): Promise<Record<string, unknown>[]>
}
type Options = {
  readonly input?: string
  readonly nodeArgs?: readonly string[]
  readonly env?: Variables
}
type Variables = Readonly<Record<string, string>>

/** For tests about SQLite files, or about databases that they name themselves. */
export const embedded: Variables = { DATABASE_URL: '' }

/** `always` is the environment of every run, `main` the command line of an application. Without a `DATABASE_URL` in it, the commands use the database of the test run. */
export function makeBindery(t: Pick<TestContext, 'after'>, always: Variables = {}, main = mainFile): Bindery {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-cli-'))
  t.after(async () => {
    await removeDatabase(folder)
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(args: readonly string[], { nodeArgs = [], env = {} }: Options = {}) {
    const database = always.DATABASE_URL === undefined ? await databaseOf(folder) : {}
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    return spawn(process.execPath, [...nodeArgs, main, ...args], {
      env: { PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: folder, ...database, ...always, ...env },
    })
  }

  async function run(args: readonly string[], options: Options = {}): Promise<Ran> {
    const child = await start(args, options)
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [stdout, stderr] = await Promise.all([
      text(child.stdout as NodeJS.ReadableStream),
      text(child.stderr as NodeJS.ReadableStream),
    ])
    return { code: await code, stdout, stderr }
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
