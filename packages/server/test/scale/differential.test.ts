/**
 * Thousands of requests go to a service on SQLite and to one on PostgreSQL: both return the same
 * statuses and the same bytes.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import {
  adminEmail,
  dropPostgresDatabase,
  makePostgresDatabase,
  password,
  sharedCluster,
  startService as startOf,
  type TestService,
} from 'bindery-server/test'
import { autoNumber } from '../../src/index.ts'
import { makeCatalog, type Resource } from '../../src/resource/catalog.ts'
import { resources as declared } from '../application/resources/index.ts'
import { shortOr } from '../helpers/long.ts'
import { everyType } from './every-type.ts'
import { makeRandom, makeRequests, type RandomRequest } from './random-requests.ts'

const requestCount = Number(process.env.DIFFERENTIAL_REQUESTS ?? shortOr(400, 2000))
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 20_261_123)
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
/** The application's, one of which is also counted, and written by a filter and a unique field. */
const library = declared.map((one) => {
  if (one.name !== 'edition' || !('fields' in one)) return one
  const list = { ...one.list, bulk: true, sortable: [...(one.list?.sortable ?? []), 'no'] }
  return { ...one, fields: { ...one.fields, no: autoNumber({ prefix: 'E-', digits: 2 }) }, list, upsert: ['isbn'] }
}) as typeof declared
const resources = [...library, ...everyType]
/** One clock for both, which moves only between requests. */
let nowMs = Date.parse('2026-11-21T12:00:00.000Z')

/** A service, and the ids that it has shown, in the order in which they appeared. */
class Side {
  readonly service: TestService
  readonly ids: string[] = []
  readonly #places = new Map<string, number>()
  readonly tokens = new Map<string, string>()
  cursor = ''

  constructor(service: TestService) {
    this.service = service
  }

  placeOf(id: string): number {
    let place = this.#places.get(id)
    if (place === undefined) {
      place = this.ids.push(id) - 1
      this.#places.set(id, place)
    }
    return place
  }

  async send({ method, path, body, headers: sent = {}, as }: RandomRequest): Promise<string> {
    const own = (text: string) =>
      text.replace(/\{(\d+)\}/g, (_, place) => this.ids[Number(place)] ?? 'none').replace('{cursor}', this.cursor)
    const token = this.tokens.get(as)
    const reply = await this.service.ask(method, own(path), {
      ...(body === undefined ? {} : { raw: own(body) }),
      ...(token ? { token } : {}),
      headers: sent,
    })
    const next = /"nextCursor":"([^"]*)"/.exec(reply.text)?.[1]
    if (next) this.cursor = encodeURIComponent(next)
    // A cursor contains an id, and digests in a batch are of ids too; keys and tokens are random.
    const text = reply.text
      .replace(/"nextCursor":"[^"]*"/, '"nextCursor":"…"')
      .replace(/bk_[A-Za-z0-9_-]+/g, 'bk_…')
      .replace(/("ETag":"(?:W\/)?\\"\d*)[^\\]*/g, '$1…')
      .replace(uuid, (id) => `#${this.placeOf(id)}`)
    const headers = [
      'content-type',
      'etag',
      'location',
      'allow',
      'retry-after',
      'cache-control',
      'www-authenticate',
      'x-total-count',
    ]
    // Digests of the bytes of a list, of what a record shows of others, and of the view, where that
    // has ids.
    const view = /expand|\/me\b/.test(path) ? /(?<=^(?:W\/)?"[^.]+\.)[\w-]{16}(?="$)/ : /$^/
    const steady = (etag: string) =>
      etag
        .replace(/^(W\/)?"[\w-]{27}"$/, 'of these bytes')
        .replace(/^((?:W\/)?"\d+-)[\w-]{16}(?=[."])/, '$1of what is shown')
        .replace(view, 'of a view')
    const shown = headers.map((name) => {
      const value = (reply.headers.get(name) ?? '-').replace(uuid, (id) => `#${this.placeOf(id)}`)
      return `${name}: ${name === 'etag' ? steady(value) : value}`
    })
    return `${reply.status}\n${shown.join('\n')}\n${text}`
  }
}

const databaseName = `differential_${randomBytes(6).toString('hex')}`
let sides: [Side, Side]

before(async () => {
  const env = { SIGN_UP: 'open' }
  const clock = () => nowMs
  const url = await makePostgresDatabase(sharedCluster(), databaseName)
  const sqlite = await startOf(resources, { env: { ...env, DATABASE_URL: '' }, clock })
  const postgres = await startOf(resources, { env: { ...env, DATABASE_URL: url }, clock })
  sides = [new Side(sqlite), new Side(postgres)]
  for (const side of sides) {
    const logIn = async (as: string, email: string) => {
      const reply = await side.service.ask('POST', '/auth/login', { body: { email, password } })
      side.tokens.set(as, reply.body.accessToken)
      side.placeOf(JSON.parse(Buffer.from(reply.body.accessToken.split('.')[1], 'base64url').toString()).userId)
    }
    await logIn('admin', adminEmail)
    for (const as of ['user', 'editor']) {
      const email = `${as}@example.com`
      const token = side.tokens.get('admin') as string
      await side.service.ask('POST', '/api/v1/members', { body: { email, password, role: as.toUpperCase() }, token })
      await logIn(as, email)
    }
  }
})
after(async () => {
  for (const side of sides) await side.service.stop()
  await dropPostgresDatabase(sharedCluster(), databaseName)
})

it(`${requestCount} requests have the same answers on both databases`, async () => {
  const random = makeRandom(seed)
  const catalog = makeCatalog(resources)
  const names: readonly string[] = everyType.map(({ name }) => name)
  const isAbout = ({ name, traits }: Resource) => names.includes(traits.made?.of ?? name)
  const ofAll = makeRequests(catalog, random)
  const ofEveryType = makeRequests(catalog, random, { isAbout })
  const statuses = new Map<string, number>()
  const made = new Map<string, number[]>([['member', [1, 2]]])
  const versions = new Set<number>()
  for (let i = 0; i < requestCount; i += 1) {
    nowMs += 7
    const request = i % 2 === 0 ? ofAll : ofEveryType
    const known = (resource: string) => (resource === 'parcelVersion' ? [...versions] : (made.get(resource) ?? []))
    let one = request(known)
    // Most deletes are refused, and random requests seldom have one.
    for (let tries = 0; i % 20 === 19 && one.method !== 'DELETE' && tries < 1_000; tries += 1) one = request(known)
    // The two members who send the requests must not change.
    const touched = [one.path, one.body ?? ''].some((text) => /\/members\/\{[12]\}(\/(bar|admit))?("|$)/.test(text))
    if (one.method !== 'GET' && touched) continue
    const [onSqlite, onPostgres] = await Promise.all(sides.map((side) => side.send(one)))
    assert.equal(onPostgres, onSqlite, `request ${i} of seed ${seed}: ${JSON.stringify(one)}`)
    const status = onSqlite?.slice(0, 3) as string
    assert.notEqual(status, '500', JSON.stringify(one))
    const place = status === '201' ? /"_?id":"#(\d+)"/.exec(onSqlite as string)?.[1] : undefined
    for (const [, version] of (onSqlite as string).matchAll(/"historyId":"#(\d+)"/g)) versions.add(Number(version))
    if (one.makes && place) made.set(one.makes, [...(made.get(one.makes) ?? []), Number(place)])
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  process.stdout.write(`# ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`)
  for (const status of ['200', '201', '204', '400', '403', '404', '409']) assert.ok(statuses.has(status), status)
})
