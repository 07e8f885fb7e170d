/**
 * The table of doors: every way by which a caller reaches records, and the requests of the proof
 * that go through it. A new operation, form or group of routes, or parameter without a row does not
 * compile.
 */

import type { EngineOperation } from '../../src/resource/operation-kind.ts'
import { doorsIn, type RouteDoors } from '../helpers/door-table.ts'
import type { SentRequest } from './worlds.ts'

export type Door =
  | EngineOperation
  | 'act'
  | 'nested'
  | 'summary'
  | 'query'
  | 'expand'
  | 'filter by relation'
  | 'bulk'
  | 'upsert'
  | 'batch'
  | 'graphql query'
  | 'graphql mutation'
  | 'mcp'
  | 'header'
  | 'permissions'
  | 'declarations'
  | 'explanation'
  | 'invitation'

const listing = '(a part of the list)'

const table: RouteDoors<Door> = {
  operations: {
    list: 'list',
    get: 'get',
    create: 'create',
    replace: 'replace',
    update: 'update',
    delete: 'delete',
    import: 'import',
    export: 'export',
  },
  forms: {
    summarizes: 'summary',
    compares: '(two of a list of versions, by its rules: record/differences.test.ts)',
    many: 'bulk',
    upserts: 'upsert',
    key: '(the record of a get, in one tenant: record/slug-lookups.test.ts)',
    isSelf: '(the own record of the user, which belongs to no tenant)',
    branch: '(a list of records that the same rules judge, as is each on the way: relations/trees.test.ts)',
    trash: '(trash-rules.test.ts)',
    isInTrash: '(trash-rules.test.ts)',
    endsForGood: '(trash-rules.test.ts)',
  },
  groups: {
    graphql: 'graphql query',
    mcp: 'mcp',
    batch: 'batch',
    changes: '(the lists of the caller, by their rules: events/; for endpoints, webhooks/rights.test.ts)',
    live: '(the lists of the caller, by their rules, also as subscriptions of GraphQL: events/live/)',
    permissions: 'permissions',
    resources: 'declarations',
    uploads: '(uploads of the caller in the own tenants: files/tus-hostile.test.ts)',
    endpoints: '(code of the application, by the rights of its caller: endpoint/declared/tenants.test.ts)',
    auth: '(sessions of users)',
    recovery: '(accounts of users)',
    factors: '(factors of users)',
    oidc: '(accounts of users)',
    erasure: '(for operators, who are above tenants: accounts/erase-requests.test.ts)',
    keys: '(public keys)',
    accountPages: '(pages without records)',
    pages: '(pages without records)',
    console: '(a page without records)',
    viewAs: '(accounts of users)',
    consoleCode: '(accounts of users)',
    scalars: '(a page without records)',
    documents: '(the declarations, not the records)',
    status: '(counts of the whole service, for its operator)',
    jobs: '(jobs of the caller in the own tenants: tenants/jobs.test.ts)',
    operate: '(facts of the whole service, for its operator)',
    health: '(the state of the service)',
  },
  parameters: {
    page: listing,
    idCursor: listing,
    limit: listing,
    cursor: listing,
    sort: listing,
    q: listing,
    filter: listing,
    fields: listing,
    expand: 'expand',
    credential: '(a credential)',
    _explain: 'explanation',
    _sign: '(addresses of files that the read shows: files/proof.test.ts)',
  },
}

/** The doors that requests of the proof go through, whatever the application is. */
export const doors: readonly Door[] = doorsIn(table)

const crud = new Map<string, Door>([
  ['GET', 'list'],
  ['POST', 'create'],
  ['GET /', 'get'],
  ['PUT /', 'replace'],
  ['PATCH /', 'update'],
  ['DELETE /', 'delete'],
  ['PATCH', 'bulk'],
  ['DELETE', 'bulk'],
  ['PUT', 'upsert'],
])

function* ofCollection(method: string, segments: readonly string[]): Generator<Door> {
  const last = segments.at(-1) ?? ''
  if (last === 'summary' || last === 'import' || last === 'export') return yield last
  if (segments.length > 2) {
    yield 'nested'
    if (method === 'POST' && segments.length === 3) yield 'act'
  }
  const door = crud.get(segments.length % 2 === 1 ? method : `${method} /`)
  if (door) yield door
}

/** The doors of one request. */
export function* doorsOf({ method, path, body = '', headers = {} }: SentRequest): Generator<Door> {
  const [place = '', query = ''] = path.split('?')
  if (headers['x-tenant'] !== undefined) yield 'header'
  if (query.includes('expand=')) yield 'expand'
  if (query.includes('filter=') && /%22:%7B%22\w+%22:%7B|":\{"\w+":\{/.test(query)) yield 'filter by relation'
  if (query.startsWith('_explain=')) return yield 'explanation'
  if (place.endsWith('/_permissions')) return yield 'permissions'
  if (place.includes('/_resources')) return yield 'declarations'
  if (place.endsWith('-invitations')) yield 'invitation'
  if (place === '/graphql') return yield body.includes('mutation') ? 'graphql mutation' : 'graphql query'
  if (place === '/mcp') return yield 'mcp'
  if (place.endsWith('/batch')) return yield 'batch'
  if (method === 'QUERY') return yield 'query'
  yield* ofCollection(method, place.replace(/^\/api\/v1\//, '').split('/'))
}
