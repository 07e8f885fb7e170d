/**
 * Random rules, callers, filters and writes. A subscription of GraphQL tells event by event what
 * the live stream of REST tells the same caller, and both end with the list.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shortOr } from '../../helpers/long.ts'
import { until } from '../../helpers/until.ts'
import { type RandomWorld, startRandomWorld } from '../random-world.ts'
import type { ReaderOptions } from '../reader.ts'
import { type LiveClient, makeLiveClient } from './live-client.ts'
import { makeSubscriber, memberNames } from './subscription-client.ts'

const worlds = Number(process.env.LIVE_WORLDS ?? shortOr(1, 10))
const firstSeed = Number(process.env.LIVE_SEED ?? 900)
const pairsOfWorld = 10
const writesOfWorld = 80

const numbers: ReadonlySet<string> = new Set(['rank', 'price'])
const typed = (name: string, text: string) => (numbers.has(name) ? Number(text) : text)

/** `rank[gte]=3` → `{ filter: { rank: { gte: 3 } } }`, as GraphQL takes it. */
function argumentsOf(query: string): { readonly q?: string; readonly filter?: unknown } {
  const [, name, operator, text = ''] = /^(\w+)(?:\[(\w+)\])?=(.*)$/.exec(query) ?? []
  if (name === undefined) return {}
  if (name === 'q') return { q: text }
  if (name === 'filter') return { filter: JSON.parse(decodeURIComponent(text)) }
  return { filter: { [name]: { [operator ?? (name === 'tags' ? 'contains' : 'eq')]: typed(name, text) } } }
}

type Pair = { readonly rest: LiveClient; readonly graphql: LiveClient; readonly asked: ReaderOptions }

function pairOf(world: RandomWorld): Pair {
  const asked = world.asked()
  const { token, key, headers: tenant = {} } = asked.as
  const credential: Record<string, string> =
    key === undefined ? { authorization: `Bearer ${token}` } : { 'x-api-key': String(key) }
  const headers = { ...credential, ...(tenant as Record<string, string>) }
  const { url } = world.service
  const { q, filter } = argumentsOf(asked.filter ?? '')
  const type = { notes: 'Note', posts: 'Post', remarks: 'Remark' }[asked.resource]
  const search = asked.resource === 'notes' ? ['q: $q', '$q: String, '] : ['', '']
  const query = `subscription (${search[1]}$filter: ${type}Filter) {
    ${asked.resource}(${search[0]} filter: $filter) { ${memberNames} record { id ${asked.names.join(' ')} } }
  }`
  const variables = { ...(q !== undefined && { q }), filter }
  return {
    rest: makeLiveClient({ url, path: `/${asked.resource}?${asked.filter ? `${asked.filter}&` : ''}_live`, headers }),
    graphql: makeSubscriber({ url, query, variables, headers }),
    asked,
  }
}

const refusedBy = (client: LiveClient): string | undefined => {
  const failed = client.events.find(({ event }) => event === 'errors')
  return failed && JSON.stringify(failed.data)
}

/** Whether both connected. A tenant may have gone, which both tell. */
async function connect({ rest, graphql }: Pair): Promise<boolean> {
  const begin = (client: LiveClient) =>
    client.connect().then(
      () => true,
      () => false,
    )
  const [connected, other] = [await begin(rest), await begin(graphql)]
  if (!other) assert.deepEqual([connected, rest.status()], [false, graphql.status()])
  if (!other) return false
  if (connected) await rest.next('ready')
  await until(
    () => graphql.events.length > 0 && (refusedBy(graphql) !== undefined || graphql.events.at(-1)?.event === 'ready'),
    () => JSON.stringify(graphql.events),
  )
  assert.equal(refusedBy(graphql) === undefined, connected, `${refusedBy(graphql)}`)
  return connected
}

/** The stream has ended with a membership, and each tells that at its own time. */
const isOver = ({ events }: LiveClient) => events.some(({ event }) => ['end', 'errors', 'lost'].includes(event))

/** GraphQL has the id in each record, shows no fields that are hidden, and names no resource. */
function textOf({ events }: LiveClient, { names }: ReaderOptions): string[] {
  return events
    .filter(({ event }) => !['ready', 'failed', 'end', 'errors', 'lost'].includes(event))
    .map(({ event, id, data }) => {
      const { record, before, version, at, transaction, last, position, id: recordId } = data
      const shown = record && names.map((name) => [name, (name === 'id' ? recordId : record[name]) ?? null])
      // Between two positions a client has that of its beginning, at which the two differ.
      return JSON.stringify([event, last && id, recordId, version, at, transaction, last, position, shown, before])
    })
}

async function compare({ rest, graphql, asked }: Pair, words: string): Promise<number> {
  const seen = (client: LiveClient) => textOf(client, asked)
  const failed = (client: LiveClient) => client.events.find(({ event }) => event === 'failed')
  const isSame = () => {
    const [one, other] = [seen(rest), seen(graphql)]
    const most = isOver(rest) || isOver(graphql) ? Math.min(one.length, other.length) : undefined
    return JSON.stringify(one.slice(0, most)) === JSON.stringify(other.slice(0, most))
  }
  const difference = () => {
    const [one, other] = [seen(rest), seen(graphql)]
    const at = one.findIndex((text, i) => text !== other[i])
    return `${words} ${asked.filter}: ${one.length} and ${other.length} events, at ${at} ${one[at]} is not ${other[at]}`
  }
  await until(() => failed(rest) !== undefined || failed(graphql) !== undefined || isSame(), difference)
  assert.deepEqual([failed(rest), failed(graphql)], [undefined, undefined], words)
  return seen(graphql).length
}

/** Whether the caller still has its list, and both show it. */
async function checkList({ rest, graphql, asked }: Pair, words: string): Promise<void> {
  const { ask, as, resource, filter = '' } = asked
  const ids = async () => {
    const reply = await ask('GET', `/api/v1/${resource}?limit=100&${filter}`, as)
    return reply.status === 200 && (reply.body.data as { id: string }[]).map(({ id }) => id).sort()
  }
  const own = await ids()
  if (own === false || own.length === 100) return
  const shows = (client: LiveClient) => JSON.stringify([...client.table.keys()].sort()) === JSON.stringify(own)
  await until(
    () => isOver(rest) || isOver(graphql) || (shows(rest) && shows(graphql)),
    () => `${words} ${filter}: ${[...graphql.table.keys()]} is not ${own}`,
  )
}

describe('Subscriptions and live streams of REST, by random rules, callers, filters and writes', () => {
  let events = 0
  for (let i = 0; i < worlds; i += 1)
    it(`tell the same, seed ${firstSeed + i}`, async () => {
      const world = await startRandomWorld(firstSeed + i)
      const pairs: Pair[] = []
      try {
        for (let tries = 0; pairs.length < pairsOfWorld && tries < 50; tries += 1) {
          const pair = pairOf(world)
          if (await connect(pair)) pairs.push(pair)
        }
        for (let done = 0; done < writesOfWorld; done += 2) await Promise.all([world.write(), world.write()])
        for (const [at, pair] of pairs.entries()) {
          await checkList(pair, `seed ${firstSeed + i}, pair ${at}`)
          events += await compare(pair, `seed ${firstSeed + i}, pair ${at}`)
        }
      } finally {
        for (const { rest, graphql } of pairs) {
          await rest.cut()
          await graphql.cut()
        }
        await world.service.stop()
      }
    })

  it('have events to tell', () => assert.ok(events > 20, `${events} events`))
})
