/**
 * Services, callers and random cards, for tests of fields whose rules depend on the record. Plain
 * code says what each card shows. Writes move the rules.
 */
import assert from 'node:assert/strict'
import {
  type AskOptions,
  removeDatabase,
  removeFolder,
  startService,
  type TestResponse,
  type TestService,
  temporaryFolder,
} from 'bindery-server/test'
import { always } from '../../src/resource/condition.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { tester } from '../storage/library.ts'
import { type Caller, declarations, type Stored, shows } from './carded-people.ts'

export type Asking = Caller & { readonly asked: AskOptions }
export type Shown = Readonly<Record<string, unknown>>

/** The stored records of one moment, and what a card shows to a caller by plain code. */
export type Moment = {
  readonly cards: readonly Stored[]
  readonly teams: readonly Stored[]
  readonly notes: readonly Stored[]
  shown(caller: Caller, card: Stored): Shown
  /** To the operator at the console, whom no rule binds. */
  whole(card: Stored): Shown
}

export type FieldWorld = Awaited<ReturnType<typeof startFieldWorld>>

export const cardCount = 14
export const random = makeRandom(Number(process.env.FIELD_RULES_SEED ?? 40))
export const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

async function makeCallers(service: TestService): Promise<readonly Asking[]> {
  const [ann, ben, eve] = [await service.person(), await service.person(), await service.person('EDITOR')]
  const admin = await service.admin()
  return [
    { name: 'anonymous', id: null, isAdmin: false, asked: {} },
    { name: 'ann', id: ann.id, isAdmin: false, asked: { token: ann.token } },
    { name: 'ben', id: ben.id, isAdmin: false, asked: { token: ben.token } },
    { name: 'eve', id: eve.id, isAdmin: false, asked: { key: await service.key(eve) } },
    { name: 'admin', id: admin.id, isAdmin: true, asked: { token: admin.token } },
  ]
}

async function makeCards(service: TestService, callers: readonly Asking[]): Promise<void> {
  const people = callers.flatMap(({ id }) => id ?? [])
  const teams = []
  for (let i = 0; i < 3; i += 1)
    teams.push((await service.make('team', { name: `Team ${i}`, leadId: i === 2 ? null : people[i + 1] })).id)
  for (let i = 0; i < cardCount; i += 1) {
    const card = await service.make('card', {
      ownerId: pick([...people, null]),
      teamId: pick([...teams, null]),
      isOpen: random() < 0.5,
      name: pick(['Ann', 'Ben', 'Eve']),
      email: pick(['a@x.y', 'b@x.y', 'c@x.y', null]),
      code: `code ${i}`,
      phone: pick(['1', '2', '3']),
      salary: pick([1, 2, 3, null]),
      homeId: pick([...teams, null]),
      tags: pick([['a'], ['b', 'a'], []]),
      rank: 1,
    })
    if (i % 3 === 0) await service.make('note', { cardId: card.id, body: `Note ${i}` })
  }
}

/** The values of a card, also those that follow from others. */
function valuesOf({ version: _, ...card }: Stored, home: Stored | undefined): Stored {
  return {
    ...card,
    homeName: home?.name ?? null,
    line: `${card.name} <${card.email}>`,
    label: `${card.name}, ${card.email === null ? 'no mail' : 'a mail'}`,
  }
}

/** `kept` caches responses, and `bare` does not. Both have the same database. */
export async function startFieldWorld() {
  const folder = temporaryFolder()
  // With WORKERS above 1, reads share no snapshot: each service sees at once what another wrote.
  const env = { DATA_DIR: folder, WORKERS: '2', RATE_LIMIT: '', MCP: 'write' }
  const kept = await startService(declarations, { env })
  const bare = await startService(declarations, { env: { ...env, KEEP_ANSWERS: 'false' } })
  const callers = await makeCallers(kept)
  await makeCards(kept, callers)
  const { catalog, storage, records } = kept.service.engine

  const rowsOf = (name: string): Promise<readonly Stored[]> =>
    storage.list(catalog.get(name), { where: always, sort: [{ field: 'id', descending: false }], limit: 1000 })

  async function lookAround(): Promise<Moment> {
    const [cards, teams, notes] = [await rowsOf('card'), await rowsOf('team'), await rowsOf('note')]
    const teamOf = (id: unknown) => teams.find((team) => team.id === id)
    return {
      cards,
      teams,
      notes,
      shown(caller, card) {
        const isShown = shows(caller, card, teamOf(card.teamId) ?? {})
        const all = valuesOf(card, isShown('homeId') ? teamOf(card.homeId) : undefined)
        return Object.fromEntries(Object.entries(all).filter(([name]) => isShown(name)))
      },
      whole: (card) => valuesOf(card, teamOf(card.homeId)),
    }
  }

  /** The same request of both services, the caching one twice. Each response has the same bytes. */
  async function read({ asked, name }: Asking, method: string, path: string, options: AskOptions = {}) {
    const replies: TestResponse[] = []
    for (const service of [kept, kept, bare]) replies.push(await service.ask(method, path, { ...asked, ...options }))
    const [first, ...others] = replies as [TestResponse, TestResponse, TestResponse]
    for (const other of others) {
      assert.equal(other.text, first.text, `${name}: ${method} ${path}`)
      assert.equal(other.headers.get('etag'), first.headers.get('etag'), `${name}: ${path}`)
    }
    return first
  }

  async function graphql(caller: Asking, query: string, variables: object = {}) {
    const { body } = await read(caller, 'POST', '/graphql', { body: { query, variables } })
    assert.equal(body.errors, undefined, JSON.stringify(body.errors))
    return body.data
  }

  async function change(name: string, changes: (row: Stored) => Stored): Promise<void> {
    const resource = catalog.get(name)
    const row = pick(await rowsOf(name))
    await records.transaction(tester, async (tx) => {
      const found = await tx.lock(resource, { kind: 'compare', field: 'id', operator: 'eq', value: row.id as string })
      await tx.change(resource, found?.row as never, changes(row))
    })
  }

  /** Writes that move the rules: of the card, of its team, and of what another record shows. */
  const writes: readonly (() => Promise<void>)[] = [
    () => change('card', ({ isOpen }) => ({ isOpen: isOpen !== true })),
    () => change('card', () => ({ ownerId: pick(callers).id })),
    () => change('card', () => ({ email: pick(['a@x.y', 'n@x.y', null]), salary: pick([1, 5, null]) })),
    () => change('team', () => ({ leadId: pick(callers).id })),
    () => change('team', () => ({ name: `Team ${Math.floor(random() * 1000)}` })),
  ]

  async function stop(): Promise<void> {
    await kept.stop()
    await bare.stop()
    await removeDatabase(folder)
    removeFolder(folder)
  }
  return { kept, folder, callers, rowsOf, lookAround, read, graphql, write: () => pick(writes)(), stop }
}
