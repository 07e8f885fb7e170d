/**
 * The address of an endpoint: a caller that changes it sees what is sent there. And the changes of
 * one transaction are read once for its deliveries.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { anonymous } from '../../src/resource/principal.ts'
import { startService } from '../../src/testing/index.ts'
import { keepAgain } from '../../src/webhooks/keep-again.ts'
import { library } from './library-with-hooks.ts'

const service = await startService(library(), { env: { OUTGOING_ALLOW: '127.0.0.1' } })
after(() => service.stop())

const moved = { url: 'https://example.net/hooks' }

it('a key moves an endpoint where its scopes name the resources of it', async () => {
  const ann = await service.person()
  const body = { url: 'https://example.com/hooks', resources: ['notes'], active: false }
  const made = await service.ask('POST', '/api/v1/webhook-endpoints', { body, token: ann.token })
  assert.equal(made.status, 201, made.text)
  const at = `/api/v1/webhook-endpoints/${made.body.id}`
  const statusOf = async (scopes: readonly string[], values: object) => {
    const key = await service.key(ann, { scopes })
    return (await service.ask('PATCH', at, { body: values, key })).status
  }
  const narrow = ['webhook-endpoints:write']
  assert.equal(await statusOf(narrow, { resources: ['notes'] }), 403)
  assert.equal(await statusOf(narrow, moved), 403)
  assert.equal(await statusOf([...narrow, 'books:read'], moved), 403)
  assert.equal(await statusOf(narrow, { description: 'Of the shop' }), 200)
  assert.equal(await statusOf([...narrow, 'notes:read'], moved), 200)
})

it('only its owner says where an endpoint is: it is sent what the owner may see', async () => {
  const [ann, admin] = [await service.person(), await service.admin()]
  const { url } = moved
  const body = { url: 'https://example.com/hooks', resources: ['notes'], active: false }
  const made = await service.ask('POST', '/api/v1/webhook-endpoints', { body, token: ann.token })
  const patch = (values: object, { token }: { readonly token: string }) =>
    service.ask('PATCH', `/api/v1/webhook-endpoints/${made.body.id}`, { body: values, token })
  const refused = await patch({ url }, admin)
  assert.equal(refused.status, 403, refused.text)
  assert.match(refused.body.error, /^Only the owner of an endpoint sets its url/)
  const same = await patch({ url: body.url, description: 'Seen by an operator' }, admin)
  assert.equal(same.status, 200, same.text)
  assert.equal((await patch({ url }, ann)).body.url, url)
})

it('a transaction is read once for its deliveries, as long as its owner has the same rights', async () => {
  let reads = 0
  let nowMs = 0
  const again = keepAgain(
    async () => {
      reads += 1
      return []
    },
    { clock: () => nowMs, keptMs: 1_000 },
  )
  const asked = { caller: { ...anonymous }, after: 'a', place: 'b', resources: [], filters: null }
  await Promise.all([again(asked), again(asked), again({ ...asked })])
  assert.equal(reads, 1)
  const other = { ...asked, place: 'c' }
  await again(other)
  assert.equal(reads, 2)
  const withOtherRights = { ...other, caller: { ...anonymous } }
  for (let i = 0; i < 2; i += 1) await again(withOtherRights)
  assert.equal(reads, 3)
  nowMs = 1_000
  await again(withOtherRights)
  assert.equal(reads, 4)
})
