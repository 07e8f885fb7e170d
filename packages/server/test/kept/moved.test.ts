/** Pages of a list while records before them come, go and change: as they are made anew, and without a read where their records are known. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Person,
  type Reply,
  removeDatabase,
  removeFolder,
  startService,
  type TestService,
  temporaryFolder,
} from '../helpers/application.ts'
import { wrapKnownTotal, wrapReads } from '../helpers/wrapped-reads.ts'
import { makeRandom } from '../scale/random-requests.ts'

const folder = temporaryFolder()
let keeping: TestService
let plain: TestService
let editor: Person
/** Pages that were read from the database. */
let pagesRead = 0
/** Which places the last of these reads asked for: from where on, and how many. */
let askedFor: readonly [offset: number, limit: number]
/** What happens before a total is counted, once. */
let beforeCount: (() => Promise<unknown>) | undefined

before(async () => {
  const env = { DATA_DIR: folder, WORKERS: '2', RATE_LIMIT: '' } // each sees at once what the other wrote
  keeping = await startService(env, { limits: { keptAnswersBytesMax: 60_000 } }) // some of them in the file
  plain = await startService({ ...env, KEEP_ANSWERS: 'false' })
  editor = await keeping.person('EDITOR')
  wrapReads(keeping.service.engine, ['page'], (own) => {
    return (...args: unknown[]) => {
      pagesRead += 1
      const { offset, limit } = args[1] as { readonly offset: number; readonly limit: number }
      askedFor = [offset, limit]
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

async function write(method: string, id: string, body?: object, by = keeping): Promise<Reply> {
  const reply = await by.ask(method, `/api/v1/editions${id}`, { token: editor.token, ...(body && { body }) })
  assert.ok(reply.status < 300, reply.text)
  return reply
}
const create = (values: object, by = keeping) =>
  write('POST', '', { title: 'Größe 😀', subject: 'Maps', ...values }, by)

const shown = ({ status, headers, text }: Reply) =>
  [status, ...['etag', 'link', 'x-total-count', 'vary', 'content-type'].map((name) => headers.get(name)), text].join(
    '\n',
  )

/** Asks both, compares, and returns how many pages were read for it. */
async function look(path: string): Promise<number> {
  const readBefore = pagesRead
  const kept = await keeping.ask('GET', path)
  const read = pagesRead - readBefore
  // What the page showed counts when nothing was written before that is known.
  await keeping.service.engine.storage.changes.catchUp()
  assert.equal(shown(kept), shown(await plain.ask('GET', path)), path)
  return read
}

const pageOf = (page: number, rest = '') => `/api/v1/editions?page=${page}&limit=3${rest}`

/** Looks at the fourth page, the second, the first and the third. Returns how many pages were read for each. */
async function lookAtAll(rest = ''): Promise<number[]> {
  const read: number[] = []
  for (const page of [4, 2, 1, 3]) read.push(await look(pageOf(page, rest)))
  return read
}
const none = [0, 0, 0, 0]

test('a page that has moved is put together of what was shown before and of what was written', async () => {
  for (let price = 1; price <= 15; price += 1) await create({ price })
  await lookAtAll()
  assert.deepEqual(await lookAtAll(), none, 'kept')
  await create({ price: 20 })
  assert.deepEqual(await lookAtAll(), none, 'the pages beside each other have its records')
  const { body } = await create({ price: 21 })
  assert.deepEqual(await lookAtAll(), none)
  await write('PATCH', `/${body.id}`, { summary: 'Changed in its place' })
  assert.deepEqual(await lookAtAll(), none)
  await write('DELETE', `/${body.id}`)
  assert.deepEqual(await lookAtAll(), none)
})

test('a page that shows a part of each record is read for what was written, and else once', async () => {
  const part = '&fields=id,title,summary'
  await lookAtAll(part)
  assert.deepEqual(await lookAtAll(part), none, 'kept')
  await create({ price: 20 })
  assert.deepEqual(await lookAtAll(part), [1, 1, 1, 1], 'moved for the first time')
  const { body } = await create({ price: 21 })
  assert.deepEqual(await lookAtAll(part), [0, 0, 1, 0], 'only the first shows a record that nobody has seen')
  await write('PATCH', `/${body.id}`, { summary: 'Changed in its place' })
  assert.deepEqual(await lookAtAll(part), [0, 0, 1, 0])
  await write('DELETE', `/${body.id}`)
  assert.deepEqual(await lookAtAll(part), none, 'what comes back was shown before')
})

test('of a page beside which nobody has looked, what is missing is read, with all before it that nobody knows', async () => {
  for (let price = 1; price <= 12; price += 1) await create({ price, subject: 'Lone' })
  const third = pageOf(3, '&subject=Lone')
  const read: number[] = []
  for (let price = 20; price < 29; price += 1) {
    read.push(await look(third))
    await create({ price, subject: 'Lone' })
  }
  assert.deepEqual(read, [1, 1, 0, 0, 0, 0, 0, 0, 0])
  assert.deepEqual(askedFor, [0, 7], 'from the first place to the first of the page')
})

test('no more than 40 records are read before what is missing, and none that is known', async () => {
  const rest = '&subject=Far&sort=-price'
  const look3 = (page: number) => look(pageOf(page, rest))
  for (let price = 1; price <= 63; price += 1) await create({ price, subject: 'Far' })
  await look3(19)
  await create({ price: 100, subject: 'Far' })
  assert.deepEqual([await look3(19), askedFor], [1, [14, 41]])
  for (let price = 101; price <= 140; price += 1) {
    await create({ price, subject: 'Far' })
    assert.equal(await look3(19), 0, `the record at ${price} pushes a known one onto the page`)
  }
  await create({ price: 200, subject: 'Far' })
  await look3(1)
  await create({ price: 201, subject: 'Far' })
  await look3(1)
  assert.deepEqual([await look3(3), askedFor], [1, [6, 3]], 'not moved, but made for the first time')
  await create({ price: 202, subject: 'Far' })
  assert.deepEqual(
    [await look3(3), askedFor],
    [1, [5, 2]],
    'in front are the first page and two records that it showed before',
  )
})

test('the last page of a list is made anew, and not read for its records before that', async () => {
  for (let price = 1; price <= 5; price += 1) await create({ price, subject: 'Few' })
  const last = pageOf(2, '&subject=Few')
  await look(last)
  await create({ price: 0, subject: 'Few' })
  assert.deepEqual([await look(last), askedFor], [1, [3, 3]])
})

test('no more is read than a page shows where that would be of no use', async () => {
  for (const rest of ['&subject=Lone&fields=id,title', '&subject=Lone&expand=shelf']) {
    await look(pageOf(3, rest))
    await create({ price: 30, subject: 'Lone' })
    assert.deepEqual([await look(pageOf(3, rest)), askedFor], [1, [6, 3]], rest)
  }
})

test('what has moved into a page belongs to it', async () => {
  const second = pageOf(2, '&fields=id,title,summary')
  for (let round = 0; round < 4; round += 1) {
    await create({ price: 40 })
    await look(second)
    const { data } = (await keeping.ask('GET', second)).body
    const [first, , last] = data as { id: string }[]
    await write('PATCH', `/${first?.id}`, { summary: `First ${round}` })
    assert.equal(await look(second), 1)
    await write('PATCH', `/${last?.id}`, { summary: `Last ${round}` })
    assert.equal(await look(second), 1)
    await write('PATCH', `/${last?.id}`, { summary: `Last again ${round}` })
  }
})

test('a write by another process makes each page of the list anew', async () => {
  const second = pageOf(2)
  await create({ price: 30 })
  await look(second)
  await create({ price: 31 }, plain)
  assert.deepEqual([await look(second), askedFor], [1, [0, 6]])
  await create({ price: 32 })
  await look(pageOf(1))
  await look(second)
})

test('a page that shows other records beside its own is not made of what earlier pages showed of them', async () => {
  const { body: shelf } = await keeping.ask('POST', '/api/v1/shelves', { body: { label: 'Before', room: 'East' } })
  const empty = '/api/v1/editions?subject=Ferns&limit=1&page=2&expand=shelf'
  await look(empty)
  await create({ subject: 'Ferns', price: 1, shelfId: shelf.id })
  await look(empty)
  await look(empty.replace('page=2', 'page=1'))
  const changed = await keeping.ask('PATCH', `/api/v1/shelves/${shelf.id}`, { body: { label: 'After' } })
  assert.equal(changed.status, 200)
  await create({ subject: 'Ferns', price: 2, shelfId: shelf.id })
  await look(empty)
  assert.match((await keeping.ask('GET', empty)).text, /After/)
})

test('what is written while the total is counted is in the records too, or in neither', async () => {
  const ids: string[] = []
  for (let price = 1; price <= 9; price += 1) ids.push((await create({ subject: 'Moss', price })).body.id)
  const mosses = (page: number) => pageOf(page, '&subject=Moss')
  const writes = [
    () => create({ subject: 'Moss', price: 50 }),
    () => write('PATCH', `/${ids.shift()}`, { subject: 'Fern' }),
  ]
  for (const first of writes) {
    for (let round = 0; round < 2; round += 1) {
      for (const page of [1, 2, 3]) await look(mosses(page))
      await first()
    }
    beforeCount = () => write('DELETE', `/${ids.pop()}`)
    const { text } = await keeping.ask('GET', mosses(2))
    assert.equal(beforeCount, undefined, 'counted')
    assert.equal(text, (await plain.ask('GET', mosses(2))).text)
  }
})

test('those who ask for a changed page at once wait for the one of them who makes it', async () => {
  const third = pageOf(3)
  for (let round = 0; round < 3; round += 1) {
    await look(third)
    await create({ price: 60 })
    const readBefore = pagesRead
    const texts = await Promise.all(Array.from({ length: 10 }, async () => (await keeping.ask('GET', third)).text))
    assert.ok(pagesRead - readBefore <= 1, `${pagesRead - readBefore} read it`)
    assert.deepEqual(new Set(texts), new Set([(await plain.ask('GET', third)).text]))
  }
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
  let [asked, read] = [0, 0]
  for (let i = 0; i < 25; i += 1) await change()
  for (let step = 0; step < 150; step += 1) {
    await change()
    const rest = rests[Math.floor(step / 10) % rests.length]
    for (let i = 0; i < 6; i += 1) {
      read += await look(pageOf(1 + Math.floor(random() * 6), rest))
      asked += 1
    }
  }
  assert.ok(read < 0.25 * asked, `seed ${seed}: ${read} of ${asked} pages were read`)
})

test('pages that are read while others write are right when all is written', async () => {
  const random = makeRandom(7)
  const pages = Array.from({ length: 40 }, () =>
    pageOf(1 + Math.floor(random() * 6), random() < 0.5 ? '' : '&sort=-price'),
  )
  for (let round = 0; round < 15; round += 1) {
    const writes = Array.from({ length: 6 }, (_, i) => create({ price: Math.floor(random() * 12) + i / 10 }))
    await Promise.all([...pages.map((path) => keeping.ask('GET', path)), ...writes])
    for (const path of new Set(pages)) await look(path)
  }
})
