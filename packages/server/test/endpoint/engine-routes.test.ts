/**
 * Checks every route that belongs to no resource against its description: it serves each of its
 * paths and refuses as described.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type DefinedRoute, operationWords, pathsOf } from '../../src/endpoint/define-route.ts'
import type { DocumentedError } from '../../src/endpoint/documented-response.ts'
import { errorCodes } from '../../src/errors.ts'
import { defineResource, id, role } from '../../src/index.ts'
import { errorsOf } from '../../src/openapi/engine-operations.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'
import { type AskOptions, startService as startOf, type TestService } from '../../src/testing/index.ts'
import { resources } from '../helpers/application.ts'
import { file, tidy } from '../jobs/mailroom.ts'
import { links, oneTimeTokens, outgoingMails } from '../service/people.ts'

const env = {
  LOGIN_LINK: 'on',
  MCP: 'read',
  JWT_ALG: 'EdDSA',
  OIDC_PROVIDERS: 'corp',
  OIDC_CORP_ISSUER: 'http://127.0.0.1:9',
  OIDC_CORP_CLIENT_ID: 'x',
}
/** Its changes are followed. */
const tides = defineResource({
  name: 'tide',
  path: '/tides',
  changes: true,
  fields: { id: id() },
  list: { style: 'page' },
  access: { list: role('ADMIN') },
})
const all = [...resources, links, oneTimeTokens, outgoingMails, file, tidy, tides]
const start = (more: Record<string, string> = {}) => startOf(all, { env: { ...env, ...more } })

type Route = DefinedRoute<never>
const routesOf = ({ service }: TestService): readonly Route[] =>
  engineRoutes(service.engine).flatMap(({ routes }) => routes)
const addressOf = (path: string) => path.replace(/:\w+/g, 'corp')
const idOf = (route: Route) => operationWords(route)?.id

/** The parts of a request that provoke a refusal: a query, and the rest of the request. */
type Asked = AskOptions & { readonly query?: string; readonly path?: string }
type Asking = { readonly [C in DocumentedError]?: Asked }

const twoCookies = (name: string): Asked => ({ cookie: `${name}=a; ${name}=b` })
const elsewhere: Asked = { headers: { origin: 'https://evil.example' } }
const lost: Asked = { body: { token: 'none' } }
const noTicket: Asked = { body: { ticket: 'none', code: '123456' } }

type People = { readonly user: string; readonly admin: string }
const ofOperator = ({ user, admin }: People): Asking => ({
  'bad-request': { token: admin, query: '?unheard-of=1' },
  unauthenticated: {},
  forbidden: { token: user },
})
const ofNamed = (own: People): Asking => ({
  ...ofOperator(own),
  'bad-request': { token: own.admin, query: '?unheard-of=1' },
  'not-found': { token: own.admin },
})

/** Refusals of single routes; `own` has people of the service. */
const asked = (own: People): Readonly<Record<string, Asking>> => ({
  readOperation: ofNamed(own),
  readFeedFacts: ofOperator(own),
  viewAs: { ...ofOperator(own), 'not-found': { token: own.admin, body: { userId: 'nobody' } } },
  erase: {
    ...ofOperator(own),
    'not-found': { token: own.admin, headers: { prefer: 'dry-run' }, body: { resource: 'members', id: 'nobody' } },
  },
  takeBackup: { ...ofOperator(own), 'bad-request': { token: own.admin, headers: { prefer: 'dry-run' } } },
  changeEffect: ofNamed(own),
  listJobs: ofOperator(own),
  changeJob: ofNamed(own),
  runSchedule: ofNamed(own),
  login: { unauthenticated: { body: { email: 'ada@example.com', password: 'not the password' } } },
  refresh: { 'bad-request': twoCookies('refreshToken'), unauthenticated: {}, forbidden: elsewhere },
  logout: { 'bad-request': twoCookies('refreshToken'), forbidden: elsewhere },
  reset: { unauthenticated: { body: { token: 'none', password: 'correct horse battery' } } },
  verify: { unauthenticated: lost },
  loginLink: { unauthenticated: lost },
  logInByConsoleCode: { unauthenticated: { body: { code: 'none' } } },
  loginWithFactor: { unauthenticated: noTicket },
  enrolFactor: { unauthenticated: { body: { type: 'totp' } } },
  endLogIn: { 'bad-request': twoCookies('logInFlow') },
  batch: {
    'bad-request': { body: {} },
    unauthenticated: { token: 'bad' },
    forbidden: { token: own.user, body: { operations: [{ method: 'POST', path: '/editions', body: {} }] } },
    'not-found': { body: { operations: [{ method: 'GET', path: '/shelves/none' }] } },
  },
  listResources: { 'bad-request': { query: '?unheard-of=1' }, unauthenticated: { token: 'bad' } },
  getResource: {
    'bad-request': { query: '?unheard-of=1' },
    unauthenticated: { token: 'bad' },
    'not-found': { path: '/api/v1/_resources/nothing' },
  },
  getChanges: {
    'bad-request': { query: '?limit=0' },
    unauthenticated: { token: 'bad' },
    forbidden: { token: own.user, query: '?resources=tides' },
  },
  openLive: {
    'bad-request': { body: {} },
    unauthenticated: { token: 'bad', body: {} },
    forbidden: { token: own.user, body: { subscriptions: [{ name: 'all', path: '/tides' }] } },
  },
  getPermissions: { 'bad-request': { query: '?unheard-of=1' }, unauthenticated: { token: 'bad' } },
  graphqlQuery: { 'bad-request': {}, unauthenticated: { token: 'bad', query: '?query={__typename}' } },
  graphql: { 'bad-request': { body: {} }, unauthenticated: { token: 'bad', body: { query: '{ __typename }' } } },
  isReady: {
    'bad-request': { query: '?details=perhaps' },
    unauthenticated: { query: '?details=true' },
    forbidden: { query: '?details=true', token: own.user },
  },
})

/**
 * The refusals of any route of this form. `user`, `key`: of a person, and one that may not change
 * credentials.
 */
function usual(route: Route, { user, key }: { readonly user: string; readonly key: string }): Asking {
  const isAsked = !('access' in route.rule) || route.rule.access === 'inside'
  if (route.isRaw) return {}
  const token = isAsked ? { token: user } : {}
  const [name] = Object.keys(route.parameters ?? {})
  const body = route.example === undefined ? {} : { body: route.example }
  return {
    'bad-request': { ...token, ...body, query: '?unheard-of=1' },
    ...(isAsked && { unauthenticated: { token: 'bad', ...body } }),
    ...(!('access' in route.rule) && route.isOfCredentials && { forbidden: { key, ...body } }),
    ...(name && { 'not-found': { ...token, ...body, path: route.path.replace(`:${name}`, 'nobody') } }),
  }
}

/**
 * Of a stored state, a fault, or another service: tests of their subjects have them. Requests that
 * no parser takes are 400 for every route.
 */
const ofSubjects: Readonly<Record<string, readonly DocumentedError[]>> = {
  all: ['internal', 'unavailable', 'bad-gateway', 'conflict', 'precondition-failed', 'too-many-requests'],
  isLive: ['bad-request'],
  // test/events has the positions that are gone.
  getChanges: ['gone'],
  getOpenapi: ['bad-request'],
  listLogInProviders: ['bad-request'],
  endLogInByForm: ['bad-request'],
  endLogIn: ['unauthenticated', 'forbidden', 'not-found'],
  // Every test asks from the machine of the service.
  logInByConsoleCode: ['forbidden'],
  // Passkeys belong to a name, which a test has none of.
  askForPasskey: ['unauthenticated'],
  enrolFactor: ['forbidden'],
  finishEnrolment: ['forbidden'],
}

describe('routes of no resource', () => {
  let service: TestService
  before(async () => {
    service = await start()
  })
  after(() => service?.stop())

  it('are served at each of their paths, and other methods are 405', async () => {
    const routes = routesOf(service)
    assert.ok(routes.length > 35, `${routes.length}`)
    for (const route of routes)
      for (const path of pathsOf(route).map(addressOf)) {
        const { status, headers } = await service.ask('OPTIONS', path)
        const allow = headers.get('allow')?.split(', ') ?? []
        assert.equal(status, 204, `${route.method} ${path}`)
        assert.ok(allow.includes(route.method), `${route.method} ${path}: ${allow}`)
        const refused = await service.ask('PUT', path)
        assert.equal(refused.status, 405, path)
        assert.deepEqual(refused.headers.get('allow')?.split(', '), allow)
      }
  })

  it('refuse with what they say, and nothing that they say is left untried', async () => {
    const person = await service.person()
    const key = await service.key(person, { scopes: ['editions:read'] })
    const known = { user: person.token, admin: (await service.admin()).token, key }
    const own = asked(known)
    const untried: string[] = []
    for (const route of routesOf(service)) {
      const id = idOf(route)
      if (id === undefined) continue
      const ways: Asking = { ...usual(route, known), ...own[id] }
      for (const code of errorsOf(route)) {
        const way = ways[code]
        if (!way) {
          const isElsewhere = [...(ofSubjects.all ?? []), ...(ofSubjects[id] ?? [])].includes(code)
          if (!isElsewhere) untried.push(`${id}: ${code}`)
          continue
        }
        const { path = route.path, query = '', ...options } = way
        const { status, text } = await service.ask(route.method, `${addressOf(path)}${query}`, options)
        assert.equal(status, errorCodes[code].status, `${id}: ${code}: ${text}`)
      }
    }
    assert.deepEqual(untried, [])
  })
})

it('routes of no resource are counted as what they say', async (t) => {
  const service = await start({ RATE_LIMIT: 'auth=1/1m, graphql=1/1m, read=1/1m, write=1/1m' })
  t.after(() => service.stop())
  const counted = routesOf(service).filter((route) => route.limits)
  assert.ok(counted.length > 15)
  for (const { method, path } of counted) {
    const ask = () => service.ask(method, addressOf(path), method === 'POST' ? { body: {} } : {})
    await ask()
    assert.equal((await ask()).status, 429, `${method} ${path}`)
  }
})
