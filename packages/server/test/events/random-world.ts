/**
 * Random writes to the library by its administrator and the chief of its clubs, and random readers
 * of its feed, from one seed.
 */
import assert from 'node:assert/strict'
import { type Ask, type AskOptions, startService, type TestService } from 'bindery-server/test'
import { anyOf } from '../../src/index.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { library, noteRules, postRules, rulesBelow } from './library.ts'
import { makeReader, makeSettle, type ReaderOptions, type TestReader } from './reader.ts'

/** Numbers from a seed (mulberry32). */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

type Draw = ReturnType<typeof numbersFrom>
const pick = <T>(draw: Draw, all: readonly T[]): T => all[draw(all.length)] as T
const maybe = <T>(draw: Draw, all: readonly T[]): T | null => (draw(4) === 0 ? null : (pick(draw, all) ?? null))

const noteNames = ['id', 'ownerId', 'projectId', 'folderId', 'aboutId', 'state', 'rank', 'title', 'tags', 'price']
const remarkNames = ['id', 'noteId', 'state']
const postNames = ['id', 'clubId', 'state', 'title']

export function randomRules(draw: Draw) {
  const some = (rules: readonly Rule[]) => anyOf([pick(draw, rules) as never, pick(draw, rules) as never]) as Rule
  const keepsTrash = draw(2) === 0
  const ofNotes = keepsTrash ? noteRules : [...noteRules, ...rulesBelow, ...rulesBelow]
  return { note: some(ofNotes), price: pick(draw, ofNotes), post: some(postRules), keepsTrash }
}

export type RandomWorld = {
  readonly service: TestService
  /** Another instance, where `env` names a database. */
  again(): Promise<TestService>
  /** One write, of any kind. It may be refused. */
  write(): Promise<void>
  /** A caller with a list, and filters of it. */
  asked(): ReaderOptions
  reader(): TestReader
}

type Known = Readonly<
  Record<'note' | 'remark' | 'project' | 'folder' | 'club' | 'team' | 'post' | 'membership' | 'teamMember', string[]>
>
/** With a getter, the token may be another one later. */
export type Person = { readonly id: string; readonly token: string }

const credentialOf = (person: Person): AskOptions => ({
  get token() {
    return person.token
  },
})

function noteValues(draw: Draw, known: Known, people: readonly Person[]) {
  const all = {
    ownerId: maybe(
      draw,
      people.map(({ id }) => id),
    ),
    projectId: maybe(draw, known.project),
    folderId: maybe(draw, known.folder),
    aboutId: maybe(draw, known.note.slice(-20)),
    state: pick(draw, ['DRAFT', 'OPEN', 'DONE']),
    rank: draw(6),
    title: pick(draw, ['Apple pie', 'Pear', 'An apple', 'Plum']),
    tags: pick(draw, [[], ['A'], ['A', 'B'], ['C']]),
    price: draw(3),
  }
  const names = Object.keys(all).filter(() => draw(3) > 0)
  return Object.fromEntries(names.map((name) => [name, all[name as keyof typeof all]]))
}

const noteFilters = (draw: Draw, { project, folder }: Known) =>
  pick(draw, [
    '',
    '',
    `state=${pick(draw, ['DRAFT', 'OPEN', 'DONE'])}`,
    `rank[gte]=${draw(5)}`,
    'q=appl',
    'tags=A',
    `price=${draw(3)}`,
    ...(folder.length > 0 ? [`folderId[within]=${pick(draw, folder)}`] : []),
    `filter=${encodeURIComponent(JSON.stringify({ or: [{ rank: { lt: 2 } }, { project: { isOpen: { eq: true } } }] }))}`,
    `filter=${encodeURIComponent(JSON.stringify({ project: { level: { gte: 1 } }, state: { ne: 'DONE' } }))}`,
    ...(project.length > 0 ? [`projectId=${pick(draw, project)}`] : []),
  ])

type Writers = {
  readonly draw: Draw
  readonly ask: Ask
  readonly admin: Person
  /** Of the clubs. */
  readonly chief: Person
  readonly people: readonly Person[]
  /** Of the first of the people. */
  readonly key?: string
  /** Records of a kind that the writers know of. Above it they remove one in place of a create. */
  readonly most?: number
  /** Whether servers end: a write may have no answer. */
  readonly mayFail?: boolean
  /** Above 1, most requests write so many records at once, at most. */
  readonly atOnce?: number
}

type RandomWrites = {
  /** The requests that were not refused. */
  done(): number
  /** The records that they wrote. */
  written(): number
  write(): Promise<void>
  asked(): ReaderOptions
}

/** Creates the first records. */
export async function makeRandomWrites(writers: Writers): Promise<RandomWrites> {
  const { draw, ask, admin, chief, people, key, most = Number.POSITIVE_INFINITY, mayFail = false, atOnce = 1 } = writers
  const known: Known = {
    note: [],
    remark: [],
    project: [],
    folder: [],
    club: [],
    team: [],
    post: [],
    membership: [],
    teamMember: [],
  }
  const trashed: string[] = []
  const paths: Record<keyof Known, string> = {
    note: 'notes',
    remark: 'remarks',
    project: 'projects',
    folder: 'folders',
    club: 'clubs',
    team: 'teams',
    post: 'posts',
    membership: 'memberships',
    teamMember: 'team-members',
  }
  const writerOf = (kind: keyof Known): AskOptions => ({
    token: ['note', 'remark', 'project', 'folder'].includes(kind) ? admin.token : chief.token,
  })
  const allowed = new Set([200, 201, 204, 400, 403, 404, 409, 422, ...(mayFail ? [408, 503] : [])])

  let [done, written] = [0, 0]
  async function send(method: string, path: string, options: AskOptions) {
    const reply = await ask(method, path, options)
    assert.ok(allowed.has(reply.status), `${method} ${path} ${reply.text}`)
    if (reply.status < 300) {
      done += 1
      // A batch answers each operation; a bulk write and an import count.
      const { data, updated, deleted, created } = reply.body ?? {}
      written += Array.isArray(data) ? data.length : (updated ?? deleted ?? created ?? 1)
    }
    return reply
  }
  /** Another writer may have forgotten it already. */
  function forget(kind: keyof Known, one: string): void {
    const at = known[kind].indexOf(one)
    if (at >= 0) known[kind].splice(at, 1)
  }
  async function create(kind: keyof Known, body: object): Promise<void> {
    if (known[kind].length >= most) return removeOne(kind)
    const reply = await send('POST', `/api/v1/${paths[kind]}`, { body, ...writerOf(kind) })
    if (reply.status === 201) known[kind].push(reply.body.id)
  }
  async function change(kind: keyof Known, body: object): Promise<void> {
    const one = pick(draw, known[kind])
    if (!one) return
    const { status } = await send('PATCH', `/api/v1/${paths[kind]}/${one}`, { body, ...writerOf(kind) })
    if (status === 404) forget(kind, one)
  }
  async function removeOne(kind: keyof Known): Promise<void> {
    const one = pick(draw, known[kind])
    if (!one) return
    const isForGood = kind === 'note' && draw(4) === 0
    await send('DELETE', `/api/v1/${paths[kind]}/${one}${isForGood ? '?_trash=skip' : ''}`, writerOf(kind))
    forget(kind, one)
    if (kind === 'note' && !isForGood) trashed.push(one)
    if (trashed.length > 20) trashed.shift()
  }
  async function remove(kind: keyof Known): Promise<void> {
    if (draw(2) > 0) await removeOne(kind)
  }
  /** With its memberships, teams and posts. Another one comes first. */
  async function removeClub(): Promise<void> {
    await create('club', { name: 'Club' })
    const clubId = known.club.at(-1)
    await create('membership', { clubId, userId: userId() })
    await create('post', { clubId, ...postValues() })
    if (known.club.length > 2) await removeOne('club')
  }
  const userId = () => pick(draw, people).id
  const postValues = () => ({
    state: pick(draw, ['DRAFT', 'OPEN']),
    title: pick(draw, ['x', 'y']),
    rank: draw(9),
    userId: maybe(
      draw,
      people.map(({ id }) => id),
    ),
    teamId: draw(2) === 0 ? null : maybe(draw, known.team),
  })
  const projectValues = () => ({
    ownerId: maybe(
      draw,
      people.map(({ id }) => id),
    ),
    isOpen: draw(2) === 0,
    level: draw(3),
  })
  const step = (method: string, path: string, body?: object) => ({ method, path, ...(body && { body }) })

  const filterOfMany = () =>
    pick(draw, [`rank=${draw(6)}`, `rank[gte]=${draw(6)}`, `state=${pick(draw, ['DRAFT', 'OPEN', 'DONE'])}`, 'tags=A'])
  /** As many as there may be; above that it removes some. */
  async function fill(): Promise<void> {
    const page = await ask('GET', '/api/v1/notes?limit=100', writerOf('note'))
    known.note.splice(0, known.note.length, ...page.body.data.map(({ id }: { id: string }) => id))
    const path = `/api/v1/notes?${filterOfMany()}&limit=1000${draw(2) === 0 ? '&_trash=skip' : ''}`
    if (page.body.meta.total >= most) return void (await send('DELETE', path, writerOf('note')))
    const made = Array.from({ length: 1 + draw(2 * atOnce) }, () => JSON.stringify(noteValues(draw, known, people)))
    const raw = made.join('\n')
    await send('POST', '/api/v1/notes/import', { raw, type: 'application/x-ndjson', ...writerOf('note') })
  }
  /** A batch names its records in one order, so writers wait in a row. */
  async function changeEach(): Promise<void> {
    const named = Array.from({ length: 1 + draw(atOnce) }, () => {
      const kind = pick(draw, ['note', 'note', 'note', 'remark'] as const)
      return { kind, one: pick(draw, known[kind]) }
    })
    named.sort((a, b) => Number(`${a.kind}/${a.one}` > `${b.kind}/${b.one}`) - 0.5)
    const operations = named.map(({ kind, one }) => {
      const values = kind === 'note' ? noteValues(draw, known, people) : { state: pick(draw, ['DRAFT', 'OPEN']) }
      return step('PATCH', `/${paths[kind]}/${one}`, values)
    })
    const { status, body } = await send('POST', '/api/v1/batch', { body: { operations }, ...writerOf('note') })
    const failed = named[Number(/^operations\[(\d+)\]/.exec(body?.error ?? '')?.[1])]
    if (status === 404 && failed) forget(failed.kind, failed.one)
  }
  /** All records of a filter, or those of an import, in one transaction. */
  async function writeMany(): Promise<void> {
    const kind = draw(8)
    if (kind === 0) return changeEach()
    if (kind < 4) return fill()
    const body = noteValues(draw, known, people)
    await send('PATCH', `/api/v1/notes?${filterOfMany()}&limit=1000`, { body, ...writerOf('note') })
  }

  const noteWrites: readonly (() => Promise<unknown>)[] = [
    () => create('note', noteValues(draw, known, people)),
    () => create('note', noteValues(draw, known, people)),
    () => change('note', noteValues(draw, known, people)),
    () => change('note', noteValues(draw, known, people)),
    () => change('note', { title: 'Pear' }),
    () => remove('note'),
    async () => {
      const one = trashed.splice(0, 1)[0]
      if (!one) return
      const { status } = await send('POST', `/api/v1/notes/${one}/restore`, writerOf('note'))
      if (status === 200) known.note.push(one)
    },
    () =>
      send('PATCH', `/api/v1/notes?rank=${draw(6)}&limit=100`, {
        body: noteValues(draw, known, people),
        ...writerOf('note'),
      }),
    async () => draw(6) === 0 && send('DELETE', `/api/v1/notes?rank=${draw(6)}&state=DONE&limit=100`, writerOf('note')),
    () =>
      send('POST', '/api/v1/batch', {
        ...writerOf('note'),
        body: {
          operations: [
            step('PATCH', `/notes/${pick(draw, known.note)}`, noteValues(draw, known, people)),
            step('PATCH', `/projects/${pick(draw, known.project)}`, projectValues()),
            step('PATCH', `/notes/${pick(draw, known.note)}`, noteValues(draw, known, people)),
          ],
        },
      }),
    // The last one undoes all of them.
    () =>
      send('POST', '/api/v1/batch', {
        ...writerOf('note'),
        body: {
          operations: [
            step('POST', '/notes', noteValues(draw, known, people)),
            step('PATCH', `/notes/${pick(draw, known.note)}`, noteValues(draw, known, people)),
            step('PATCH', `/notes/${pick(draw, known.note)}`, { state: 'NONE' }),
          ],
        },
      }),
    async () => {
      if (draw(3) > 0 || known.note.length >= most) return
      const made = Array.from({ length: 5 }, () => noteValues(draw, known, people))
      const raw = made.map((one) => JSON.stringify({ ...one, rank: 5, state: 'DONE' })).join('\n')
      await send('POST', '/api/v1/notes/import', { raw, type: 'application/x-ndjson', ...writerOf('note') })
    },
    () => create('remark', { noteId: pick(draw, known.note), state: pick(draw, ['DRAFT', 'OPEN', 'OPEN']) }),
    () => create('remark', { noteId: pick(draw, known.note.slice(-5)) }),
    () => change('remark', { noteId: pick(draw, known.note), state: pick(draw, ['DRAFT', 'OPEN']) }),
    () => remove('remark'),
    () => create('project', projectValues()),
    () => change('project', projectValues()),
    () => change('project', projectValues()),
    () => remove('project'),
    () => create('folder', { parentId: maybe(draw, known.folder), isOpen: draw(4) > 0 }),
    () => change('folder', { parentId: maybe(draw, known.folder), isOpen: draw(4) > 0 }),
    () => remove('folder'),
  ]
  const clubWrites: readonly (() => Promise<unknown>)[] = [
    () => create('post', { clubId: pick(draw, known.club), ...postValues() }),
    () => create('post', { clubId: pick(draw, known.club), ...postValues() }),
    () => change('post', postValues()),
    () => change('post', postValues()),
    () => remove('post'),
    () =>
      create('membership', { clubId: pick(draw, known.club), userId: userId(), role: pick(draw, ['PLAYER', 'COACH']) }),
    () =>
      change('membership', {
        role: pick(draw, ['PLAYER', 'COACH']),
        state: pick(draw, ['ACTIVE', 'ACTIVE', 'PAUSED']),
      }),
    () => remove('membership'),
    () => create('team', { clubId: pick(draw, known.club), name: 'Team' }),
    () =>
      create('teamMember', { teamId: pick(draw, known.team), userId: userId(), role: pick(draw, ['PLAYER', 'COACH']) }),
    () => remove('teamMember'),
    () => (draw(4) === 0 ? remove('team') : Promise.resolve()),
    () => (draw(6) === 0 ? removeClub() : Promise.resolve()),
  ]
  while (known.club.length < 2) await create('club', { name: 'Club' })
  for (let i = 0; i < 3; i += 1) await create('project', projectValues())
  for (let i = 0; i < 4; i += 1) await create('folder', { parentId: maybe(draw, known.folder) })
  for (let i = 0; i < 25; i += 1) await create('note', noteValues(draw, known, people))
  for (const clubId of known.club) {
    await create('team', { clubId, name: 'Team' })
    await create('membership', { clubId, userId: userId() })
    for (let i = 0; i < 6; i += 1) await create('post', { clubId, ...postValues() })
  }

  function asked(): ReaderOptions {
    const who: AskOptions = key !== undefined && draw(5) === 0 ? { key } : credentialOf(pick(draw, people))
    if (draw(3) === 0) {
      const tenant = draw(3) === 0 ? { headers: { 'x-tenant': pick(draw, known.club) } } : {}
      const filter = pick(draw, ['', 'state=OPEN', 'title=x'])
      // A copy would keep the token of this moment.
      return { ask, as: Object.assign(who, tenant), resource: 'posts', filter, names: postNames }
    }
    if (draw(4) === 0) return { ask, as: who, resource: 'remarks', filter: '', names: remarkNames }
    return { ask, as: who, resource: 'notes', filter: noteFilters(draw, known), names: noteNames }
  }
  return {
    done: () => done,
    written: () => written,
    async write() {
      if (atOnce > 1 && draw(10) > 0) return writeMany()
      await pick(draw, draw(3) > 0 ? noteWrites : clubWrites)()
    },
    asked,
  }
}

export async function startRandomWorld(seed: number, env: Record<string, string> = {}): Promise<RandomWorld> {
  const draw = numbersFrom(seed)
  const rules = randomRules(draw)
  const service = await startService(library(rules), { env })
  const { ask } = service
  const admin = await service.admin()
  const people = [await service.person(), await service.person(), await service.person('SUPPORT')] as const
  const chief = await service.person()
  const key = await service.key(people[0], { scopes: ['notes:read', 'posts:read', 'remarks:read'] })
  const { write, asked } = await makeRandomWrites({ draw, ask, admin, chief, people, key })
  // Streams that begin one after the other have the same records, until there is a write.
  await makeSettle(ask, { token: admin.token })()
  return {
    service,
    again: () => startService(library(rules), { env }),
    write,
    asked,
    reader: () => makeReader(asked()),
  }
}
