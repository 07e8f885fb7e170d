/** Wrong webhooks: the start refuses each, and says what was meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accounts, member, role, user, webhooks } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

const people = accounts({ roles: ['USER', 'ADMIN'], keys: true })
const hooks = (declaration: object) =>
  loosely(webhooks, { users: 'user', create: user, ...declaration }) as readonly unknown[]
const all = (declaration: object) => [thing({ changes: true }), ...people, ...hooks(declaration)]

const declares = (endpoint: object) => ({
  endpoints: { shop: { url: 'https://example.com/', secret: () => null, resources: ['things'], ...endpoint } },
})

const rows: readonly (readonly [mistake: string, declaration: object, says: string])[] = [
  ['no rule', { create: undefined }, 'webhooks: needs create'],
  ['an unknown member', { timeout: 3 }, 'webhooks: no member "timeout"; there are users, create, manage, tenant,'],
  ['an endpoint without a secret', declares({ secret: undefined }), 'webhooks: endpoints.shop: needs secret'],
  ['an address of no kind', declares({ url: 3 }), 'webhooks: endpoints.shop.url: must be a text'],
  ['no such event', declares({ events: ['made'] }), 'webhooks: endpoints.shop.events: cannot be "made"'],
  [
    'an endpoint about no resource',
    declares({ resources: ['thing'] }),
    'webhookEndpoint: endpoints.shop.resources: no resource "thing"; did you mean "things"?',
  ],
  [
    'an endpoint about changes that are not kept',
    declares({ resources: ['users'] }),
    'webhookEndpoint: endpoints.shop.resources: no changes of "users" are told: say changes: true there',
  ],
  [
    'a filter of another resource',
    declares({ filters: { users: 'a=1' } }),
    'webhookEndpoint: endpoints.shop.filters: "users" is none of its resources',
  ],
  [
    'no such field',
    declares({ recordFields: { things: ['colour'] } }),
    'webhookEndpoint: endpoints.shop.recordFields.things: no field "colour"',
  ],
  ['no time', { waits: [-1] }, 'webhooks: waits: must be seconds, from 0 on, and is -1'],
  ['no time limit', { timeoutSeconds: 0 }, 'webhooks: timeoutSeconds: must be a whole number from 1'],
  ['no such users', { users: 'person' }, 'webhookEndpoint: field "userId": refers to "person", which is not in'],
  ['no such role', { create: role('EDITOR') }, 'webhookEndpoint: access.create: role("EDITOR"): no such role'],
  ['no such tenant', { tenant: 'thing' }, 'webhookEndpoint: tenant: "thingId" leads to "thing", which belongs to no'],
  [
    'members of none',
    { create: member() },
    'webhookEndpoint: access.create: member(): "webhookEndpoint" has no tenant',
  ],
]

describe('webhooks', () => {
  for (const [mistake, declaration, says] of rows)
    it(mistake, () => {
      const [line = ''] = mistakesOf(all(declaration))
      assert.ok(line.startsWith(says), `${line}\n${says}`)
    })

  it('twice, or of nothing at all', () => {
    assert.match(mistakesOf([...all({}), ...hooks({})])[0] ?? '', /"webhookEndpoint" is also declared/)
    const none = loosely(webhooks, undefined) as readonly unknown[]
    assert.match(mistakesOf([thing({ changes: true }), ...people, ...none])[0] ?? '', /webhooks: must be an object/)
  })

  it('right ones are no mistakes', () => {
    assert.deepEqual(
      mistakesOf(all({ manage: role('ADMIN'), waits: [0, 1.5], timeoutSeconds: 3, offAfterDays: 1 })),
      [],
    )
  })

  it('without a resource that declares changes', async () => {
    const silent = [thing(), ...people, ...hooks({})]
    await assert.rejects(startService(silent as never), /webhooks: no resource declares changes/)
  })
})
