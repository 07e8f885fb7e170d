/**
 * A caller whose rights end while its request is under way. Where the body is late, the response by
 * every door equals that to the same request sent afterwards, and nothing is stored. Each client
 * holds its body back until the server has asked for it: by then the caller has been admitted once.
 * A list that is sent in chunks ends at the next one.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type HttpRequest, isWholeBody } from '../../src/http/messages/exchange.ts'
import { handleRequest } from '../../src/rest/handle-request.ts'
import { makeRoutes } from '../../src/rest/route.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { shortOr } from '../helpers/long.ts'
import { api, type Caller, type Door, type Loss, startRightsWorld } from './rights-world.ts'

const { service, ask, stored, club, allStored, newCoach, doors, answerOf, losses } = await startRightsWorld()
after(() => service.stop())

/** The problem of a door; undefined where it refuses as it does afterwards, and stores nothing. */
async function problemOf(door: Door, { end, by = 'token' }: Loss): Promise<string | undefined> {
  const caller = await newCoach({ role: door.role, by })
  const before = await allStored()
  const late = await answerOf(door, caller, async () => {
    const ended = await end(caller)
    assert.ok(ended.status < 300, ended.text)
  })
  if (!isDeepStrictEqual(await allStored(), before)) return `stored with ${late.status} ${late.body}`
  const afterwards = await answerOf(door, caller)
  if (late.status === afterwards.status && late.body === afterwards.body) return undefined
  return `${late.status} ${late.body} in place of ${afterwards.status} ${afterwards.body}`
}

/** The doors that `npm test` tries with every loss; it tries the others with the first one. */
const usual = ['create', 'batch', 'mutation', 'tool', 'a new key', 'a view as a user']
const tried: readonly string[] = shortOr(usual, Object.keys(doors))

describe('a body that arrives after its caller has lost a right', () => {
  for (const [index, [name, loss]] of Object.entries(losses).entries())
    it(`is refused at every door where ${name}`, async () => {
      const problems: Record<string, string | undefined> = {}
      for (const [place, door] of Object.entries(doors)) {
        const isFree = door.isOfAccount && (loss.of === 'member' || loss.by === 'key')
        if (isFree || (loss.of === 'role' && !door.role)) continue
        if (index === 0 || tried.includes(place)) problems[place] = await problemOf(door, loss)
      }
      const found = Object.entries(problems).filter(([, problem]) => problem !== undefined)
      assert.deepEqual(found, [])
    })
})

describe('a body that arrives late', () => {
  it('is taken where its caller has kept its rights, and is stored once', async () => {
    for (const [name, door] of Object.entries(doors)) {
      const caller = await newCoach({ role: door.role, by: 'token' })
      const late = await answerOf(door, caller, async () => undefined)
      assert.ok(late.status >= 200 && late.status < 300, `${name}: ${late.body}`)
      assert.doesNotMatch(late.body, /"error"|"isError":true|"errors":\[\{/, name)
    }
  })
  it('counts once towards the rate of its caller', async () => {
    const caller = await newCoach({ by: 'token' })
    const left = (header: string | null | undefined) => Number(/r=(\d+)/.exec(header ?? '')?.[1])
    const before = left((await ask('GET', `${api}/notes`, { token: caller.token })).headers.get('ratelimit'))
    const late = await answerOf({ ...(doors.create as Door), body: {} }, caller, async () => undefined)
    assert.equal(left(late.headers.ratelimit), before - 1)
  })
})

describe('a list that is sent in chunks', async () => {
  const { engine } = service.service
  const line = engine.catalog.get('line')
  const count = 1_200
  await engine.records.transaction(serviceAuthor, async (tx) => {
    const values = { clubId: club.id, words: 'word '.repeat(20) }
    for (let i = 0; i < count; i += 1) await tx.insert(await tx.prepare(line, values))
  })
  const routes = makeRoutes(engine.catalog).filter(({ target }) => target.resource === line)
  const pipeline = {
    engine,
    takeRate: undefined,
    cache: undefined,
    inWork: new Set<string>(),
    logFault: () => undefined,
  }

  /** The pieces of the response, of which the first has been read when `meanwhile` is done. */
  async function piecesOf(operation: string, caller: Caller, meanwhile: () => Promise<unknown>): Promise<string> {
    const route = routes.find(({ target, steps }) => target.operation === operation && steps.length === 0)
    assert.ok(route)
    const request: HttpRequest = {
      id: 'test',
      method: route.method,
      path: route.path,
      query: '',
      parameters: {},
      headers: { authorization: `Bearer ${caller.token}` },
      address: '127.0.0.1',
      protocol: 'http',
      place: undefined,
      left: () => false,
      onLeft: () => () => undefined,
      tell: () => undefined,
      body: undefined,
    }
    const { body } = await handleRequest(pipeline, route, request)
    assert.ok(body && !isWholeBody(body))
    const pieces: string[] = []
    for await (const piece of body) {
      if (pieces.push(String(piece)) === 1) await meanwhile()
    }
    return pieces.join('')
  }

  for (const operation of ['list', 'export']) {
    for (const [name, { end, of, by }] of Object.entries(losses)) {
      if (of === 'role' || by === 'key') continue
      it(`ends early where ${name}: ${operation}`, async () => {
        const caller = await newCoach({ by: 'token' })
        const reading = piecesOf(operation, caller, () => end(caller))
        await assert.rejects(reading, { name: 'ApiError' })
      })
    }

    it(`ends early where the caller keeps another tenant: ${operation}`, async () => {
      const caller = await newCoach({ by: 'token' })
      await stored('/clubs', { name: 'Kept' }, caller)
      const removed = losses['the membership is removed'] as Loss
      await assert.rejects(
        piecesOf(operation, caller, () => removed.end(caller)),
        /rights of the caller have changed/,
      )
    })

    it(`goes on to its end where other rights change: ${operation}`, async () => {
      const caller = await newCoach({ by: 'token' })
      const text = await piecesOf(operation, caller, () => stored('/clubs', { name: 'Of their own' }, caller))
      assert.equal(text.match(/"words"/g)?.length, count)
    })
  }
})
