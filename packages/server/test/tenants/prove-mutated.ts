/** Runs the proof in a process of its own. It ends with a status of its own for a difference. */
import { AssertionError } from 'node:assert'
import { closedClubhouse } from './closed-clubhouse.ts'
import { foundDifference, proveTenants } from './proof.ts'

try {
  const { statuses, opened, asked } = await proveTenants({
    declarations: closedClubhouse,
    requests: Number(process.env.TENANT_REQUESTS ?? 2000),
    seed: Number(process.env.TENANT_SEED ?? 20_261_126),
  })
  process.stdout.write(`${JSON.stringify([Object.fromEntries(statuses), Object.fromEntries(opened), asked])}\n`)
  process.exit(0)
} catch (error) {
  process.stdout.write(`${String((error as Error)?.message ?? error).slice(0, 2000)}\n`)
  process.exit(error instanceof AssertionError ? foundDifference : 2)
}
