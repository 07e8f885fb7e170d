/** The other tenant does not exist, with two instances in each world, on one PostgreSQL each. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { long } from '../helpers/long.ts'
import { closedClubhouse } from './closed-clubhouse.ts'
import { proveTenants } from './proof.ts'

const requests = Number(process.env.TENANT_REQUESTS ?? 10_000)
const seed = Number(process.env.TENANT_SEED ?? 20_261_127)

it(`${requests} requests in turn to two instances`, long, async () => {
  const { statuses } = await proveTenants({ declarations: closedClubhouse, requests, seed, instances: 2 })
  assert.ok(statuses.has('200') && statuses.has('201'))
})
