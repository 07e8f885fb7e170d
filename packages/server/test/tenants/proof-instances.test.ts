/** The other tenant does not exist, with two instances in each world, on one PostgreSQL each. */
import { it } from 'node:test'
import { long } from '../helpers/long.ts'
import { closedClubhouse } from './closed-clubhouse.ts'
import { checkAnswered, proveTenants } from './proof.ts'

const requests = Number(process.env.TENANT_REQUESTS ?? 10_000)
const seed = Number(process.env.TENANT_SEED ?? 20_261_127)

it(`${requests} requests in turn to two instances`, long, async () => {
  checkAnswered(await proveTenants({ declarations: closedClubhouse, requests, seed, instances: 2 }))
})
