/**
 * Those who follow the feed: the client, which goes on after lost answers and a 410, and the
 * command line.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from 'bindery-server/client'
import { startService, type TestPerson, type TestService } from 'bindery-server/test'
import { makeBindery } from '../cli/bindery.ts'
import { type FaultyProxy, startFaultyProxy } from '../client/faulty-proxy.ts'
import { library } from './library.ts'
import { makeSettle } from './reader.ts'

const command = new URL('./library-command.ts', import.meta.url).pathname

let own: TestService
let proxy: FaultyProxy
let admin: TestPerson
let ann: TestPerson
before(async () => {
  own = await startService(library())
  proxy = await startFaultyProxy(own.url)
  admin = await own.admin()
  ann = await own.person()
})
after(async () => {
  await proxy?.stop()
  await own?.stop()
})

async function note(values: object): Promise<string> {
  const reply = await own.ask('POST', '/api/v1/notes', { body: values, token: admin.token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const isChanges = ({ path }: { readonly path: string }) => path.includes('/_changes')

test('the client follows changes over lost and broken answers, and resumes at a position', async () => {
  const client = createClient({ url: proxy.url, apiKey: await own.key(ann) })
  const { position } = (await client.get('/api/v1/_changes')).meta
  const ids = [await note({ ownerId: ann.id, rank: 1 }), await note({ ownerId: ann.id, rank: 8 })]
  proxy.fail(isChanges, { kind: 'lose' }, { kind: 'cut' })
  const end = new AbortController()
  const seen: string[] = []
  let last = ''
  const filters = { notes: { rank: { lt: 5 } } }
  for await (const change of client.changes({ resources: ['notes'], filters, after: position, signal: end.signal })) {
    assert.ok(change.type !== 'lost')
    seen.push(`${change.type} ${change.id}`)
    last = change.position ?? last
    if (seen.length === 1) await own.ask('DELETE', `/api/v1/notes/${ids[0]}`, { token: admin.token })
    else end.abort()
  }
  assert.deepEqual(seen, [`enter ${ids[0]}`, `delete ${ids[0]}`])

  const more = await note({ ownerId: ann.id })
  for await (const change of client.changes({ resources: ['notes'], after: last })) {
    assert.ok(change.type !== 'lost')
    assert.deepEqual([change.type, change.id], ['enter', more])
    break
  }
})

test('the client says that changes were lost, and goes on from the present', async () => {
  const other = await own.person()
  const positionOf = async ({ token }: TestPerson) =>
    (await own.ask('GET', '/api/v1/_changes', { token })).body.meta.position as string
  const client = createClient({ url: own.url, apiKey: await own.key(ann) })
  const types: string[] = []
  for await (const change of client.changes({ resources: ['notes'], after: await positionOf(other) })) {
    types.push(change.type)
    if (change.type === 'lost') await note({ ownerId: ann.id })
    else break
  }
  assert.deepEqual(types, ['lost', 'enter'])
})

test('a change that moves too many records makes its readers begin anew', async () => {
  const project = await own.ask('POST', '/api/v1/projects', { body: { isOpen: false }, token: admin.token })
  const filter = encodeURIComponent('{"project":{"isOpen":{"eq":true}}}')
  const ask = (more: string) =>
    own.ask('GET', `/api/v1/_changes?resources=notes&filter=${filter}${more}`, { token: ann.token })
  for (let at = 0; at < 1_001; at += 91) {
    const body = { ownerId: ann.id, projectId: project.body.id }
    const operations = Array.from({ length: 91 }, () => ({ method: 'POST', path: '/notes', body }))
    const { status, text } = await own.ask('POST', '/api/v1/batch', { body: { operations }, token: admin.token })
    assert.equal(status, 200, text)
  }
  const settle = makeSettle(own.ask, { token: admin.token })
  await settle()
  const { position } = (await ask('')).body.meta
  await own.ask('PATCH', `/api/v1/projects/${project.body.id}`, { body: { isOpen: true }, token: admin.token })
  await settle()
  const reply = await ask(`&after=${position}`)
  assert.equal(reply.status, 410, reply.text)
  assert.match(reply.body.error, /more than 1000/)
  const next = await ask(`&after=${reply.body.position}`)
  assert.deepEqual([next.status, next.body.data], [200, []])
})

test('bindery changes prints the events of all records, or those of a user', async (t) => {
  const bindery = makeBindery(t, {}, command)
  const make = await bindery.run(['migrate'])
  assert.equal(make.code, 0, make.stderr)
  for (const [name, role] of [
    ['ann', 'USER'],
    ['admin', 'ADMIN'],
  ])
    await bindery.run(
      ['user', 'create', '--email', `${name}@example.com`, '--role', role as string, '--password-stdin'],
      {
        input: 'correct horse battery staple',
      },
    )
  const lines = [
    { title: 'draft', state: 'DRAFT' },
    { title: 'open', state: 'OPEN' },
  ]
  const ran = await bindery.run(['import', 'notes'], { input: lines.map((one) => JSON.stringify(one)).join('\n') })
  assert.equal(ran.code, 0, ran.stderr)
  const all = await bindery.values('changes', 'notes')
  assert.deepEqual(all.map(({ type, record }) => [type, (record as { title: string }).title]).sort(), [
    ['enter', 'draft'],
    ['enter', 'open'],
  ])
  const seen = await bindery.values('changes', '--as', 'ann@example.com')
  assert.deepEqual(
    seen.map(({ type, record }) => [type, (record as { title: string }).title]),
    [['enter', 'open']],
  )
  assert.deepEqual(await bindery.values('changes', '--after', String(all.at(-1)?.position)), [])
  assert.match((await bindery.run(['changes', 'birds'])).stderr, /has no birds/)
})
