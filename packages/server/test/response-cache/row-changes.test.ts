/**
 * Cached pages of a list while records before them are created, deleted and changed: the bytes
 * equal those without a cache.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  removeDatabase,
  removeFolder,
  startService,
  type TestPerson,
  type TestResponse,
  type TestService,
  temporaryFolder,
} from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { wrapKnownTotal, wrapReads } from '../helpers/wrapped-reads.ts'
import { makeRandom } from '../scale/random-requests.ts'

const folder = temporaryFolder()
let keeping: TestService
let plain: TestService
let editor: TestPerson
/** Pages that were read from the database. */
let pagesRead = 0
/** Runs once, before a total is counted. */
let beforeCount: (() => Promise<unknown>) | undefined

before(async () => {
  // each sees at once what the other wrote
  const env = { DATA_DIR: folder, WORKERS: '2', RATE_LIMIT: '' }
  // some of them in the file
  keeping = await startService(env, { limits: { keptAnswersBytesMax: 60_000 } })
  plain = await startService({ ...env, KEEP_ANSWERS: 'false' })
  editor = await keeping.person('EDITOR')
  wrapReads(keeping.service.engine, ['page'], (own) => {
    return (...args: unknown[]) => {
      pagesRead += 1
      return own(...args)
    }
  })
  wrapKnownTotal(
    keeping.service.engine,
    (own) =>
      (...args) =>
        beforeCount ? undefined : own(...args),
  )
  wrapReads(keeping.service.engine, ['count'], (own) => {
    return (...args: unknown[]) => {
      if (!beforeCount) return own(...args)
      const before = beforeCount()
      beforeCount = undefined
      return before.then(() => own(...args))
    }
  })
})
after(async () => {
  await keeping.stop()
  await plain.stop()
  await removeDatabase(folder)
  removeFolder(folder)
})

async function write(method: string, id: string, body?: object, by = keeping): Promise<TestResponse> {
  const reply = await by.ask(method, `/api/v1/editions${id}`, { token: editor.token, ...(body && { body }) })
  assert.ok(reply.status < 300, reply.text)
  return reply
}
const create = (values: object, by = keeping) =>
  write('POST', '', { title: 'Größe 😀', subject: 'Maps', ...values }, by)

const shown = ({ status, headers, text }: TestResponse) =>
  [status, ...['etag', 'link', 'x-total-count', 'vary', 'content-type'].map((name) => headers.get(name)), text].join(
    '\n',
  )

/** Asks both, and compares. */
async function look(path: string): Promise<void> {
  assert.equal(shown(await keeping.ask('GET', path)), shown(await plain.ask('GET', path)), path)
}

const pageOf = (page: number, rest = '') => `/api/v1/editions?page=${page}&limit=3${rest}`

test('what is written while the total is counted is in the records too, or in neither', async () => {
  const ids: string[] = []
  for (let price = 1; price <= 9; price += 1) ids.push((await create({ subject: 'Moss', price })).body.id)
  const mosses = (page: number) => pageOf(page, '&subject=Moss')
  for (let round = 0; round < 2; round += 1) {
    for (const page of [1, 2]) await look(mosses(page))
    await write('PATCH', `/${ids.shift()}`, { subject: 'Fern' }) // behind the page
    beforeCount = () => write('DELETE', `/${ids.pop()}`)
    const { text } = await keeping.ask('GET', mosses(2))
    assert.equal(beforeCount, undefined, 'counted')
    assert.equal(text, (await plain.ask('GET', mosses(2))).text)
  }
})

test('those who ask for a changed page at once wait for the one of them who makes it', async () => {
  const third = pageOf(3)
  const reads: number[] = []
  for (let round = 0; round < 5; round += 1) {
    await look(third)
    await create({ price: 60 })
    const readBefore = pagesRead
    const texts = await Promise.all(Array.from({ length: 10 }, async () => (await keeping.ask('GET', third)).text))
    reads.push(pagesRead - readBefore)
    assert.deepEqual(new Set(texts), new Set([(await plain.ask('GET', third)).text]))
  }
  // While the log is being read, each of them finds the change before the first one reads it.
  assert.ok(Math.min(...reads) <= 1, `${reads} read it`)
})

test('random writes: each page of each order is the one that is made anew', async () => {
  const seed = Number(process.env.KEPT_SEED ?? 20_261_124)
  const random = makeRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const ids: string[] = []
  const changes = {
    create: async (price: number) => void ids.push((await create({ price, copies: price % 3 })).body.id),
    reprice: (price: number) => write('PATCH', `/${pick(ids)}`, { price }),
    rewrite: (price: number) => write('PATCH', `/${pick(ids)}`, { summary: `At ${price}`, copies: price % 2 }),
    delete: () => write('DELETE', `/${ids.splice(Math.floor(random() * ids.length), 1)[0]}`),
  }
  const change = () => {
    const kind = ids.length < 20 ? 'create' : pick(['create', 'create', 'reprice', 'rewrite', 'delete'] as const)
    return changes[kind](Math.floor(random() * 12))
  }
  const rests = [
    '',
    '&sort=-price',
    '&sort=price',
    '&sort=-title',
    '&maxPrice=6&sort=-price',
    '&fields=id,title',
    '&sort=price,-title',
  ]
  for (let i = 0; i < 25; i += 1) await change()
  for (let step = 0; step < shortOr(70, 150); step += 1) {
    await change()
    const rest = rests[Math.floor(step / 10) % rests.length]
    for (let i = 0; i < 6; i += 1) await look(pageOf(1 + Math.floor(random() * 6), rest))
  }
})

test('pages that are read while others write are right when all is written', async () => {
  const random = makeRandom(7)
  const pages = Array.from({ length: 40 }, () =>
    pageOf(1 + Math.floor(random() * 6), random() < 0.5 ? '' : '&sort=-price'),
  )
  for (let round = 0; round < shortOr(6, 15); round += 1) {
    const writes = Array.from({ length: 6 }, (_, i) => create({ price: Math.floor(random() * 12) + i / 10 }))
    await Promise.all([...pages.map((path) => keeping.ask('GET', path)), ...writes])
    for (const path of new Set(pages)) await look(path)
  }
})
