/** The shop on a real database for one test file, with people of every role. */
import {
  startService as startOf,
  startTurned as startTurnedOf,
  type TestService,
  type TurnedService,
} from 'bindery-server/test'
import { resources } from '../../resources/index.ts'

export * from 'bindery-server/test'

export function startService(env: Record<string, string> = {}): Promise<TestService> {
  return startOf(resources, env)
}

export function startTurned(env: Record<string, string> = {}, clock?: () => number): Promise<TurnedService> {
  return startTurnedOf(resources, env, clock)
}
