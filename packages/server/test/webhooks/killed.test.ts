/**
 * Deliveries to receivers that fail, hang, redirect and reset at random, while the test kills the
 * process of the service. Receivers miss none, each has its signature, and the order is right.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  adminEmail,
  databaseOf,
  makeAsk,
  password,
  removeDatabase,
  removeFolder,
  type ServerProcess,
  spawnServer,
  temporaryFolder,
} from 'bindery-server/test'
import { makeSettle } from '../events/reader.ts'
import { until } from '../helpers/until.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { type Answer, type Received, startReceiver } from './receiver.ts'

const { WEBHOOK_DELIVERIES = '60', WEBHOOK_KILLS = '2' } = process.env
const [writesMin, killsMin] = [Number(WEBHOOK_DELIVERIES) / 2, Number(WEBHOOK_KILLS)]
const booksAtOnce = 8

/** Takes some three of five, and notes in which order. */
function unreliable(random: () => number): { readonly answer: Answer; readonly taken: Received[] } {
  const taken: Received[] = []
  return {
    taken,
    answer(one, response, request) {
      const luck = random()
      if (luck < 0.15) response.writeHead(500).end('broken')
      else if (luck < 0.25) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      else if (luck < 0.35) request.socket.destroy()
      else if (luck < 0.4)
        return // it hangs
      else {
        taken.push(one)
        response.writeHead(204).end()
      }
    },
  }
}

type ChangesAnswer = {
  readonly data: readonly { readonly type: string; readonly id: string; readonly version: number }[]
  readonly meta: { readonly position: string; readonly hasMore: boolean }
}

const keyOf = ({ type, data }: Pick<Received, 'type' | 'data'>) => `${type.split('.')[1]} ${data.id} ${data.version}`

test('kills of the process lose no delivery and no order', async (t) => {
  const random = makeRandom(45)
  const folder = temporaryFolder()
  const env = {
    ...{ DATA_DIR: folder, OUTGOING_ALLOW: '127.0.0.1', SIGN_UP_LIMIT: 'off' },
    ...{ ADMIN_EMAIL: adminEmail, ADMIN_PASSWORD: password },
    ...(await databaseOf(folder)),
  }
  let server: ServerProcess | undefined
  let url = ''
  const start = async () => {
    server = spawnServer({ env, command: ['webhook-server.ts'], cwd: import.meta.dirname })
    url = await server.ready()
  }
  const receivers = await Promise.all(Array.from({ length: 3 }, () => startReceiver()))
  const [plain, ordered, dead] = receivers as [(typeof receivers)[0], (typeof receivers)[0], (typeof receivers)[0]]
  t.after(async () => {
    await server?.stop('SIGKILL')
    for (const one of receivers) await one.stop()
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const [ofPlain, ofOrdered] = [unreliable(random), unreliable(random)]
  plain.state.answer = ofPlain.answer
  ordered.state.answer = ofOrdered.answer
  dead.state.answer = () => undefined

  await start()
  const logged = await makeAsk(url)('POST', '/auth/login', { body: { email: adminEmail, password } })
  const keyed = await makeAsk(url)('POST', '/api/v1/api-keys', {
    body: { name: 'test' },
    token: logged.body.accessToken,
  })
  assert.equal(keyed.status, 201, keyed.text)
  const key = keyed.body.key as string
  /** A killed process answers nothing. */
  const asked = async (method: string, path: string, body?: object) => {
    const reply = await makeAsk(`${url}`)(method, path, body === undefined ? { key } : { body, key }).catch(
      () => undefined,
    )
    if (!reply) await sleep(20)
    return reply
  }
  const begin = (await asked('GET', '/api/v1/_changes?resources=books'))?.body.meta.position as string
  const idOf = async (receiver: typeof plain, inOrder: boolean) => {
    const body = { url: receiver.url, resources: ['books'], inOrder }
    const made = await asked('POST', '/api/v1/webhook-endpoints', body)
    assert.ok(made?.status === 201, `${made?.text}`)
    receiver.state.secret = made?.body.secret
    return made?.body.id as string
  }
  const ids = [await idOf(plain, false), await idOf(ordered, true)]
  await idOf(dead, false)

  let writes = 0
  let isOver = false
  const write = async () => {
    let id: string | undefined
    while (!isOver) {
      const stock = Math.floor(random() * 1000)
      const reply = id
        ? await asked('PATCH', `/api/v1/books/${id}`, { stock })
        : await asked('POST', '/api/v1/books', { title: `${stock}` })
      if (reply?.status === 201) id = reply.body.id
      if (reply && reply.status < 300) writes += 1
    }
  }
  const writing = Promise.all(Array.from({ length: booksAtOnce }, write))
  for (let kills = 0; kills < killsMin; kills += 1) {
    await until(() => writes >= ((kills + 1) * writesMin) / (killsMin + 1), 'some are written')
    await server?.stop('SIGKILL')
    await start()
  }
  await until(() => writes >= writesMin, 'all are written')
  isOver = true
  await writing
  await makeSettle(makeAsk(url), { key }, 'notes', { text: 'settled' })()

  const expected: string[] = []
  for (let after = begin; ; ) {
    const page = await asked('GET', `/api/v1/_changes?resources=books&limit=1000&after=${encodeURIComponent(after)}`)
    assert.ok(page?.status === 200, `${page?.text}`)
    const { data, meta } = page?.body as never as ChangesAnswer
    for (const { type, id, version } of data) expected.push(`${type} ${id} ${version}`)
    after = meta.position
    if (!meta.hasMore) break
  }
  for (const [at, { taken }] of [ofPlain, ofOrdered].entries()) {
    const heard = () => new Set(taken.map(keyOf))
    await until(
      () => heard().size >= expected.length,
      () => `${heard().size} of ${expected.length} deliveries to receiver ${at}`,
      100,
    )
    assert.deepEqual([...heard()].toSorted(), expected.toSorted(), 'each change, and nothing else')
    assert.equal(new Set(taken.map(({ id }) => id)).size, expected.length, 'each has one id')
    await until(async () => {
      const waiting = await asked('GET', `/api/v1/webhook-deliveries?waitingId=${ids[at]}&limit=1`)
      return waiting?.body.data.length === 0
    }, 'none waits any more')
  }
  const lastOf = new Map<string, number>()
  for (const { data } of ofOrdered.taken) {
    const [id, version] = [String(data.id), Number(data.version)]
    assert.ok(version >= (lastOf.get(id) ?? 0), `${id}: ${version} after ${lastOf.get(id)}`)
    lastOf.set(id, version)
  }
  for (const { forged } of receivers) assert.deepEqual(forged, [])
  const all = ofPlain.taken.length + ofOrdered.taken.length
  t.diagnostic(
    `${writes} writes, ${killsMin} kills, ${2 * expected.length} deliveries, ${all - 2 * expected.length} repeats`,
  )
})
