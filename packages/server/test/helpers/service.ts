/** The shop on a real database for one test file, with people of every role. */

import { fileURLToPath } from 'node:url'
import { resources } from '../../../../apps/shop/resources/index.ts'
import {
  type ServerProcess,
  type SpawnOptions,
  spawnServer as spawnOf,
  startService as startOf,
  startTurned as startTurnedOf,
  type TestService,
  type TurnedService,
} from '../../src/testing/index.ts'

export * from '../../src/testing/index.ts'

export function startService(env: Record<string, string> = {}): Promise<TestService> {
  return startOf(resources, env)
}

export function startTurned(env: Record<string, string> = {}, clock?: () => number): Promise<TurnedService> {
  return startTurnedOf(resources, env, clock)
}

export const projectFolder = fileURLToPath(new URL('../../../..', import.meta.url))

export function spawnServer(options: Partial<SpawnOptions> = {}): ServerProcess {
  return spawnOf({ command: ['apps/shop/main.ts'], cwd: projectFolder, ...options })
}
