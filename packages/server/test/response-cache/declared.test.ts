/**
 * Random declarations with random rules, and random reads by callers of every kind, on two services
 * with one database. One caches responses, the other does not. Both return the same bytes, in
 * whatever order callers read.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import {
  anyOf,
  anyone,
  apiKey,
  boolean,
  defineResource,
  derived,
  embedded,
  id,
  integer,
  lookup,
  onlyWhen,
  owner,
  reference,
  role,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { removeDatabase, removeFolder, resources, type TestResponse, temporaryFolder } from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { countReads } from './counted-reads.ts'

const rounds = shortOr(2, 40)
const readsEach = 300
const firstSeed = Number(process.env.KEPT_SEED ?? 20_261_126)

type Pick = <T>(list: readonly T[]) => T

/** Rules about the caller, and about records that have an `ownerId` and are `open` or not. */
function makeRules(pick: Pick) {
  const simple = (): Rule<never, never> =>
    pick([anyone, user, role('USER'), role('EDITOR'), role('ADMIN'), apiKey(user), apiKey(role('EDITOR'))])
  const caller = (): Rule<never, never> => {
    const isFirst = pick([true, false])
    return pick([
      simple(),
      simple(),
      anyOf([simple(), simple()]),
      apiKey(anyOf([role('ADMIN'), simple()])),
      onlyWhen(() => isFirst, simple(), simple()),
    ])
  }
  const record = () =>
    pick([
      caller(),
      owner('ownerId'),
      where({ open: true }),
      anyOf([owner('ownerId'), caller()]),
      anyOf([where({ open: true }), apiKey(owner('ownerId'))]),
    ])
  return { caller, record }
}

/** A box has things, a thing has notes; each shows something of the others. */
function declare(pick: Pick): DeclaredResource[] {
  const { caller, record } = makeRules(pick)
  const mayRead = () => (pick([true, true, false]) ? { read: caller() } : {})
  const own = () => ({
    id: id(),
    name: text({ required: true }),
    size: integer(mayRead()),
    word: text(mayRead()),
    open: boolean({ default: false }),
    ownerId: reference('member', { onDelete: 'keep' }),
  })
  const list = { style: 'page', filterable: ['name', 'size', 'open'], sortable: ['name', 'size'] } as const
  const box = defineResource({
    name: 'box',
    path: '/boxes',
    fields: { ...own(), things: embedded('thing', 'boxId'), twice: derived(integer(mayRead()), (one) => one.size * 2) },
    list,
    access: { list: record(), get: record(), create: anyone },
    children: { things: { resource: 'thing', by: 'boxId', operations: ['list'] } },
  })
  const thing = defineResource({
    name: 'thing',
    path: '/things',
    fields: { ...own(), boxId: reference('box', { onDelete: 'keep', required: true }) },
    list,
    access: { list: record(), get: record(), create: anyone },
    children: { notes: { resource: 'note', by: 'thingId', operations: ['list'] } },
  })
  const note = defineResource({
    name: 'note',
    path: '/notes',
    fields: {
      ...own(),
      thingId: reference('thing', { onDelete: 'keep', required: true }),
      told: lookup(text(mayRead()), { via: 'thingId', field: 'name' }),
    },
    list,
    access: {
      list: pick([record(), anyOf([through('thingId', owner('ownerId')), caller()])]),
      get: record(),
      create: anyone,
    },
  })
  return [box, thing, note]
}

const queries = {
  boxes: ['', '?fields=name', '?expand=things', '?expand=things.notes', '?size[gte]=1', '?sort=-size', '?limit=2'],
  things: ['', '?expand=box', '?expand=notes,box', '?filter={"box":{"size":{"gte":1}}}', '?size=1', '?fields=name,box.size'],
  notes: ['', '?expand=thing.box', '?filter={"thing":{"open":{"eq":true}}}', '?sort=size', '?fields=told'],
} // biome-ignore format: a table
const documents = [
  '{ boxes { data { name twice things { name word } } meta { total } } }',
  '{ things { data { name size box { name size } } meta { total } } }',
  '{ notes(filter: { thing: { name: { ne: "x" } } }) { data { name told thing { word box { word } } } } }',
]

function makeReads(pick: Pick, ids: Readonly<Record<string, readonly string[]>>) {
  return (): { method: string; path: string; body?: object } => {
    const slug = pick(Object.keys(queries) as (keyof typeof queries)[])
    const query = pick(queries[slug])
    const one = pick(ids[slug] as string[])
    const below = { boxes: 'things', things: 'notes', notes: undefined }[slug]
    return pick([
      { method: 'GET', path: `/api/v1/${slug}${query}` },
      { method: 'GET', path: `/api/v1/${slug}/${one}${/expand|fields/.test(query) ? query : ''}` },
      { method: 'GET', path: `/api/v1/${slug}/summary?group=open&sum=size` },
      { method: 'GET', path: below ? `/api/v1/${slug}/${one}/${below}` : `/api/v1/${slug}` },
      { method: 'POST', path: '/graphql', body: { query: pick(documents) } },
    ])
  }
}

type Credential = { readonly token?: string; readonly key?: string }

async function callersOf(service: TestService) {
  const [one, editor] = [await service.person(), await service.person('EDITOR')]
  const callers: Credential[] = [
    {},
    { token: (await service.admin()).token },
    { token: one.token },
    { key: await service.key(one) },
    { key: await service.key(one, { scopes: ['things:read'] }) },
    { token: editor.token },
    { key: await service.key(editor) },
    { key: await service.key(editor, { scopes: ['notes:read', 'boxes:list'] }) },
  ]
  return { callers, owners: [one.id, editor.id, null] }
}

async function fill(service: TestService, pick: Pick, owners: readonly (string | null)[]) {
  const ids: Record<string, string[]> = { boxes: [], things: [], notes: [] }
  const add = async (name: string, slug: string, refers: object) => {
    const own = { name: pick(['a', 'b']), size: pick([0, 1, 2]), word: pick(['x', 'y']), open: pick([true, false]) }
    const made = await service.make(name, { ...own, ownerId: pick(owners), ...refers })
    ids[slug]?.push(made.id as string)
  }
  for (let i = 0; i < 4; i += 1) await add('box', 'boxes', {})
  for (let i = 0; i < 6; i += 1) await add('thing', 'things', { boxId: pick(ids.boxes as string[]) })
  for (let i = 0; i < 8; i += 1) await add('note', 'notes', { thingId: pick(ids.things as string[]) })
  return ids
}

const names = ['etag', 'vary', 'link', 'x-total-count', 'cache-control', 'www-authenticate']

function shown({ status, headers, text }: TestResponse): string {
  // The two executors of GraphQL put errors before or behind the data; none with errors is kept.
  const { data, errors } = text.includes('"errors":') ? JSON.parse(text) : {}
  const body = errors ? JSON.stringify({ data, errors }) : text
  return [status, ...names.map((name) => `${name}: ${headers.get(name)}`), body].join('\n')
}

async function compare(services: readonly TestService[], pick: Pick, seed: number): Promise<number> {
  const [keeping, plain] = services as [TestService, TestService]
  const { callers, owners } = await callersOf(keeping)
  const newRead = makeReads(pick, await fill(keeping, pick, owners))
  const pool = Array.from({ length: 25 }, newRead)
  const reads = countReads(keeping.service.engine)
  let kept = 0
  for (let i = 0; i < readsEach; i += 1) {
    const { method, path, body } = pick(pool)
    const credential = pick(callers)
    const before = reads()
    const one = shown(await keeping.ask(method, path, { ...credential, body }))
    if (one.startsWith('200') && reads() === before) kept += 1
    const other = shown(await plain.ask(method, path, { ...credential, body }))
    assert.equal(one, other, `KEPT_SEED=${seed}: ${method} ${path} ${JSON.stringify({ body, credential })}`)
  }
  return kept
}

test(`the answers of ${rounds} random applications are the same with answers kept and without`, async () => {
  let kept = 0
  for (let seed = firstSeed; seed < firstSeed + rounds; seed += 1) {
    const random = makeRandom(seed)
    const pick: Pick = (list) => list[Math.floor(random() * list.length)] as (typeof list)[number]
    const declared = [...resources, ...declare(pick)]
    const folder = temporaryFolder()
    // With WORKERS above 1, reads share no snapshot: each service sees at once what another wrote.
    const env = { DATA_DIR: folder, WORKERS: '2' }
    const services = [await startService(declared, { env })]
    try {
      services.push(await startService(declared, { env: { ...env, KEEP_ANSWERS: 'false' } }))
      kept += await compare(services, pick, seed)
    } finally {
      for (const service of services) await service.stop()
      await removeDatabase(folder)
      removeFolder(folder)
    }
  }
  process.stdout.write(`# ${kept} of ${rounds * readsEach} answers were kept ones\n`)
  assert.ok(kept > (rounds * readsEach) / 5, `${kept} of ${rounds * readsEach}`)
})
