/** Starts the shop on a real database for one test file, with a user of every role. */
import { startService as startOf, type TestOptions, type TestService } from 'bindery-server/test'
import { resources } from '../../resources/index.ts'

export * from 'bindery-server/test'

export function startService(
  env: Record<string, string> = {},
  options: Omit<TestOptions, 'env'> = {},
): Promise<TestService> {
  return startOf(resources, { ...options, env })
}
