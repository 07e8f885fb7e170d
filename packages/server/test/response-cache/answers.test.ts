/**
 * Random reads and writes by several users, on three services with one database. One caches large
 * responses in a file, one caches all in memory, and one caches nothing. Every read has the same
 * bytes on all three.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeCatalog } from '../../src/resource/catalog.ts'
import {
  removeDatabase,
  removeFolder,
  resources,
  startService,
  type TestResponse,
  type TestService,
  temporaryFolder,
} from '../helpers/application.ts'
import { makeRandom, makeRequests, type RandomRequest } from '../scale/random-requests.ts'
import { countReads } from './counted-reads.ts'

const stepCount = Number(process.env.KEPT_REQUESTS ?? 150)
const seed = Number(process.env.KEPT_SEED ?? 20_261_122)
const folder = temporaryFolder()
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
let services: TestService[]

before(async () => {
  // With WORKERS above 1, reads share no snapshot: each service sees at once what another wrote.
  const env = { DATA_DIR: folder, WORKERS: '2', RATE_LIMIT: '' }
  // One after another: in one process, who waits for the lock of the file keeps its holder from
  // giving it back.
  // large answers go to a file
  const first = await startService(env, { limits: { keptAnswersBytesMax: 20_000 } })
  const second = await startService(env)
  services = [first, second, await startService({ ...env, KEEP_ANSWERS: 'false' })]
})
after(async () => {
  for (const service of services) await service.stop()
  await removeDatabase(folder)
  removeFolder(folder)
})

type Credential = { readonly token?: string; readonly key?: string }

async function credentials(): Promise<Record<string, Credential>> {
  const [first] = services as [TestService]
  const { token } = await first.admin()
  const user = await first.person()
  const editor = await first.person('EDITOR')
  const scoped = await first.key(editor, { scopes: ['editions:read', 'baskets:read'] })
  const plainKey = await first.key(user)
  return {
    anonymous: {},
    admin: { token },
    user: { token: user.token },
    other: { token: (await first.person()).token },
    editor: { token: editor.token },
    scoped: { key: scoped },
    keyed: { key: plainKey },
  }
}

const queries = [
  '{ editions(limit: 3, sort: "-price") { data { id title price cost } meta { total hasNextPage } } }',
  '{ editions(limit: 2, page: 2) { data { title shelf { id label room } } } }',
  '{ editions(filter: { available: { eq: true } }, limit: 5) { data { title copies } meta { total } } }',
  '{ opinions(limit: 4) { data { stars headline edition { title price } member { id name } } meta { total } } }',
  '{ publicArticles(limit: 5) { id title tags author { id } } }',
  '{ me { id name email } }',
  '{ members(limit: 5) { id role } }',
  '{ shelves(limit: 5) { data { label } meta { total } } }',
  '{ letters(limit: 3) { data { text } meta { nextCursor } } }',
  '{ editions(limit: 50, sort: "title") { data { id title price copies available } meta { total } } }',
]

/** Large enough for the file. */
const wholeLists = [
  '/api/v1/editions?limit=100',
  '/api/v1/editions?limit=100&sort=-price',
  '/api/v1/opinions?limit=100',
]

function sortedErrors(text: string): string {
  if (!text.includes('"errors":')) return text
  const { data, errors } = JSON.parse(text)
  return JSON.stringify({ data, errors })
}

type Asked = RandomRequest & { readonly credential: string }

test(`${stepCount} random steps: the same bytes with answers kept and without`, async () => {
  const people = await credentials()
  const random = makeRandom(seed)
  const request = makeRequests(makeCatalog(resources), random)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const ids: string[] = []
  const places = new Map<string, number>()
  const made = new Map<string, number[]>()
  const pool: Asked[] = []
  const protectedIds = new Set(
    Object.values(people).flatMap(({ token }) =>
      token ? [JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).userId as string] : [],
    ),
  )
  const memberPlaces = [...protectedIds].map((id) => note(id))
  let cursor = ''
  const reads = countReads((services[0] as TestService).service.engine)
  let [asked, hits] = [0, 0]

  function note(id: string): number {
    const known = places.get(id)
    if (known !== undefined) return known
    places.set(id, ids.push(id) - 1)
    return ids.length - 1
  }
  async function send(service: TestService, one: Asked): Promise<TestResponse> {
    const own = (text: string) =>
      text.replace(/\{(\d+)\}/g, (_, place) => ids[Number(place)] ?? 'none').replace('{cursor}', cursor)
    const { method, path, body } = one
    const reply = await service.ask(method, own(path), {
      ...people[one.credential],
      ...(body === undefined ? {} : { raw: own(body) }),
    })
    for (const [id] of reply.text.matchAll(uuid)) note(id)
    const next = /"nextCursor":"([^"]+)"/.exec(reply.text)?.[1]
    if (next) cursor = encodeURIComponent(next)
    return reply
  }
  const shown = ({ status, headers, text }: TestResponse) => {
    const names = [
      'content-type',
      'etag',
      'vary',
      'link',
      'x-total-count',
      'cache-control',
      'www-authenticate',
      'allow',
    ]
    // The two executors of GraphQL put errors before or behind the data; none with errors is kept.
    const body = text.startsWith('{"data"') || text.startsWith('{"errors"') ? sortedErrors(text) : text
    return [status, ...names.map((name) => `${name}: ${headers.get(name)}`), body].join('\n')
  }

  async function write(): Promise<void> {
    let one: RandomRequest
    do one = request((resource) => [...(resource === 'member' ? memberPlaces : []), ...(made.get(resource) ?? [])])
    while (
      one.method === 'GET' ||
      (/\/members\//.test(one.path) && !/\/basket/.test(one.path)) ||
      /access-keys|visits|auth/.test(one.path)
    )
    const reply = await send(pick(services), {
      ...one,
      credential: pick(['admin', 'admin', 'editor', 'user', 'keyed']),
    })
    assert.notEqual(reply.status, 500, JSON.stringify(one))
    const id = reply.status === 201 && one.makes ? (reply.body.id ?? reply.body._id) : undefined
    if (typeof id === 'string') made.set(one.makes as string, [...(made.get(one.makes as string) ?? []), note(id)])
  }

  function newRead(): Asked {
    const credential = pick(Object.keys(people))
    if (random() < 0.25)
      return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: pick(queries) }), as: '', credential }
    if (random() < 0.3) return { method: 'GET', path: pick(wholeLists), as: '', credential }
    let one: RandomRequest
    do one = request((resource) => [...(resource === 'member' ? memberPlaces : []), ...(made.get(resource) ?? [])])
    while (one.method !== 'GET')
    return { ...one, credential }
  }

  async function read(): Promise<void> {
    let one: Asked
    if (pool.length < 30 || random() < 0.15) {
      one = newRead()
      pool[pool.length < 30 ? pool.length : Math.floor(random() * 30)] = one
    } else one = pick(pool)
    const fixed = { ...one, path: one.path.replace('{cursor}', cursor) }
    const [keeping, other, plain] = services as [TestService, TestService, TestService]
    const replies: string[] = []
    for (const service of random() < 0.5 ? [keeping, plain, keeping, other] : [other, keeping, keeping, plain]) {
      const before = reads()
      const text = shown(await send(service, fixed))
      if (service === keeping && text.startsWith('200')) {
        asked += 1
        if (reads() === before) hits += 1
      }
      replies.push(text)
    }
    for (const text of replies) assert.equal(text, replies[0], `seed ${seed}: ${JSON.stringify(fixed)}`)
  }

  for (let i = 0; i < 12; i += 1) await (services[0] as TestService).make('edition')
  for (let i = 0; i < 40; i += 1) await write()
  for (let i = 0; i < stepCount; i += 1) {
    if (random() < 0.25) await write()
    else await read()
  }
  process.stdout.write(`# ${hits} of ${asked} answers were kept ones\n`)
  assert.ok(hits > asked / 4, `${hits} of ${asked}`)
})
