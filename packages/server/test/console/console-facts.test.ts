/** `defineConsole` over HTTP: its answer for each caller, its files, and its tenants. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { buildConsole } from '../../../console/build.ts'
import type { ConsoleDescription } from '../../src/client/index.ts'
import { defineConsole, member } from '../../src/index.ts'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { resources } from './own-console.ts'

const factsPath = '/api/v1/_console'

describe('the console of an application', () => {
  let service: TestService
  before(async () => {
    await buildConsole()
    service = await startOf(resources)
  })
  after(() => service?.stop())

  const factsFor = async (token: string): Promise<ConsoleDescription> =>
    (await service.ask('GET', factsPath, { token })).body

  it('answers the callers whom it admits', async () => {
    const editor = await service.person('EDITOR')
    const { logo, modules, ...look } = await factsFor(editor.token)
    assert.deepEqual(look, { name: 'The <Library>', accent: { light: '#8a3b12', dark: '#b38065' } })
    assert.match(logo ?? '', /^\/console\/own\/logo\?v=\w+$/)
    assert.deepEqual(
      modules.map(({ name, label, labels }) => [name, label, labels?.de]),
      [
        ['pages/stock-report', 'Stock report', 'Bestand'],
        ['cells/edition.price', 'Price', undefined],
        ['actions/edition.print', 'Print', undefined],
        ['widgets/poster.width', 'Width', undefined],
      ],
    )
    const member = await service.person()
    assert.equal((await service.ask('GET', factsPath, { token: member.token })).status, 403)
    assert.equal((await service.ask('GET', factsPath)).status, 401)
  })

  it('serves the files that it names, and no others', async () => {
    const { logo = '', modules } = await factsFor((await service.person('EDITOR')).token)
    for (const { address } of modules) {
      const { status, headers, text } = await service.ask('GET', address)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
      assert.match(text, /export (async )?function mount/)
    }
    const image = await service.ask('GET', logo)
    assert.equal(image.headers.get('content-type'), 'image/svg+xml')
    assert.match(image.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
    for (const name of ['label.js', 'logo.svg', '..%2fown-console.ts', '%2e%2e%2fown-console.ts', 'constructor'])
      assert.equal((await service.ask('GET', `/console/own/${name}`)).status, 404, name)
  })

  it('says its name and its look in the page, with every letter escaped', async () => {
    const { text } = await service.ask('GET', '/console/editions', { headers: { accept: 'text/html' } })
    assert.match(text, /<title>The &lt;Library&gt;<\/title>/)
    assert.match(text, /name="bindery-console-look" content="\{&quot;name&quot;:&quot;The &lt;Library&gt;&quot;/)
    assert.match(text, /&quot;logo&quot;:&quot;\.\/own\/logo\?v=/)
  })
})

it('a console admits the owners of any tenant, and in a named tenant its own', async (t) => {
  const service = await startOf([...clubhouse, defineConsole({ access: member('OWNER') })])
  t.after(() => service.stop())
  const [owner, player] = [await service.person(), await service.person()]
  const statusFor = async ({ token }: { token: string }, tenant?: string) =>
    (await service.ask('GET', factsPath, { token, headers: tenant ? { 'x-tenant': tenant } : {} })).status
  assert.equal(await statusFor(owner), 403)
  const clubOf = async ({ token }: { token: string }, name: string) =>
    (await service.ask('POST', '/api/v1/clubs', { token, body: { name } })).body.id as string
  const own = await clubOf(owner, 'Reds')
  const other = await clubOf(await service.person(), 'Blues')
  const body = { clubId: own, userId: player.id, role: 'PLAYER' }
  assert.equal((await service.ask('POST', '/api/v1/memberships', { token: owner.token, body })).status, 201)
  assert.deepEqual([await statusFor(owner), await statusFor(player)], [200, 403])
  assert.equal(await statusFor(owner, own), 200)
  assert.notEqual(await statusFor(owner, other), 200)
  const toldFor = async (person: { token: string }, tenant?: string) => {
    const headers = tenant ? { headers: { 'x-tenant': `club:${tenant}` } } : {}
    const { body } = await service.ask('GET', '/api/v1/_resources', { token: person.token, ...headers })
    return body.tenancies
  }
  const club = { name: 'club', resource: 'clubs', isAbove: false }
  assert.deepEqual(await toldFor(player), [{ ...club, memberships: [{ id: own, role: 'PLAYER' }] }])
  const second = await clubOf(owner, 'Whites')
  assert.deepEqual(
    new Set((await toldFor(owner))[0].memberships.map(({ id }: { id: string }) => id)),
    new Set([own, second]),
  )
  assert.deepEqual(await toldFor(owner, own), [{ ...club, memberships: [{ id: own, role: 'OWNER' }] }])
  assert.deepEqual(await toldFor(await service.person('SUPPORT')), [{ ...club, isAbove: true, memberships: [] }])
})
