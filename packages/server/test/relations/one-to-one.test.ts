/**
 * One-to-one relations (`oneToOne`): the other side has one record or null, at every door. A second
 * record is refused by writes, restores and migrations.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyone,
  boolean,
  defineResource,
  id,
  oneToOne,
  owner,
  reference,
  text,
  user,
  where,
} from '../../src/index.ts'
import { findMistakes } from '../../src/resource/check.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'
import type { Answer } from './links-world.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const ships = defineResource({
  name: 'ship',
  path: '/ships',
  fields: { id: id(), name: text({ required: true, maxLength: 50 }) },
  list: { style: 'page', sortable: ['name'] },
  access: { read: anyone, write: user },
  children: { log: { resource: 'log', by: 'shipId' }, berth: { resource: 'berth', by: 'shipId' } },
})
/** Made below its ship, and seen by its owner alone. */
const logs = defineResource({
  name: 'log',
  path: '/logs',
  trash: { days: 7 },
  fields: {
    id: id(),
    port: text({ maxLength: 50 }),
    isOpen: boolean({ default: true }),
    shipId: oneToOne('ship', { required: true, onDelete: 'delete' }),
    ownerId: reference(people.users.name, { setBy: 'principal' }),
  },
  list: { style: 'page' },
  access: { read: where({ isOpen: true }), write: owner('ownerId'), create: user },
})
/** A berth may be empty. */
const berths = defineResource({
  name: 'berth',
  path: '/berths',
  fields: { id: id(), quay: text({ maxLength: 9 }), shipId: oneToOne('ship') },
  list: { style: 'page', bulk: true },
  access: { read: anyone, write: user },
})

const service = await startService([ships, logs, berths, ...people])
after(() => service.stop())
const ann = await service.person()
const ask = async (method: string, path: string, body?: unknown, as: TestPerson = ann) =>
  (await service.ask(method, `/api/v1${path}`, {
    token: as.token,
    ...(body !== undefined && { body }),
  })) as unknown as Answer
const made = async (path: string, body: unknown): Promise<string> => {
  const answer = await ask('POST', path, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}
const query = async (text: string) => {
  const { body } = (await service.ask('POST', '/graphql', { token: ann.token, body: { query: text } })) as Answer
  assert.equal(body.errors, undefined, JSON.stringify(body.errors))
  return body.data
}

const [argo, beagle] = [await made('/ships', { name: 'Argo' }), await made('/ships', { name: 'Beagle' })]

describe('the one record below another', () => {
  it('is created, read, changed and deleted at a path without an id', async () => {
    assert.equal((await ask('GET', `/ships/${argo}/log`)).status, 404)
    assert.equal((await ask('PATCH', `/ships/${argo}/log`, { port: 'Kos' })).status, 404)
    const created = await ask('POST', `/ships/${argo}/log`, { port: 'Kos' })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    assert.equal(created.body.shipId, argo)
    assert.match(created.headers.get('location') ?? '', new RegExp(`/ships/${argo}/log$`))
    const second = await ask('POST', `/ships/${argo}/log`, { port: 'Rhodes' })
    assert.equal(second.status, 409)
    assert.equal(second.body.error, 'shipId must be unique')
    assert.equal((await ask('POST', '/logs', { shipId: argo })).status, 409)
    assert.equal((await ask('PATCH', `/ships/${argo}/log`, { port: 'Delos' })).body.port, 'Delos')
    assert.equal((await ask('GET', `/ships/${argo}/log`)).body.id, created.body.id)
    assert.equal((await ask('DELETE', `/ships/${argo}/log`)).status, 204)
    assert.equal((await ask('GET', `/ships/${argo}/log`)).status, 404)
  })

  it('comes back from the trash where no other has its place', async () => {
    const first = await made(`/ships/${beagle}/log`, { port: 'Lima' })
    await ask('DELETE', `/logs/${first}`)
    const next = await made(`/ships/${beagle}/log`, { port: 'Cocos' })
    const refused = await ask('POST', `/logs/${first}/restore`)
    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    await ask('DELETE', `/logs/${next}`)
    assert.equal((await ask('POST', `/logs/${first}/restore`)).status, 200)
    assert.equal((await ask('GET', `/ships/${beagle}/log`)).body.port, 'Lima')
  })

  it('is one record or null in expand and in GraphQL', async () => {
    const { body } = await ask('GET', '/ships?sort=name&expand=log(fields:port),berth')
    assert.deepEqual(
      body.data.map((ship: Answer['body']) => [ship.name, ship.log?.port ?? ship.log, ship.berth]),
      [
        ['Argo', null, null],
        ['Beagle', 'Lima', null],
      ],
    )
    const data = await query('{ ships(sort: "name") { data { name log { port ship { name } } berth { quay } } } }')
    assert.deepEqual(data.ships.data, [
      { name: 'Argo', log: null, berth: null },
      { name: 'Beagle', log: { port: 'Lima', ship: { name: 'Beagle' } }, berth: null },
    ])
    assert.equal((await ask('GET', '/ships?expand=log(limit:2)')).status, 400)
  })

  it('is asked by filters in both directions, by what the caller sees of it', async () => {
    const names = async (filter: unknown) =>
      (await ask('GET', `/ships?sort=name&filter=${encodeURIComponent(JSON.stringify(filter))}`)).body.data.map(
        ({ name }: { name: string }) => name,
      )
    assert.deepEqual(await names({ log: { port: { eq: 'Lima' } } }), ['Beagle'])
    assert.deepEqual(await names({ log: {} }), ['Beagle'])
    assert.deepEqual(await names({ not: { log: {} } }), ['Argo'])
    const { body } = await ask('GET', `/logs?filter=${encodeURIComponent('{"ship":{"name":{"eq":"Beagle"}}}')}`)
    assert.equal(body.data.length, 1)
    const found = await query('{ ships(filter: { log: { port: { eq: "Lima" } } }) { data { name } } }')
    assert.deepEqual(found.ships.data, [{ name: 'Beagle' }])
    // A kept list is dropped when the other record changes, appears or goes.
    await ask('PATCH', `/ships/${beagle}/log`, { isOpen: false })
    assert.deepEqual(await names({ log: {} }), [])
    assert.equal((await ask('GET', `/ships/${beagle}?expand=log`)).body.log, null)
    await made(`/ships/${argo}/log`, { port: 'Lima' })
    assert.deepEqual(await names({ log: { port: { eq: 'Lima' } } }), ['Argo'])
  })

  it('may be missing on either side, and ends with the record that it cannot outlive', async () => {
    const [one, other] = [await made('/berths', { quay: 'A' }), await made('/berths', { quay: 'B' })]
    assert.equal((await ask('PATCH', `/berths/${one}`, { shipId: argo })).status, 200)
    assert.equal((await ask('PATCH', `/berths/${other}`, { shipId: argo })).status, 409)
    assert.equal((await ask('PATCH', '/berths?quay=B&limit=5', { shipId: argo })).status, 409)
    assert.equal((await ask('GET', `/ships/${argo}?expand=berth`)).body.berth.quay, 'A')
    assert.equal((await ask('DELETE', `/ships/${argo}`)).status, 204)
    assert.equal((await ask('GET', `/berths/${one}`)).body.shipId, null)
    assert.equal((await ask('GET', '/logs')).body.data.length, 0)
  })
})

it('documents tell one record or null', async () => {
  const document = (await service.ask('GET', '/openapi.json')) as Answer
  const { paths, components } = document.body
  const own = paths['/api/v1/ships/{id}/log']
  assert.deepEqual(
    Object.keys(own)
      .filter((one) => one !== 'parameters')
      .sort(),
    ['delete', 'get', 'patch', 'post', 'put'],
  )
  assert.deepEqual(components.schemas.Ship.properties.log.anyOf[1], { type: 'null' })
  const { body } = await ask('GET', '/_resources/ships')
  assert.deepEqual(
    body.relations.map(({ name, kind }: Answer['body']) => [name, kind]),
    [
      ['log', 'one'],
      ['berth', 'one'],
    ],
  )
  assert.equal(body.children[0].single, true)
})

it('mistakes are found at start', () => {
  const mistakesOf = (shipId: unknown, children: unknown = ships.children) => {
    const child = defineResource({ ...logs, fields: { ...logs.fields, shipId } } as never)
    const above = defineResource({ ...ships, children } as never)
    return findMistakes([above, child, berths, ...people])
  }
  const table: [readonly string[], RegExp][] = [
    [
      mistakesOf(oneToOne('ship', { unique: true } as never)),
      /log: field "shipId": unique: is decided by oneToOne\(\)/,
    ],
    [mistakesOf(oneToOne('shp' as 'ship')), /log: field "shipId": refers to "shp"/],
    [mistakesOf(oneToOne('ship', { required: 'yes' } as never)), /required/],
    [
      mistakesOf(logs.fields.shipId, { log: { resource: 'log', by: 'shipId', single: true } }),
      /ship: children.log: "shipId" of "log" is oneToOne\(\), so each record has one or none: leave single out/,
    ],
  ]
  for (const [mistakes, sentence] of table) assert.match(mistakes.join('\n'), sentence)
  assert.deepEqual(findMistakes([ships, logs, berths, ...people]), [])
})
