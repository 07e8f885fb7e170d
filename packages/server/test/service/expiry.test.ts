/**
 * States that expire: the declared move runs with its effects, only when the settings turn it on,
 * and one failure stops no other.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { anyone, defineResource, id, integer, reference, state, text, timestamp } from '../../src/index.ts'
import { equal } from '../../src/resource/condition.ts'
import { sweep } from '../../src/service/sweep.ts'
import { databaseOf, startService } from '../../src/testing/index.ts'
import { findingsOf } from '../cli/ward.ts'
import { people } from './people.ts'

const hour = 60 * 60_000

const lamps = defineResource({
  name: 'lamp',
  path: '/lamps',
  fields: { id: id(), stock: integer({ default: 0 }) },
  list: { style: 'page' },
  access: { create: anyone, get: anyone },
})
const bids = defineResource({
  name: 'bid',
  path: '/bids',
  fields: {
    id: id(),
    lampId: reference('lamp', { required: true }),
    note: text(),
    droppedBy: reference('member', { readOnly: true, onDelete: 'clear' }),
    status: state(['OPEN', 'PAID', 'GONE'], {
      default: 'OPEN',
      readOnly: true,
      transitions: {
        pay: { from: ['OPEN'], to: 'PAID' },
        drop: { from: ['OPEN', 'PAID'], to: 'GONE', stamp: 'goneAt' },
      },
      expires: { transition: 'drop', from: ['OPEN'], since: 'madeAt', after: ({ pendingSeconds }) => pendingSeconds },
    }),
    madeAt: timestamp({ setOn: 'create' }),
    goneAt: timestamp({ setOn: 'transition' }),
  },
  list: { style: 'page', sortable: ['madeAt'] },
  access: { create: anyone, get: anyone, pay: anyone, drop: anyone },
  actions: {
    drop: {
      async run({ record, records, caller, refuse }) {
        await records(bids).update(record.id, { droppedBy: caller.userId })
        if (record.note === 'stuck') refuse('This bid cannot be dropped')
        const lamp = await records(lamps).get(record.lampId as string)
        await records(lamps).update(lamp.id, { stock: lamp.stock + 1 })
      },
    },
  },
})

async function auction(env: Record<string, string>) {
  const service = await startService([...people, lamps, bids], { env })
  after(() => service.stop())
  const make = async (path: string, body: object): Promise<string> => {
    const reply = await service.ask('POST', `/api/v1${path}`, { body })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id
  }
  const get = async (path: string) => (await service.ask('GET', `/api/v1${path}`)).body
  const lampId = await make('/lamps', {})
  return { service, make, get, lampId, bid: (more = {}) => make('/bids', { lampId, ...more }) }
}

it('what has waited too long takes its move, work and all; what cannot is passed over, and said', async () => {
  const { service, get, lampId, bid } = await auction({ PENDING_TIMEOUT: '2h' })
  const stuck = await bid({ note: 'stuck' })
  const [first, paid] = [await bid(), await bid()]
  await service.ask('POST', `/api/v1/bids/${paid}/pay`)
  const failures: string[] = []
  const report = (message: string, error: unknown) => void failures.push(`${message}: ${(error as Error).message}`)
  const { engine } = service.service
  service.turn(hour)
  await sweep(engine, { report })
  assert.equal((await get(`/bids/${first}`)).status, 'OPEN')
  service.turn(hour)
  const late = await bid()
  await Promise.all([sweep(engine, { report }), sweep(engine, { report })])
  const { status, goneAt } = await get(`/bids/${first}`)
  assert.equal(status, 'GONE')
  assert.ok(Date.parse(goneAt) >= service.now() - 60_000)
  const others = await Promise.all([stuck, paid, late].map(async (one) => (await get(`/bids/${one}`)).status))
  assert.deepEqual(others, ['OPEN', 'PAID', 'OPEN'])
  assert.equal((await get(`/lamps/${lampId}`)).stock, 1, 'once')
  assert.deepEqual(failures, ['drop of an expired bid failed: This bid cannot be dropped'])
})

it('a resource that cannot be swept holds up no other', async () => {
  const { service, get, bid } = await auction({ PENDING_TIMEOUT: '2h' })
  const { engine } = service.service
  const first = await bid()
  service.turn(2 * hour + 1)
  const visits = engine.catalog.get('visit')
  const broken = new Error('no such table')
  const list: typeof engine.storage.list = (resource, request) =>
    resource === visits ? Promise.reject(broken) : engine.storage.list(resource, request)
  const storage = { ...engine.storage, list, by: () => storage }
  const failures: unknown[] = []
  await sweep({ ...engine, storage }, { report: (_, error, detail) => void failures.push([error, detail]) })
  assert.deepEqual(failures, [[broken, { resource: 'visit' }]])
  assert.equal((await get(`/bids/${first}`)).status, 'GONE')
})

it('nothing ends by itself where nobody has said when', async () => {
  const { service, get, bid } = await auction({})
  const first = await bid()
  service.turn(10_000 * hour)
  await sweep(service.service.engine)
  assert.equal((await get(`/bids/${first}`)).status, 'OPEN')
  const { engine } = service.service
  assert.ok(await engine.storage.find(engine.catalog.get('bid'), equal('id', first)))
})

it('an action has no user in a sweep, and none where a stranger asks', async () => {
  const { service, get, bid } = await auction({ PENDING_TIMEOUT: '2h' })
  const [swept, byStranger, byMember] = [await bid(), await bid(), await bid()]
  const member = await service.person()
  assert.equal((await service.ask('POST', `/api/v1/bids/${byStranger}/drop`)).status, 200)
  assert.equal((await service.ask('POST', `/api/v1/bids/${byMember}/drop`, { token: member.token })).status, 200)
  service.turn(2 * hour + 1)
  await service.sweep()
  const found = await Promise.all([swept, byStranger, byMember].map((id) => get(`/bids/${id}`)))
  assert.deepEqual(
    found.map(({ status, droppedBy }) => [status, droppedBy]),
    [
      ['GONE', null],
      ['GONE', null],
      ['GONE', member.id],
    ],
  )
  assert.deepEqual(
    service.logged.filter((line) => line.startsWith('error')),
    [],
  )
})

it('a test sweeps as often as it likes, and each time at once', async () => {
  const { service, get, bid } = await auction({ PENDING_TIMEOUT: '1m' })
  for (let time = 0; time < 3; time += 1) {
    const one = await bid()
    service.turn(61_000)
    await service.sweep()
    assert.equal((await get(`/bids/${one}`)).status, 'GONE', `the ${time + 1}. time`)
  }
  const stuck = await bid({ note: 'stuck' })
  service.turn(61_000)
  await Promise.all([service.sweep(), service.sweep()])
  assert.equal((await get(`/bids/${stuck}`)).status, 'OPEN')
  const said = service.logged.filter((line) => line.startsWith('error drop of an expired bid failed'))
  assert.equal(said.length, 2, 'each round says what failed')
})

it('the doctor, another process, tells of sweeps that fail, until they do no more', async () => {
  const { service, bid } = await auction({ PENDING_TIMEOUT: '2h' })
  const env = { DATA_DIR: service.folder, ...(await databaseOf(service.folder)) }
  const told = async () =>
    (await findingsOf({ env, declarations: [...people, lamps, bids] }))
      .filter(({ check }) => check === 'sweeps')
      .map(({ level, where, what }) => [level, where, what])
  await service.sweep()
  assert.deepEqual(await told(), [])
  const stuck = [await bid({ note: 'stuck' }), await bid({ note: 'stuck' })]
  service.turn(2 * hour + 1)
  const since = new Date(service.now()).toISOString().slice(0, 16)
  await service.sweep()
  const [[level, where, said = ''] = [], ...more] = await told()
  assert.deepEqual([level, where, more], ['warn', 'bid', []])
  const what = `"drop" fails for 2 bid records that have expired, since ${since}`
  assert.ok(said.startsWith(what), said)
  assert.ok(said.endsWith(`: This bid cannot be dropped (id ${stuck[1]})`), said)
  service.turn(hour)
  await service.ask('POST', `/api/v1/bids/${stuck[0]}/pay`)
  await service.sweep()
  const once = `"drop" fails for one bid that has expired, since ${since}`
  assert.ok((await told())[0]?.[2]?.startsWith(once), 'it began then')
  service.turn(hour)
  await service.ask('POST', `/api/v1/bids/${stuck[1]}/pay`)
  await service.sweep()
  assert.deepEqual(await told(), [])
})
