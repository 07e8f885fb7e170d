/** Front ends get the declarations at `/_resources`, as far as each caller may use them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FieldDescription, ResourceDescription, ResourceSummary } from '../../src/client/index.ts'
import { permissionsPath } from '../../src/rest/permissions-route.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../helpers/application.ts'

const resourcesPath = '/api/v1/_resources'

describe('the description of the resources', () => {
  let service: TestService
  let member: TestPerson
  let editor: TestPerson
  let admin: TestPerson
  before(async () => {
    service = await startService()
    member = await service.person()
    editor = await service.person('EDITOR')
    admin = await service.admin()
  })
  after(() => service.stop())

  async function listed(by: AskOptions): Promise<readonly ResourceSummary[]> {
    return (await service.ask('GET', resourcesPath, by)).body.resources
  }
  async function described(slug: string, by: AskOptions): Promise<ResourceDescription> {
    return (await service.ask('GET', `${resourcesPath}/${slug}`, by)).body
  }
  async function field(name: string, slug: string, by: AskOptions): Promise<FieldDescription | undefined> {
    return (await described(slug, by)).fields.find((one) => one.name === name)
  }

  it('has what the caller may do and no more, for each kind of caller', async () => {
    for (const by of [{}, { token: member.token }, { token: editor.token }, { token: admin.token }]) {
      const { resources } = (await service.ask('GET', permissionsPath, by)).body
      const found = await listed(by)
      const usable = Object.keys(resources).filter((slug) =>
        Object.values(resources[slug].operations).some((extent) => extent !== 'none'),
      )
      assert.deepEqual(
        found.map(({ slug }) => slug),
        usable,
      )
      for (const { slug, operations } of found) {
        const { operations: told, fields: names } = resources[slug]
        assert.deepEqual(
          operations,
          Object.keys(told).filter((name) => told[name] !== 'none'),
        )
        const { fields } = await described(slug, by)
        const known = new Set<string>([...names.read, ...names.create, ...names.replace, ...names.update])
        assert.deepEqual(new Set(fields.map(({ name }) => name)), known)
        for (const { name, settable } of fields)
          for (const kind of ['create', 'replace', 'update'] as const)
            assert.equal(settable.includes(kind), names[kind].includes(name), `${slug}.${name} ${kind}`)
      }
    }
  })

  it('has no resource and no field that the caller cannot use', async () => {
    assert.equal((await service.ask('GET', `${resourcesPath}/audit-events`, { token: member.token })).status, 404)
    assert.equal((await service.ask('GET', `${resourcesPath}/nothing`, { token: admin.token })).status, 404)
    assert.equal(await field('cost', 'editions', { token: member.token }), undefined)
    assert.notEqual(await field('cost', 'editions', { token: editor.token }), undefined)
  })

  it('says where a resource is declared to those alone who may ask for explanations', async () => {
    const placeFor = async (by: AskOptions) => (await described('editions', by)).declaredIn
    assert.equal(await placeFor({ token: member.token }), undefined)
    assert.match((await placeFor({ token: admin.token })) ?? '', /editions\.ts:\d+$/)
  })

  it('names what is refused to callers who may ask why, and the fields of the users', async () => {
    const { operations, refused } = await described('editions', { token: admin.token })
    const { resources } = (await service.ask('GET', permissionsPath, { token: admin.token })).body
    assert.deepEqual(new Set([...operations, ...(refused ?? [])]), new Set(Object.keys(resources.editions.operations)))
    assert.ok(refused?.includes('import'))
    assert.equal((await described('editions', { token: member.token })).refused, undefined)
    const below = (await listed({ token: admin.token })).flatMap(({ madeBelow }) => madeBelow ?? [])
    for (const { resource, path } of below) {
      const { children } = await described(resource, { token: admin.token })
      assert.ok(children.find((one) => one.path === path)?.operations.includes('create'))
    }
    const users = (await listed({ token: admin.token })).filter((one) => one.users)
    assert.deepEqual(
      users.map(({ slug, users }) => [slug, users]),
      [['members', { name: 'email', role: 'role' }]],
    )
  })

  it('has the hints for the console, without the fields that the caller does not see', async () => {
    const found = await described('editions', { token: member.token })
    assert.deepEqual(
      [found.label, found.labels, found.plurals, found.menu, found.title],
      ['Edition', { en: 'Edition', de: 'Ausgabe' }, { en: 'Editions', de: 'Ausgaben' }, { label: 'Library' }, 'isbn'],
    )
    assert.deepEqual(found.columns, ['title', 'price'])
    assert.deepEqual(found.groups, [
      { label: 'Stock', fields: ['copies', 'available'] },
      { label: 'Geld', labels: { de: 'Geld' }, fields: ['price'] },
    ])
    const named = Object.fromEntries(found.fields.map((one) => [one.name, one]))
    assert.deepEqual(named.price?.labels, { en: 'Price', de: 'Preis' })
    assert.equal(named.summary?.widget, 'markdown')
    assert.equal(found.children[0]?.label, 'What readers say')
    assert.deepEqual((await described('editions', { token: editor.token })).columns, ['title', 'price', 'cost'])
  })

  it('chooses the title of a record: a text that names it, and never a code', async () => {
    const slugs = (await listed({ token: admin.token })).map(({ slug }) => slug)
    const titles = await Promise.all(
      slugs.map(async (slug) => [slug, (await described(slug, { token: admin.token })).title]),
    )
    assert.deepEqual(Object.fromEntries(titles), {
      'access-keys': 'name',
      'basket-lines': 'id',
      'loan-lines': 'title',
      articles: 'title',
      baskets: 'id',
      editions: 'isbn',
      letters: 'text',
      loans: 'id',
      members: 'email',
      opinions: 'headline',
      proofs: 'name',
      shelves: 'label',
      visits: 'device',
    })
    assert.equal((await field('memberId', 'loans', { token: admin.token }))?.label, 'Member')
  })

  it('has an ETag, and refuses other parameters', async () => {
    const by = { token: member.token }
    const etag = (await service.ask('GET', resourcesPath, by)).headers.get('etag') ?? ''
    const again = await service.ask('GET', resourcesPath, { ...by, headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    assert.equal((await service.ask('GET', `${resourcesPath}?of=books`, by)).status, 400)
  })
})
