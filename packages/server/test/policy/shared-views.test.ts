/** Shared views: people see those of lists that they may see, in their own tenants. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { can, defineResource, id, member, operator, reference, role, sharedViews, text } from '../../src/index.ts'
import { startService as startOf, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { resources as library } from '../application/resources/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { loosely, mistakesOf } from '../mistakes/declaring.ts'

const at = '/api/v1/saved-views'

/** A resource that asks for views: its list would never end by asking them for its own. */
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), savedViewId: reference('savedView') },
  list: { style: 'page' },
  access: { read: can('get', 'savedViewId') },
})

describe('shared views', () => {
  let service: TestService
  let editor: TestPerson
  let reader: TestPerson
  let boss: TestPerson
  const made: Record<string, string> = {}
  const share = (by: TestPerson, body: object) => service.ask('POST', at, { token: by.token, body })
  const namesFor = async ({ token }: Partial<TestPerson>) => {
    const { body } = await service.ask('GET', at, { ...(token !== undefined && { token }) })
    return body.data?.map((one: { name: string }) => one.name) ?? body
  }
  before(async () => {
    service = await startOf([...library, notes, sharedViews({ users: 'member', share: role('EDITOR') })])
    editor = await service.person('EDITOR')
    reader = await service.person('USER')
    boss = await service.person('ADMIN')
    const views = [
      [editor, 'editions', 'Cheap', 'price[lt]=5&fields=title,price'],
      [editor, 'loans', 'Late', 'state=OPEN'],
      [boss, 'members', 'Ann and Ben', 'q=ann'],
      [boss, 'editions', 'All'],
    ] as const
    for (const [by, resource, name, query] of views) {
      const { status, body, text: said } = await share(by, { resource, name, ...(query !== undefined && { query }) })
      assert.equal(status, 201, said)
      assert.equal(body.userId, by.id)
      made[name] = body.id
    }
  })
  after(() => service?.stop())

  test('each caller sees those of lists that they may see', async () => {
    assert.deepEqual(await namesFor(boss), ['All', 'Ann and Ben', 'Cheap', 'Late'])
    assert.deepEqual(await namesFor(editor), ['All', 'Cheap', 'Late'])
    assert.deepEqual(await namesFor(reader), ['All', 'Cheap'])
    assert.deepEqual(await namesFor(reader), ['All', 'Cheap'], 'again, from the cache')
    assert.equal((await service.ask('GET', at)).status, 401)
    const hidden = await service.ask('GET', `${at}/${made.Late}`, { token: reader.token })
    assert.equal(hidden.status, 404)
    const query = '{ savedViews(limit: 50) { data { name } } }'
    const { body } = await service.ask('POST', '/graphql', { token: reader.token, body: { query } })
    assert.deepEqual(body.data?.savedViews.data, [{ name: 'All' }, { name: 'Cheap' }], JSON.stringify(body))
  })

  test('a view is shared of lists that the caller may see, and by those who may share', async () => {
    const list = { resource: 'editions', name: 'Mine' }
    assert.equal((await share(reader, list)).status, 403)
    for (const resource of ['members', 'saved-views', 'notes', 'nothing', 'loan-lines%'])
      assert.equal((await share(editor, { resource, name: 'Mine' })).status, 403, resource)
    assert.equal((await share(editor, { ...list, name: 'Cheap' })).status, 409)
    assert.equal((await share(editor, { ...list, query: 'a'.repeat(2_001) })).status, 400)
    assert.equal((await share(editor, { ...list, userId: boss.id })).status, 400)
  })

  test('their sharers change and delete them, and operators', async () => {
    const change = (by: TestPerson, name: string, body: object) =>
      service.ask('PATCH', `${at}/${made[name]}`, { token: by.token, body })
    assert.equal((await change(reader, 'Cheap', { name: 'Dear' })).status, 403)
    assert.equal((await change(editor, 'All', { name: 'Dear' })).status, 403)
    assert.equal((await change(editor, 'Cheap', { resource: 'loans' })).status, 400)
    assert.equal((await change(editor, 'Cheap', { name: 'Cheapest' })).status, 200)
    assert.equal((await change(boss, 'Cheap', { name: 'Cheap' })).status, 200)
    assert.equal((await service.ask('DELETE', `${at}/${made.All}`, { token: editor.token })).status, 403)
    assert.equal((await service.ask('DELETE', `${at}/${made.Late}`, { token: boss.token })).status, 204)
  })

  test('front ends find them by what they hold', async () => {
    const { body } = await service.ask('GET', '/api/v1/_resources', { token: reader.token })
    const holders = body.resources.filter((one: { holds?: string }) => one.holds === 'views')
    assert.deepEqual(
      holders.map(({ slug, operations, unlisted }: Record<string, unknown>) => ({ slug, operations, unlisted })),
      [{ slug: 'saved-views', operations: ['list', 'get', 'update', 'delete'], unlisted: true }],
    )
  })
})

const fees = defineResource({
  name: 'fee',
  path: '/fees',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club', { required: true, onDelete: 'delete' }), payer: text() },
  list: { style: 'page' },
  access: { read: member('COACH') },
})
const clubViews = sharedViews({ users: 'user', share: member('COACH'), manage: member('OWNER'), tenant: 'club' })

describe('shared views of tenants', () => {
  let service: TestService
  let ann: TestPerson
  let ben: TestPerson
  const clubs: Record<string, string> = {}
  const post = (path: string, { token }: TestPerson, body: object) =>
    service.ask('POST', `/api/v1${path}`, { token, body })
  const namesFor = async ({ token }: TestPerson, headers = {}) => {
    const { body } = await service.ask('GET', at, { token, headers })
    return body.data.map((one: { name: string }) => one.name)
  }
  before(async () => {
    service = await startOf([...clubhouse, fees, clubViews])
    ann = await service.person()
    ben = await service.person()
    for (const [name, by] of Object.entries({ Reds: ann, Blues: ben, Greens: ben }))
      clubs[name] = (await post('/clubs', by, { name })).body.id
    for (const [name, role] of [
      ['Blues', 'PLAYER'],
      ['Greens', 'COACH'],
    ] as const)
      assert.equal((await post('/memberships', ben, { clubId: clubs[name], userId: ann.id, role })).status, 201)
    for (const [name, by] of Object.entries({ Reds: ann, Blues: ben, Greens: ben }))
      for (const resource of ['fees', 'events']) {
        const view = { clubId: clubs[name], resource, name: `${name} ${resource}` }
        const { status, text: said } = await post('/saved-views', by, view)
        assert.equal(status, 201, said)
      }
  })
  after(() => service?.stop())

  test('a role in one club opens no view of another', async () => {
    const own = ['Blues events', 'Greens events', 'Greens fees', 'Reds events', 'Reds fees']
    assert.deepEqual(await namesFor(ann), own)
    assert.deepEqual(await namesFor(ann, { 'X-Tenant': `club:${clubs.Blues}` }), ['Blues events'])
    assert.deepEqual(await namesFor(ben), ['Blues events', 'Blues fees', 'Greens events', 'Greens fees'])
    assert.deepEqual(await namesFor(await service.person()), [])
  })

  test('a view is shared by those who may share in that club', async () => {
    const view = { resource: 'events', name: 'More' }
    assert.equal((await post('/saved-views', ann, { ...view, clubId: clubs.Blues })).status, 403)
    assert.equal((await post('/saved-views', ann, { ...view, clubId: clubs.Greens })).status, 201)
  })

  test('the owner of a club changes the views that others share in it', async () => {
    const { body } = await service.ask('GET', `${at}?resource=events`, { token: ben.token })
    const more = body.data.find((one: { name: string }) => one.name === 'More')
    const rename = (by: TestPerson, one: { id: string }) =>
      service.ask('PATCH', `${at}/${one.id}`, { token: by.token, body: { name: 'Matches' } })
    assert.equal((await rename(ben, more)).status, 200)
    const his = body.data.find((one: { name: string }) => one.name === 'Greens events')
    assert.equal((await rename(ann, his)).status, 403)
  })
})

describe('mistakes of sharedViews', () => {
  const found = (list: readonly unknown[]) => mistakesOf(list).map((line) => line.replace(/^packages\S+: /, ''))

  test('where there are tenants, it names theirs', () => {
    const open = sharedViews({ users: 'user', share: operator })
    assert.deepEqual(found([...clubhouse, open]), [
      "savedView: sharedViews: a view would be seen in every club: say tenant: 'club', the resource of tenants",
    ])
    assert.deepEqual(found([...clubhouse, sharedViews({ users: 'user', share: operator, tenant: 'club' })]), [])
  })

  test('options that there are not, and values of a wrong form', () => {
    const wrong = loosely(sharedViews, { users: 'member', share: 'EDITOR', tenants: 'club' })
    const lines = found([wrong, ...library])
    assert.equal(lines.length, 2, lines.join('\n'))
    assert.match(lines[0] ?? '', /^sharedViews: share: must be one of the rules .* did you mean role\('EDITOR'\)\?$/)
    assert.equal(lines[1], 'sharedViews: no member "tenants"; did you mean "tenant"?')
  })
})
