/**
 * The service with webhooks, for processes that are killed. Leases of the dead are short, so that
 * no test waits a minute for each.
 */
import { runService } from '../../src/index.ts'
import { limits } from '../../src/limits.ts'
import { library } from './library-with-hooks.ts'

Object.assign(limits.effects, { leaseMs: 2_000, checkMs: 500 })
await runService(async () => library({ waits: Array.from({ length: 200 }, () => 0.1), timeoutSeconds: 1 }))
