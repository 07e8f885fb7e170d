/**
 * Trees, links, orders, counts, computed fields, trash and history on every way between two
 * databases: each table is the same before and after.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { startService, type TestService } from '../../src/testing/index.ts'
import { type Bindery, embedded, makeBindery } from './bindery.ts'
import { depot } from './depot.ts'
import { type Kind, makePlace, on, stored } from './places.ts'

const main = new URL('./depot-command.ts', import.meta.url).pathname
const catalog = makeCatalog(depot)
type Values = Record<string, unknown>

async function serve<Result>(bindery: Bindery, url: string, run: (send: Send) => Promise<Result>): Promise<Result> {
  const service = await startService(depot, { env: { DATABASE_URL: url, DATA_DIR: join(bindery.folder, 'served') } })
  try {
    return await run(async (method, path, body) => {
      const answer = await service.ask(method, `/api/v1${path}`, body === undefined ? {} : { body })
      assert.ok(answer.status < 300, `${method} ${path} ${answer.status} ${answer.text}`)
      return answer.body
    })
  } finally {
    await service.stop()
  }
}
/** The body of an answer, unchecked. */
type Answer = Awaited<ReturnType<TestService['ask']>>['body']
type Send = (method: string, path: string, body?: object) => Promise<Answer>

async function fill(send: Send): Promise<void> {
  const made = async (path: string, body: object) => (await send('POST', path, body)).id as string
  const [red, blue] = [await made('/labels', { name: 'red' }), await made('/labels', { name: 'blue' })]
  const top = await made('/bins', { name: 'top' })
  const low = await made('/bins', { name: 'low', aboveId: top })
  // The file lists a record before the one above it.
  await send('PATCH', `/bins/${top}`, { aboveId: await made('/bins', { name: 'above' }) })
  const of: string[] = []
  for (const [n, heat] of [0.1, -1e21, 5e-324, 1.5, null].entries())
    of.push(
      await made('/parts', {
        name: `p${n}`,
        binId: n < 3 ? low : top,
        heat,
        mass: `900719925474099${n}`,
        price: `${n}.05`,
        at: `2026-01-0${n + 1}T00:00:00.000Z`,
        labels: [{ id: blue, why: 'OLD', n }, red],
        ...(n === 2 && { place: { before: of[0] } }),
      }),
    )
  await send('PATCH', `/parts/${of[0]}`, { name: 'renamed', labels: [red] })
  await made('/seals', { note: 'one', partId: of[0] })
  await made('/seals', { note: 'none' })
  await send('DELETE', `/parts/${of[1]}`)
  await send('DELETE', `/bins/${await made('/bins', { name: 'gone', aboveId: low })}`)
  await send('PATCH', '/rules', { title: 'Ours', most: 1e-7, first: [blue] })
}

/** The copy works on as the first did. */
async function assertWorks(bindery: Bindery, url: string): Promise<void> {
  await serve(bindery, url, async (send) => {
    const { data: bins } = await send('GET', '/bins?sort=name')
    assert.deepEqual(
      bins.map((one: Values) => [one.name, one.parts]),
      [
        ['above', 0],
        ['low', 2],
        ['top', 2],
      ],
    )
    const inBin = `/parts?binId=${bins[1].id}&sort=place`
    const { data: inOrder } = await send('GET', inBin)
    assert.deepEqual(
      inOrder.map((one: Values) => one.name),
      ['p2', 'renamed'],
    )
    const { data: trash } = await send('GET', '/parts?_trash=only')
    await send('POST', `/parts/${trash[0].id}/restore`)
    assert.equal((await send('GET', `/bins/${bins[1].id}`)).parts, 3)
    const [, renamed] = inOrder
    await send('POST', `/parts/${renamed.id}/revert`, { historyVersion: 1 })
    const { name, shout, labels } = await send('GET', `/parts/${renamed.id}?expand=labels`)
    assert.deepEqual([name, shout, labels.length], ['p0', 'P0', 2])
    assert.equal((await send('GET', '/rules/history')).data.length, 2)
    assert.equal((await send('PATCH', '/rules', { title: 'New' })).most, 1e-7)
  })
}

async function filled(t: TestContext) {
  const bindery = makeBindery(t, embedded, main)
  const { url } = await makePlace(t, bindery, 'sqlite')
  await serve(bindery, url, fill)
  return { bindery, url, before: await stored(url, catalog) }
}
async function ran(bindery: Bindery, args: readonly string[], url = ''): Promise<string> {
  const { code, stdout, stderr } = await bindery.run(args, url === '' ? {} : on(url))
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return stdout
}
/** The rows that an export of resources brings, without versions and the ids of links. */
const live = (all: Values) =>
  [...catalog.resources.values()]
    .filter(({ single, traits: { made } }) => !single && (!made || (made.kind === 'links' && made.of === 'part')))
    .map(({ name, traits: { made } }) => [
      name,
      (all[name] as Values[]).map(({ version, ...row }) => ({ ...row, ...(made && { id: '' }) })),
    ])
const plurals = ['labels', 'bins', 'parts', 'seals']
const kinds: readonly Kind[] = ['postgres', 'sqlite']

describe('a database with fields that fill more than their column', { concurrency: 2 }, () => {
  it('is copied there and back', async (t) => {
    const { bindery, url, before } = await filled(t)
    assert.equal(Object.values(before).filter((rows) => (rows as unknown[]).length === 0).length, 1)
    let from = url
    for (const kind of kinds) {
      const to = await makePlace(t, bindery, kind)
      await ran(bindery, ['copy', '--from', from, '--to', to.url])
      assert.deepEqual(await stored(to.url, catalog), before)
      from = to.url
      if (kind === 'postgres') continue
      await assertWorks(bindery, to.url)
    }
    await assertWorks(bindery, url)
  })

  it('is backed up and restored', async (t) => {
    const { bindery, url, before } = await filled(t)
    let from = url
    for (const kind of kinds) {
      const file = bindery.path(`${kind}.tar.zst`)
      await ran(bindery, ['backup', file], from)
      const to = await makePlace(t, bindery, kind)
      await ran(bindery, ['restore', file, '--yes'], to.url)
      assert.deepEqual(await stored(to.url, catalog), before)
      from = to.url
    }
    await assertWorks(bindery, from)
  })

  it('is exported and imported as one file', async (t) => {
    const { bindery, url, before } = await filled(t)
    let from = url
    for (const kind of kinds) {
      const file = bindery.path(`${kind}.ndjson`)
      await ran(bindery, ['export', '--all', file], from)
      const to = await makePlace(t, bindery, kind)
      await ran(bindery, ['import', '--all', file], to.url)
      assert.deepEqual(await stored(to.url, catalog), before)
      from = to.url
    }
    await assertWorks(bindery, from)
  })

  for (const [form, kind] of [
    ['csv', 'postgres'],
    ['ndjson', 'sqlite'],
  ] as const)
    it(`goes into ${kind} resource by resource, as ${form}`, async (t) => {
      const { bindery, url, before } = await filled(t)
      const to = await makePlace(t, bindery, kind)
      const exported = (from: string, plural: string) => ran(bindery, ['export', plural, '--format', form], from)
      for (const plural of plurals) {
        const file = bindery.path(`${kind}-${plural}.${form}`)
        writeFileSync(file, await exported(url, plural))
        await ran(bindery, ['import', plural, file], to.url)
      }
      for (const plural of plurals) assert.equal(await exported(to.url, plural), await exported(url, plural))
      assert.deepEqual(live(await stored(to.url, catalog)), live(before))
    })
})
