/**
 * Starts several instances of the service on one PostgreSQL, each with its own pools and caches, as
 * if on separate machines.
 */
import { randomBytes } from 'node:crypto'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  sharedCluster,
  startService,
  type TestService,
} from '../helpers/application.ts'
import { stuckMs } from '../helpers/until.ts'

export type Instances = {
  readonly all: readonly TestService[]
  /** The address of their database. */
  readonly url: string
  /** The next instance in turn. */
  next(): TestService
  stop(): Promise<void>
}

export async function startInstances(
  count: number,
  env: Readonly<Record<string, string>> = {},
  clusterUrl = sharedCluster(),
): Promise<Instances> {
  const name = `scale_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(clusterUrl, name)
  // All at once, so that their migrations of the empty database meet.
  const all = await Promise.all(Array.from({ length: count }, () => startService({ DATABASE_URL: url, ...env })))
  let turn = 0
  return {
    all,
    url,
    next() {
      turn += 1
      return all[turn % count] as TestService
    },
    async stop() {
      await Promise.all(all.map((one) => one.stop()))
      await dropPostgresDatabase(clusterUrl, name)
    },
  }
}

/**
 * Returns how long it takes until the check holds, in milliseconds. Where that is stuck, it throws
 * what the check threw last.
 */
export async function until(check: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now()
  for (;;) {
    try {
      await check()
      return performance.now() - sinceMs
    } catch (error) {
      if (performance.now() - sinceMs > stuckMs) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
