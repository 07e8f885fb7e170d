/** Hooks that prepare: before the transaction, with the network, for what callers ask. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import { createRecord } from '../../src/command/console-records.ts'
import { anyone, defineResource, id, reference, state, text, where } from '../../src/index.ts'
import { equal } from '../../src/resource/condition.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { startService, type TestService } from '../../src/testing/index.ts'

let registry: Server
let service: TestService
/** Names that the registry was asked, and the values that the hooks of transactions were given. */
const asked: string[] = []
const given: unknown[] = []
/** The hooks that knew that their write was only tried. */
const tried: string[] = []

const open = { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone, import: anyone }
const url = () => `http://127.0.0.1:${(registry.address() as { port: number }).port}`

const firms = defineResource({
  name: 'firm',
  path: '/firms',
  fields: {
    id: id(),
    name: text({ required: true, unique: true }),
    country: text({ readOnly: true }),
    partOfId: reference('firm'),
    state: state(['NEW', 'OLD'], {
      default: 'NEW',
      readOnly: true,
      transitions: { retire: { from: ['NEW'], to: 'OLD' } },
    }),
  },
  upsert: ['name'],
  list: { style: 'page', bulk: true },
  access: { ...open, replace: anyone, delete: where({ name: 'Free' }), retire: anyone, found: anyone },
  explainAccess: anyone,
  children: { desks: { resource: 'desk', by: 'firmId', inBody: true } },
  hooks: {
    async prepareCreate({ sent, fetch, signal, refuse, previous, dryRun }) {
      assert.equal(previous, null)
      if (dryRun) {
        tried.push(`create ${sent.name}`)
        return { country: 'none yet' }
      }
      const answer = await fetch(`${url()}/${sent.name}`, { signal })
      if (!answer.ok) refuse(`The registry has no ${sent.name}`, 'name')
      return { country: await answer.text() }
    },
    beforeCreate({ prepared }) {
      given.push(prepared)
      return { country: prepared?.country ?? null }
    },
    async prepareUpdate({ sent, previous, fetch, dryRun }) {
      if (dryRun) return void tried.push(`update ${previous.name}`)
      await fetch(`${url()}/${previous.name}>${sent.name}`)
      return previous.name
    },
    beforeUpdate: ({ prepared }) => void given.push(prepared),
    async prepareDelete({ previous, fetch, dryRun }) {
      if (dryRun) return void tried.push(`delete ${previous.name}`)
      return (await fetch(`${url()}/${previous.name}`)).status
    },
    beforeDelete: ({ prepared }) => void given.push(prepared),
    beforeRetire({ previous, refuse, input }) {
      assert.deepEqual(input, {})
      if (previous.name === 'Stays') refuse('It stays', 'name')
      return { country: 'none' }
    },
    beforeFound({ previous, input, refuse }) {
      if (previous.name === 'Childless') refuse('It founds nothing')
      return { country: String(input.name) }
    },
  },
  actions: {
    found: {
      input: { name: text({ required: true }) },
      async run({ record, records }) {
        assert.equal(record.country, 'Daughter')
        await records(firms).create({ name: 'Daughter' })
      },
    },
  },
})

const desks = defineResource({
  name: 'desk',
  fields: {
    id: id(),
    name: text({ required: true }),
    firmId: reference('firm', { setBy: 'parent', onDelete: 'delete' }),
  },
  access: { create: anyone, get: anyone },
  hooks: {
    async prepareCreate({ sent, fetch, refuse }) {
      const { ok } = await fetch(`${url()}/${sent.name}`)
      if (!ok) refuse(`The registry has no ${sent.name}`, 'name')
      return sent.name
    },
    beforeCreate: ({ prepared }) => void given.push(prepared),
  },
})

before(async () => {
  registry = createServer(({ url: path }, response) => {
    const name = decodeURIComponent(String(path).slice(1))
    asked.push(name)
    response.writeHead(name.startsWith('Fake') ? 404 : 200).end('DE')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => registry.once('listening', resolve))
  service = await startService([firms, desks], { env: { OUTGOING_ALLOW: '127.0.0.1' } })
})
after(async () => {
  registry.closeAllConnections()
  registry.close()
  await service.stop()
})
beforeEach(() => {
  asked.length = 0
  given.length = 0
  tried.length = 0
})

const ask = (method: string, path: string, body?: unknown) => service.ask(method, `/api/v1/${path}`, { body })
async function made(name: string): Promise<string> {
  const { status, body, text: said } = await ask('POST', 'firms', { name })
  assert.equal(status, 201, said)
  asked.length = 0
  given.length = 0
  return body.id
}
const namesOf = async () => (await ask('GET', 'firms?limit=100')).body.data.map(({ name }: { name: string }) => name)

describe('a hook that prepares', () => {
  it('reaches the network, and hands its value to the transaction', async () => {
    const { body } = await ask('POST', 'firms', { name: 'One' })
    assert.deepEqual([body.country, asked, given], ['DE', ['One'], [{ country: 'DE' }]])
    await ask('PATCH', `firms/${body.id}`, { name: 'Two' })
    assert.deepEqual([asked.at(-1), given.at(-1)], ['One>Two', 'One'])
  })

  it('refuses with a field, and nothing is stored', async () => {
    const { status, body } = await ask('POST', 'firms', { name: 'Fake' })
    assert.deepEqual([status, body], [400, { error: 'The registry has no Fake' }])
    assert.deepEqual([given, (await namesOf()).includes('Fake')], [[], false])
  })

  it('runs for callers that the rules let in, and for changes', async () => {
    const firm = await made('Kept')
    assert.equal((await ask('DELETE', `firms/${firm}`)).status, 403)
    assert.equal((await ask('PATCH', `firms/${firm}`, { name: 'Kept' })).status, 200)
    assert.deepEqual(asked, [])
  })

  it('runs once for each operation of a batch, before its transaction', async () => {
    const operations = [
      { method: 'POST', path: '/firms', id: 'a', body: { name: 'A' } },
      { method: 'POST', path: '/firms', body: { name: 'B', partOfId: { $id: 'a' } } },
      { method: 'PATCH', path: '/firms/{a}', body: { name: 'A2' } },
      { method: 'POST', path: '/firms', body: { name: 'C' } },
    ]
    const { status, text: said } = await ask('POST', 'batch', { operations })
    assert.equal(status, 200, said)
    assert.deepEqual(asked.toSorted(), ['A', 'A>A2', 'B', 'C'])
    assert.deepEqual((await namesOf()).filter((name: string) => ['A', 'A2', 'B', 'C'].includes(name)).length, 3)
  })

  it('refuses one operation of a batch by its place', async () => {
    const operations = ['X', 'Fake X'].map((name) => ({ method: 'POST', path: '/firms', body: { name } }))
    const { status, body } = await ask('POST', 'batch', { operations })
    assert.deepEqual([status, body.error], [400, 'operations[1]: The registry has no Fake X; nothing was stored'])
    assert.equal((await namesOf()).includes('X'), false)
  })

  it('runs once for a record and each child of its body', async () => {
    const { status, text: said } = await ask('POST', 'firms', { name: 'P', desks: [{ name: 'P1' }, { name: 'P2' }] })
    assert.equal(status, 201, said)
    assert.deepEqual(
      [asked.toSorted(), given.slice(-3)],
      [
        ['P', 'P1', 'P2'],
        [{ country: 'DE' }, 'P1', 'P2'],
      ],
    )
    const { body } = await ask('POST', 'firms', { name: 'Q', desks: [{ name: 'Q1' }, { name: 'Fake Q' }] })
    assert.equal(body.error, 'desks[1]: The registry has no Fake Q')
    assert.equal((await namesOf()).includes('Q'), false)
  })

  it('runs for each record of a bulk write, and for both ways of an upsert', async () => {
    await made('Bulk')
    const query = `firms?name=Bulk&limit=5`
    assert.equal((await ask('PATCH', query, { name: 'Bulk2' })).status, 200)
    await ask('PUT', 'firms?on=name', { name: 'Up' })
    await ask('PUT', 'firms?on=name', { name: 'Up', partOfId: null })
    assert.deepEqual(asked, ['Bulk>Bulk2', 'Up'])
  })

  it('runs once for each line of an import, also of lines about the same record', async () => {
    const lines = [{ name: 'L1' }, { name: 'Fake L' }, { name: 'L1', partOfId: await made('Whole') }, { name: 'L2' }]
    const raw = lines.map((line) => JSON.stringify(line)).join('\n')
    const { body } = await service.ask('POST', '/api/v1/firms/import?on=name', { raw, type: 'application/x-ndjson' })
    const { created, updated, rejected, errors } = body
    assert.deepEqual([created, updated, rejected], [2, 1, 1], JSON.stringify(body))
    assert.equal(errors[0].error, 'The registry has no Fake L')
    const { data } = (await ask('GET', 'firms?limit=100')).body
    const countries = data.filter(({ name }: { name: string }) => /^L\d/.test(name))
    assert.deepEqual(
      countries.map(({ country }: { country: string }) => country),
      ['DE', 'DE'],
    )
  })

  it('prepares nothing that an action writes', async () => {
    const firm = await made('Mother')
    assert.equal((await ask('POST', `firms/${firm}/found`, { name: 'Daughter' })).status, 200)
    assert.deepEqual([asked, given], [[], [undefined, undefined]])
  })
})

describe('a dry run', () => {
  const prefer = (method: string, path: string, body?: unknown) =>
    service.ask(method, `/api/v1/${path}`, { body, headers: { prefer: 'dry-run' } })

  it('tells the hook, so that nothing elsewhere comes of it', async () => {
    const free = await made('Free')
    const made1 = await prefer('POST', 'firms', { name: 'Try' })
    assert.deepEqual([made1.status, made1.body.country], [201, 'none yet'], made1.text)
    assert.equal((await prefer('PATCH', `firms/${free}`, { name: 'Other' })).status, 200)
    assert.equal((await prefer('DELETE', `firms/${free}`)).status, 204)
    const operations = [
      { method: 'POST', path: '/firms', body: { name: 'In a batch' } },
      { method: 'DELETE', path: `/firms/${free}` },
    ]
    const batch = await prefer('POST', 'batch', { operations })
    assert.equal(batch.status, 200, batch.text)
    assert.equal((await prefer('PATCH', 'firms?name=Free&limit=5', { country: undefined, partOfId: free })).status, 200)
    const once = ['create Try', 'update Free', 'delete Free', 'create In a batch', 'delete Free', 'update Free']
    assert.deepEqual([tried, asked], [once, []])
    assert.equal((await namesOf()).filter((name: string) => ['Try', 'In a batch'].includes(name)).length, 0)
  })

  it('of the command line tells it too', async () => {
    const { engine } = service.service
    const trying = { ...engine, isDryRun: true }
    const resource = engine.catalog.get('firm')
    await createRecord(trying, resource, { input: { name: 'By a command' } })
    assert.deepEqual([tried, asked], [['create By a command'], []])
  })

  it('of an erasure, and an explanation, prepare nothing', async () => {
    const id = await made('Erased')
    const { engine } = service.service
    const resource = engine.catalog.get('firm')
    const principal = consolePrincipal(engine.catalog)
    await eraseRecord(engine, { resource, where: equal('id', id), principal, dry: true })
    assert.equal((await prefer('DELETE', `firms/${id}?_explain=access`)).status, 200)
    assert.equal((await ask('POST', 'firms?_explain=access', { name: 'Explained' })).status, 200)
    assert.deepEqual([tried, asked], [[], []])
  })
})

describe('a hook of an action or a transition', () => {
  it('changes the record with it, or refuses it', async () => {
    const [firm, stays] = [await made('Old'), await made('Stays')]
    const { body } = await ask('POST', `firms/${firm}/retire`)
    assert.deepEqual([body.state, body.country], ['OLD', 'none'])
    const refusal = await ask('POST', `firms/${stays}/retire`)
    assert.deepEqual([refusal.status, refusal.body.error], [400, 'It stays'])
    const childless = await ask('POST', `firms/${await made('Childless')}/found`, { name: 'x' })
    assert.deepEqual([childless.status, childless.body.error], [409, 'It founds nothing'])
  })
})
