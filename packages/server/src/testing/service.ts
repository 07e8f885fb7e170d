/** A real service on a real database for one test file: its own folder, its own port, and people of every role. */
import { type Config, readConfig } from '../config.ts'
import type { Log } from '../http/log.ts'
import type { Declared } from '../resource/define.ts'
import { type Service, start } from '../service/start.ts'
import { type Ask, makeAsk } from './ask.ts'
import { databaseOf, removeDatabase } from './database.ts'
import { removeFolder, temporaryFolder } from './folder.ts'
import { startLogCheck } from './log-check.ts'
import { adminEmail, makePeople, type People, password } from './people.ts'

export type TestService = People & {
  readonly service: Service
  readonly url: string
  readonly ask: Ask
  /** What was logged, line by line. */
  readonly logged: string[]
  /** Throws an `AssertionError` when the change log and the tables disagree. */
  stop(): Promise<void>
}

export function recordingLog(lines: string[]): Log {
  const note = (level: string) => (message: string, detail?: unknown) =>
    void lines.push(`${level} ${message} ${JSON.stringify(detail ?? {})}`)
  return {
    request: (line) => void lines.push(JSON.stringify(line)),
    info: note('info'),
    ready: note('ready'),
    warn: note('warn'),
    error: (message, error) => void lines.push(`error ${message} ${String((error as Error)?.stack ?? error)}`),
    flush: async () => undefined,
  }
}

/** A free port, this data folder, and the database of the test run unless `env` names one. */
export async function readTestConfig(folder: string, env: Record<string, string>): Promise<Config> {
  return readConfig({
    PORT: '0',
    DATA_DIR: folder,
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: password,
    ...(env.DATABASE_URL === undefined ? await databaseOf(folder) : {}),
    ...env,
  })
}

export async function startService(
  declarations: readonly Declared[],
  env: Record<string, string> = {},
): Promise<TestService> {
  const folder = env.DATA_DIR ?? temporaryFolder()
  const logged: string[] = []
  const config = await readTestConfig(folder, env)
  const service = await start(config, declarations, recordingLog(logged))
  const log = await startLogCheck(service.engine)
  const ask = makeAsk(service.address)
  return {
    service,
    url: service.address,
    ask,
    logged,
    ...makePeople(ask, service.engine),
    async stop() {
      await log.check().finally(() => service.stop())
      if (env.DATA_DIR) return
      await removeDatabase(folder)
      removeFolder(folder)
    },
  }
}
