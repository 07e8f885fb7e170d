/** The other tenant does not exist: random requests, and a filter on every field. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { shortOr } from '../helpers/long.ts'
import { branchedClubhouse } from './branched-clubhouse.ts'
import { closedClubhouse } from './closed-clubhouse.ts'
import { checkAnswered, proveTenants } from './proof.ts'

const requests = Number(process.env.TENANT_REQUESTS ?? shortOr(300, 10_000))
const seed = Number(process.env.TENANT_SEED ?? 20_261_126)

it(`${requests} requests have the same answers with another tenant and without it`, async () => {
  checkAnswered(await proveTenants({ declarations: closedClubhouse, requests, seed }))
})

it('so they have where tenants have trees, orders and one-to-one relations', async () => {
  const declarations = branchedClubhouse
  const { opened } = await proveTenants({ declarations, requests: shortOr(200, 3000), seed })
  for (const door of ['create', 'list', 'nested', 'import', 'graphql query'] as const) assert.ok(opened.get(door), door)
})
