/**
 * The address of the console that a start prints on its own terminal, with a code that works once.
 * It is never logged, and none is made where others can reach the service.
 */
import type { Config } from '../config.ts'
import { readBuild } from '../console/built-files.ts'
import { isOwnMachine } from '../settings/network-settings.ts'
import { firstEmail } from './first-admin.ts'
import type { StartedService } from './start.ts'

/**
 * `opens`: a path, with a code that logs in. Without it the first operator is taken over, at every
 * start until it logs in, unless the environment chose it.
 */
export async function printConsoleAddress(
  config: Config,
  { address, engine }: Pick<StartedService, 'address' | 'engine'>,
  opens: string | undefined,
): Promise<void> {
  const { consolePath } = engine.settings
  const isAsked = opens !== undefined || config.admin === undefined
  if (!isAsked || consolePath === undefined || !isOwnMachine(config.host) || !readBuild()) return
  const purpose = opens === undefined ? 'take-over' : 'log-in'
  const code = await engine.identity.consoleCodes?.issue(purpose, firstEmail(config))
  if (code === undefined) return
  const name = opens === undefined ? 'take-over' : 'code'
  const stream = opens === undefined ? process.stderr : process.stdout
  stream.write(`Open the console: ${address}${consolePath}${opens ?? ''}#${name}=${code}\n`)
}
