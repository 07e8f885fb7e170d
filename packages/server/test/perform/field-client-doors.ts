/**
 * Doors that show cards by another program: tools of agents, the providers for react-admin and
 * Refine, and the files of the command line. The operator at the console is bound by no rule.
 */
import assert from 'node:assert/strict'
import { createClient } from 'bindery-server/client'
import { makeDataProvider as makeAdminProvider } from 'bindery-server/react-admin'
import { makeDataProvider as makeRefineProvider } from 'bindery-server/refine'
import { databaseOf } from 'bindery-server/test'
import { csvLines } from '../../src/cli/lines/csv.ts'
import { columnField } from '../../src/cli/lines/natural-keys.ts'
import { makeBindery } from '../cli/bindery.ts'
import type { Stored } from './carded-people.ts'
import { type Door, everyCard, inTeams, type Seen } from './field-request-doors.ts'
import type { Asking, FieldWorld, Moment, Shown } from './field-world.ts'

/** The answer of a tool. */
async function call({ read }: FieldWorld, caller: Asking, name: string, given: object) {
  const params = { name, arguments: given }
  const headers = { accept: 'application/json, text/event-stream' }
  const sent = { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } }
  const { body, text } = await read(caller, 'POST', '/mcp', sent)
  assert.ok(body.result, text)
  return JSON.parse(body.result.content[0].text)
}

function clientOf({ kept }: FieldWorld, { asked }: Asking) {
  const { token, key } = asked
  return createClient({
    url: kept.url,
    ...(key !== undefined && { apiKey: key }),
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  })
}
const idsOf = ({ cards }: Moment) => cards.map(({ id }) => String(id))
/** Records that are asked for one by one are some of all. */
const fewOf = (moment: Moment): Moment => ({ ...moment, cards: moment.cards.slice(0, 4) })

async function ofTeams({ teams }: Moment, find: (id: string) => Promise<readonly Shown[]>): Promise<Shown[]> {
  const found: Shown[] = []
  for (const { id } of teams) found.push(...(await find(String(id))))
  return found
}

const resource = 'cards'
const perPage = 100

/** The stored records without their versions, which a write of the same values raises. */
async function storedCards({ rowsOf }: FieldWorld): Promise<readonly Shown[]> {
  return (await rowsOf('card')).map(({ version: _, ...card }) => card)
}
const stored = ({ cards }: Moment) => cards.map(({ version: _, ...card }) => card)

/** The records of a CSV file, as an import reads them. */
async function recordsOf({ kept }: FieldWorld, text: string): Promise<Shown[]> {
  const { catalog } = kept.service.engine
  const card = catalog.get('card')
  async function* chunks() {
    yield Buffer.from(text)
  }
  const records: Shown[] = []
  const fieldOf = (column: string) => columnField(catalog, card, column)
  for await (const { parse } of csvLines({ resource: card, fieldOf }, chunks())) records.push(parse() as Shown)
  return records
}

async function command({ folder }: FieldWorld, args: readonly string[], input = ''): Promise<string> {
  const main = new URL('./carded-bindery.ts', import.meta.url).pathname
  const ends: (() => unknown)[] = []
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  const { run } = makeBindery({ after: (end) => void ends.push(end as () => unknown) }, env, main)
  const { code, stdout, stderr } = await run(args, { input })
  for (const end of ends) await end()
  assert.equal(code, 0, `${stdout} ${stderr}`)
  return stdout
}

/** The same file is exported and imported, and no record changes. */
async function importSame(world: FieldWorld, moment: Moment, format: string): Promise<Seen> {
  const file = await command(world, ['export', resource, '-', '--format', format])
  await command(world, ['import', resource, '-', '--format', format], file)
  return { found: await storedCards(world), expected: stored(moment) }
}

export const clientDoors = {
  async 'tool list'(world, caller, moment) {
    const { data } = await call(world, caller, 'list', { path: resource, query: { limit: perPage } })
    return { found: data, expected: everyCard(caller, moment) }
  },
  async 'tool get'(world, caller, moment) {
    const found = []
    for (const id of idsOf(fewOf(moment)))
      found.push((await call(world, caller, 'get', { path: `${resource}/${id}` })).record)
    return { found, expected: everyCard(caller, fewOf(moment)) }
  },
  async 'react-admin getList'(world, caller, moment) {
    const { getList } = makeAdminProvider(clientOf(world, caller))
    const { data } = await getList(resource, { pagination: { page: 1, perPage } } as never)
    return { found: data, expected: everyCard(caller, moment) }
  },
  async 'react-admin getOne'(world, caller, moment) {
    const { getOne } = makeAdminProvider(clientOf(world, caller))
    const found = []
    for (const id of idsOf(fewOf(moment))) found.push((await getOne(resource, { id } as never)).data)
    return { found, expected: everyCard(caller, fewOf(moment)) }
  },
  async 'react-admin getMany'(world, caller, moment) {
    const { getMany } = makeAdminProvider(clientOf(world, caller))
    const { data } = await getMany(resource, { ids: idsOf(moment) } as never)
    return { found: data, expected: everyCard(caller, moment) }
  },
  async 'react-admin getManyReference'(world, caller, moment) {
    const { getManyReference } = makeAdminProvider(clientOf(world, caller))
    const asked = { target: 'teams/{id}/cards', pagination: { page: 1, perPage } }
    const found = await ofTeams(
      moment,
      async (id) => (await getManyReference(resource, { ...asked, id } as never)).data,
    )
    return { found, expected: inTeams(caller, moment) }
  },
  async 'Refine getList'(world, caller, moment) {
    const { getList } = makeRefineProvider(clientOf(world, caller))
    const { data } = await getList({ resource, pagination: { currentPage: 1, pageSize: perPage } })
    return { found: data, expected: everyCard(caller, moment) }
  },
  async 'Refine getOne'(world, caller, moment) {
    const { getOne } = makeRefineProvider(clientOf(world, caller))
    const found = []
    for (const id of idsOf(fewOf(moment))) found.push((await getOne({ resource, id })).data)
    return { found, expected: everyCard(caller, fewOf(moment)) }
  },
  async 'Refine getMany'(world, caller, moment) {
    const { getMany } = makeRefineProvider(clientOf(world, caller))
    return { found: (await getMany({ resource, ids: idsOf(moment) })).data, expected: everyCard(caller, moment) }
  },
  async 'Refine custom'(world, caller, moment) {
    const { custom, getApiUrl } = makeRefineProvider(clientOf(world, caller))
    const { data } = await custom({ url: `${getApiUrl()}/${resource}?limit=${perPage}`, method: 'get' })
    return { found: data.data, expected: everyCard(caller, moment) }
  },
  /** A caller imports the lines of its own export: hidden values stay. */
  async import(world, caller, moment) {
    if (caller.id === null) return { found: [], expected: [] } // imports are for users
    const names = world.kept.service.engine.catalog.get('card').storedNames
    const lines = everyCard(caller, moment).map((card) =>
      JSON.stringify(Object.fromEntries(Object.entries(card).filter(([name]) => names.includes(name)))),
    )
    const { body, text } = await world.kept.ask('POST', `/api/v1/${resource}/import`, {
      ...caller.asked,
      raw: lines.join('\n'),
      type: 'application/x-ndjson',
    })
    assert.deepEqual([body.updated, body.rejected], [moment.cards.length, 0], text)
    return { found: await storedCards(world), expected: stored(moment) }
  },
} as const satisfies Readonly<Record<string, Door>>

type ConsoleDoor = (world: FieldWorld, moment: Moment) => Promise<Seen>

/** An export of the console has the stored fields. */
const asStored = (world: FieldWorld, { cards, whole }: Moment): readonly Shown[] => {
  const { storedNames } = world.kept.service.engine.catalog.get('card')
  return cards.map((card: Stored) => Object.fromEntries(storedNames.map((name) => [name, whole(card)[name] ?? null])))
}

export const consoleDoors = {
  async 'export csv'(world, moment) {
    const file = await command(world, ['export', resource, '-', '--format', 'csv'])
    return { found: await recordsOf(world, file), expected: asStored(world, moment) }
  },
  async 'export ndjson'(world, moment) {
    const file = await command(world, ['export', resource, '-', '--format', 'ndjson'])
    const lines = file.split('\n').filter((line) => line !== '')
    return { found: lines.map((line) => JSON.parse(line)), expected: asStored(world, moment) }
  },
  'import csv': (world, moment) => importSame(world, moment, 'csv'),
  'import ndjson': (world, moment) => importSame(world, moment, 'ndjson'),
} as const satisfies Readonly<Record<string, ConsoleDoor>>
