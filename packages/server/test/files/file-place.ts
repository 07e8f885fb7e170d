/** A data folder whose service with files a test starts, stops and kills as often as it likes. */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from 'bindery-server/test'

type Started = { readonly child: ChildProcess; readonly api: string }

export async function filePlace(t: TestContext, server = 'file-server.ts') {
  const program = join(import.meta.dirname, server)
  const folder = temporaryFolder()
  const database = await databaseOf(folder)
  let child: ChildProcess | undefined
  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  t.after(async () => {
    await stop('SIGKILL')
    await removeDatabase(folder)
    removeFolder(folder)
  })
  return {
    folder,
    stop,
    /** Runs a command on the folder. Returns its values. */
    async command(...args: readonly string[]): Promise<unknown> {
      const env = { ...process.env, DATA_DIR: folder, ...database }
      const ran = promisify(execFile)(process.execPath, [program, ...args, '--json'], { env })
      // Doctor fails where it has found something.
      const { stdout } = await ran.catch((error: { stdout: string }) => error)
      return JSON.parse(stdout)
    },
    async start(env: Record<string, string> = {}): Promise<Started> {
      const own = { PORT: '0', HOST: '127.0.0.1', DATA_DIR: folder, ...database, ...env }
      child = fork(program, { env: { ...process.env, ...own }, stdio: 'inherit' })
      const [address] = (await once(child, 'message')) as [string]
      return { child, api: `${address}/api/v1` }
    },
  }
}
