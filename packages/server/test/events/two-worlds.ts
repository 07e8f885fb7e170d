/**
 * Two services with the same declarations and ids. One also has records that the readers may not
 * see: a stranger's notes, projects, clubs and posts. They refer to records of the readers.
 */
import assert from 'node:assert/strict'
import { type Ask, type AskOptions, startService, type TestService } from 'bindery-server/test'
import { allOf, anyOf, can, member, owner, where } from '../../src/index.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { library } from './library.ts'
import { numbersFrom } from './random-world.ts'
import { makeSettle } from './reader.ts'

/** A stranger's notes are drafts, its projects are closed, and its clubs have no other member. */
const noteRules = [
  owner('ownerId'),
  anyOf([owner('ownerId'), where({ state: 'OPEN' })]),
  anyOf([owner('ownerId'), allOf([can('projectId'), where({ state: { ne: 'DRAFT' } })])]),
] as readonly Rule[]
const postRules = [member(), anyOf([member('COACH'), allOf([member(), where({ state: 'OPEN' })])])] as readonly Rule[]

/** Ids that count up; those of the stranger have another beginning. */
function countedIds() {
  const counts = [0, 0]
  let side: 0 | 1 = 0
  return {
    make() {
      counts[side] = (counts[side] as number) + 1
      return `01926e0f-000${side + 1}-7000-8000-${(counts[side] as number).toString(16).padStart(12, '0')}`
    },
    async apart<T>(work: () => Promise<T>): Promise<T> {
      side = 1
      return work().finally(() => {
        side = 0
      })
    },
  }
}

type World = {
  readonly service: TestService
  readonly ask: Ask
  readonly people: Readonly<Record<'admin' | 'ann' | 'ben' | 'chief' | 'stranger', { id: string; token: string }>>
  apart<T>(work: () => Promise<T>): Promise<T>
}

async function startWorld(seed: number): Promise<World> {
  const ids = countedIds()
  const rules = { note: noteRules[seed % noteRules.length] as Rule, post: postRules[seed % postRules.length] as Rule }
  const service = await startService(library(rules), { makeId: ids.make })
  const people = { admin: await service.admin() } as Record<string, { id: string; token: string }>
  for (const name of ['ann', 'ben', 'chief', 'stranger']) people[name] = await service.person()
  return { service, ask: service.ask, people: people as World['people'], apart: ids.apart }
}

type Sent = readonly [method: string, path: string, body: object | undefined, as: keyof World['people']]

async function send({ ask, people }: World, [method, path, body, as]: Sent): Promise<string> {
  const reply = await ask(method, `/api/v1${path}`, { token: people[as].token, ...(body && { body }) })
  assert.ok(reply.status < 500, reply.text)
  return reply.status === 201 ? reply.body.id : ''
}

const masked = new Set(['position', 'transaction', 'at', 'requestId'])
/** Everything that a page says, without what no two services have in common. */
const shownOf = (page: unknown): string =>
  JSON.stringify(page, (name, value) => (masked.has(name) && typeof value === 'string' ? '' : value))

type Subscription = { readonly as: 'ann' | 'ben'; readonly query: string; readonly limit: number }

type Compared = { readonly positions: readonly string[]; readonly events: number; readonly hasMore: boolean }

async function settleBoth(worlds: readonly World[]): Promise<void> {
  for (const { ask, people } of worlds) await makeSettle(ask, { token: people.admin.token })()
}

/** Another transaction may hold the last changes back in one of the worlds. */
async function compare(...asked: Parameters<typeof comparePages>): Promise<Compared> {
  try {
    return await comparePages(...asked)
  } catch {
    await settleBoth(asked[0])
    return comparePages(...asked)
  }
}

/** Reads in both worlds, and compares the pages. Returns the new positions. */
async function comparePages(
  worlds: readonly World[],
  { as, query, limit }: Subscription,
  positions: readonly string[],
): Promise<Compared> {
  const pages = await Promise.all(
    worlds.map(async ({ ask, people }, i) => {
      const options: AskOptions = { token: people[as].token }
      const after = positions[i] === undefined ? '' : `&after=${positions[i]}&limit=${limit}`
      const reply = await ask('GET', `/api/v1/_changes?${query}${after}`, options)
      assert.equal(reply.status, 200, `${query}: ${reply.text}`)
      return reply.body
    }),
  )
  assert.equal(shownOf(pages[1]), shownOf(pages[0]), query)
  const { data, meta } = pages[0]
  return { positions: pages.map((page) => page.meta.position), events: data.length, hasMore: meta.hasMore }
}

const project = encodeURIComponent('{"project":{"isOpen":{"eq":true}}}')
const queries = [
  'resources=notes',
  'resources=notes&state=OPEN',
  'resources=notes&rank[gte]=2',
  `resources=notes&filter=${project}`,
  'resources=posts',
  'resources=posts&state=OPEN',
  'resources=remarks',
  'resources=notes,posts,remarks',
]

/** Throws where any page differs. Returns the number of events that were compared. */
export async function compareWorlds(seed: number, writes: number): Promise<number> {
  const draw = numbersFrom(seed)
  const worlds = [await startWorld(seed), await startWorld(seed)] as const
  const [, both] = worlds
  const pick = <T>(all: readonly T[]): T => all[draw(all.length)] as T
  const known = {
    note: [] as string[],
    remark: [] as string[],
    project: [] as string[],
    club: [] as string[],
    post: [] as string[],
  }
  const hidden = {
    note: [] as string[],
    remark: [] as string[],
    project: [] as string[],
    club: [] as string[],
    post: [] as string[],
  }
  const { people } = both
  /** The same in both worlds. */
  async function write(kind: keyof typeof known | undefined, sent: Sent): Promise<void> {
    const ids = [await send(worlds[0], sent), await send(both, sent)]
    assert.equal(ids[0], ids[1], 'the same ids')
    if (kind && ids[0]) known[kind].push(ids[0])
  }
  const secretly = (kind: keyof typeof hidden, sent: Sent) =>
    both.apart(async () => {
      const id = await send(both, sent)
      if (id) hidden[kind].push(id)
    })
  const ours = () => pick([people.ann.id, people.ben.id])
  const noteOf = (ownerId: string, state: string) => ({
    ownerId,
    state,
    rank: draw(5),
    projectId: pick([...known.project, null]),
    aboutId: pick([...known.note, null]),
  })
  const writeOurs = () =>
    pick([
      () => write('note', ['POST', '/notes', noteOf(ours(), pick(['DRAFT', 'OPEN', 'DONE'])), 'admin']),
      () => write(undefined, ['PATCH', `/notes/${pick(known.note)}`, noteOf(ours(), pick(['DRAFT', 'OPEN'])), 'admin']),
      () => write(undefined, ['DELETE', `/notes/${pick(known.note)}`, undefined, 'admin']),
      () => write(undefined, ['DELETE', `/notes/${pick(known.note)}?_trash=skip`, undefined, 'admin']),
      () => write(undefined, ['POST', `/notes/${pick(known.note)}/restore`, undefined, 'admin']),
      () => write('remark', ['POST', '/remarks', { noteId: pick(known.note), state: 'OPEN' }, 'admin']),
      () => write('club', ['POST', '/clubs', { name: 'Club' }, 'chief']),
      // With its memberships and posts
      async () => {
        if (known.club.length > 1)
          await write(undefined, ['DELETE', `/clubs/${known.club.shift()}`, undefined, 'chief'])
      },
      () => write('project', ['POST', '/projects', { ownerId: ours(), isOpen: draw(2) === 0 }, 'admin']),
      () => write(undefined, ['PATCH', `/projects/${pick(known.project)}`, { isOpen: draw(2) === 0 }, 'admin']),
      () => write('post', ['POST', '/posts', { clubId: pick(known.club), state: pick(['DRAFT', 'OPEN']) }, 'chief']),
      () => write(undefined, ['PATCH', `/posts/${pick(known.post)}`, { state: pick(['DRAFT', 'OPEN']) }, 'chief']),
      () => write(undefined, ['POST', '/memberships', { clubId: pick(known.club), userId: ours() }, 'chief']),
    ])()
  const writeHidden = () =>
    pick([
      () => secretly('note', ['POST', '/notes', noteOf(people.stranger.id, 'DRAFT'), 'admin']),
      () => secretly('note', ['PATCH', `/notes/${pick(hidden.note)}`, noteOf(people.stranger.id, 'DRAFT'), 'admin']),
      () => secretly('note', ['DELETE', `/notes/${pick(hidden.note)}`, undefined, 'admin']),
      () => secretly('remark', ['POST', '/remarks', { noteId: pick(known.note), state: 'DRAFT' }, 'admin']),
      () => secretly('remark', ['DELETE', `/remarks/${pick(hidden.remark)}`, undefined, 'admin']),
      () => secretly('project', ['POST', '/projects', { ownerId: people.stranger.id, isOpen: false }, 'admin']),
      () => secretly('club', ['POST', '/clubs', { name: 'Secret' }, 'stranger']),
      () => secretly('post', ['POST', '/posts', { clubId: pick(hidden.club), state: 'OPEN' }, 'stranger']),
      () => secretly('post', ['PATCH', `/posts/${pick(hidden.post)}`, { state: 'DRAFT' }, 'stranger']),
      () => secretly('club', ['DELETE', `/clubs/${pick(hidden.club)}`, undefined, 'stranger']),
    ])()
  try {
    await write('club', ['POST', '/clubs', { name: 'Club' }, 'chief'])
    await write('project', ['POST', '/projects', { ownerId: people.ann.id, isOpen: true }, 'admin'])
    for (let i = 0; i < 10; i += 1) await writeOurs()
    const readers = queries.flatMap((query) =>
      (['ann', 'ben'] as const).map((as) => ({ as, query, limit: 1 + draw(6) })),
    )
    const places = new Map<Subscription, readonly string[]>()
    // The first positions are behind the same writes.
    await settleBoth(worlds)
    for (const reader of readers) places.set(reader, (await compare(worlds, reader, [])).positions)
    let events = 0
    const read = async (reader: Subscription): Promise<boolean> => {
      const found = await compare(worlds, reader, places.get(reader) as readonly string[])
      places.set(reader, found.positions)
      events += found.events
      return found.hasMore
    }
    for (let i = 0; i < writes; i += 1) {
      await writeOurs()
      for (let more = draw(4); more > 0; more -= 1) await writeHidden()
      for (const reader of readers) if (draw(8) === 0) await read(reader)
    }
    for (const reader of readers) while (await read(reader));
    return events
  } finally {
    for (const { service } of worlds) await service.stop()
  }
}
