/**
 * Two kinds of tenants in one application. Signed addresses of files and endpoints of webhooks keep
 * the tenant of their request, and its kind.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import {
  accounts,
  type DeclaredResource,
  defineResource,
  defineTenancy,
  file,
  id,
  member,
  reference,
  roleField,
  text,
  user,
  webhooks,
} from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'
import { makeSettle } from '../events/reader.ts'
import { until } from '../helpers/until.ts'
import { startReceiver } from '../webhooks/receiver.ts'

function kind<const N extends string>(name: N) {
  const tenants = defineResource({
    name,
    path: `/${name}s`,
    fields: { id: id() },
    list: { style: 'page' },
    access: { read: user, create: user },
  })
  const members = defineResource({
    name: `${name}Member`,
    path: `/${name}-members`,
    fields: {
      id: id(),
      [`${name}Id`]: reference(name, { required: true, onDelete: 'delete' }),
      userId: reference('user', { required: true, onDelete: 'delete' }),
      role: roleField({ default: 'PLAYER' }),
    },
    list: { style: 'page' },
    access: { read: user },
  } as never)
  const tenancy = defineTenancy(name, {
    members: `${name}Member`,
    user: 'userId',
    role: 'role',
    roles: ['PLAYER', 'OWNER'],
  } as never)
  return [tenants, members, tenancy]
}

const plans = defineResource({
  name: 'plan',
  path: '/plans',
  tenant: 'clubId',
  fields: {
    id: id(),
    title: text({ maxLength: 80 }),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    sheet: file(),
  },
  list: { style: 'page' },
  access: { read: member(), write: member() },
  changes: true,
} as never)

const service = await startService(
  [
    ...accounts({ roles: ['USER', 'ADMIN'] }),
    ...kind('club'),
    ...kind('firm'),
    plans,
    ...webhooks({ users: 'user', tenant: 'club', create: member() } as never),
  ] as unknown as readonly DeclaredResource[],
  { env: { RATE_LIMIT: '', OUTGOING_ALLOW: '127.0.0.1' } },
)
const receiver = await startReceiver()
after(async () => {
  await service.stop()
  await receiver.stop()
})

it('signed addresses and endpoints work in the tenant that their request named', async () => {
  const { token } = await service.person()
  const send = async (method: string, path: string, options: object = {}) => {
    const answer = await service.ask(method, `/api/v1${path}`, { token, ...options })
    assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`)
    return answer.body
  }
  const { id: clubId } = await send('POST', '/clubs', { body: {} })
  await send('POST', '/firms', { body: {} })
  const headers = { 'x-tenant': `club:${clubId}` }
  const plan = await send('POST', '/plans', { body: { clubId, title: 'A' }, headers })
  await send('PUT', `/plans/${plan.id}/sheet`, { raw: 'sheet', type: 'text/plain', headers })
  const { url } = await send('POST', `/plans/${plan.id}/sheet/_link`, { headers })
  const signed = await fetch(`${service.url}${url}`)
  assert.deepEqual([signed.status, await signed.text()], [200, 'sheet'])

  await makeSettle(service.ask, { token, headers } as never, 'plans', { clubId, title: 'settled' })()
  const sent = { url: receiver.url, resources: ['plans'], clubId }
  const made = await send('POST', '/webhook-endpoints', { body: sent, headers })
  receiver.state.secret = made.secret
  await send('PATCH', `/plans/${plan.id}`, { body: { title: 'B' }, headers })
  await until(() => receiver.received.length > 0, 'the change is received')
  assert.deepEqual(
    receiver.received.map(({ type }) => type),
    ['plans.change'],
  )
})
