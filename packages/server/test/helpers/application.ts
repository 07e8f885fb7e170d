/**
 * Starts the application of the engine's own tests: in this process, with a clock that the test
 * sets, or as a process of its own.
 */
import { fileURLToPath } from 'node:url'
import {
  type ServerProcess,
  type SpawnOptions,
  spawnServer as spawnOf,
  startService as startOf,
  type TestOptions,
  type TestService,
} from 'bindery-server/test'
import { resources } from '../application/resources/index.ts'

export * from 'bindery-server/test'
export { resources }

export const applicationFolder = fileURLToPath(new URL('../application/', import.meta.url))

export function startService(
  env: Record<string, string> = {},
  options: Omit<TestOptions, 'env'> = {},
): Promise<TestService> {
  return startOf(resources, { ...options, env })
}

/** Starts the application's `main.ts`, unless another command is given. */
export function spawnServer(options: Partial<SpawnOptions> = {}): ServerProcess {
  return spawnOf({ command: ['main.ts'], cwd: applicationFolder, ...options })
}
