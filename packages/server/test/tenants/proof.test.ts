/** The other tenant does not exist: random requests, and a filter on every field. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { shortOr } from '../helpers/long.ts'
import { closedClubhouse } from './closed-clubhouse.ts'
import { doors } from './doors.ts'
import { proveTenants } from './proof.ts'

const requests = Number(process.env.TENANT_REQUESTS ?? shortOr(300, 10_000))
const seed = Number(process.env.TENANT_SEED ?? 20_261_126)

it(`${requests} requests have the same answers with another tenant and without it`, async () => {
  const { statuses, asked, opened } = await proveTenants({ declarations: closedClubhouse, requests, seed })
  process.stdout.write(`# ${JSON.stringify(Object.fromEntries([...statuses].sort()))}, ${asked} asked by value\n`)
  for (const status of ['200', '201', '400', '401', '403', '404']) assert.ok(statuses.has(status), status)
  for (const door of [...doors, 'invitation' as const])
    assert.ok((opened.get(door) ?? 0) > 0, `no request went through ${door} and was answered`)
})
