/**
 * The differential of `expand=can`, generated from the declarations: for each record that a caller
 * reads, each operation is sent as a dry run. It passes the rules exactly where `can` says so.
 * GraphQL says the same, and so does each answer that was cached.
 */
import assert from 'node:assert/strict'
import { type AskOptions, password, type TestResponse, type TestService } from 'bindery-server/test'
import type { Resource } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { isSettable } from '../../src/resource/fields/field-facts.ts'
import { factsOf } from '../../src/resource/operation-kind.ts'
import { proofOf } from '../../src/resource/traits.ts'
import { makeRoutes, type Route } from '../../src/rest/route.ts'
import type { Row } from '../../src/storage/storage.ts'
import { representRecord } from '../../src/value/represent.ts'

type Allowed = Readonly<Record<string, boolean>>
type Shown = Readonly<Record<string, unknown>>
type ToldRecord = { readonly can: Allowed; readonly shown: Shown }
type StoredRecord = { readonly resource: Resource; readonly row: Row }
type ComparedCounts = { records: number; operations: number; allowed: number; unclear: number; inGraphql: number }

/** The answer says that the caller may not do this, or that the record is not there. */
const refusals: readonly number[] = [401, 403, 404]

/**
 * Whether the body decides, and not the rules alone: it proves who the caller is, or has a password
 * that a key may not change.
 */
function isDecidedByBody({ traits }: Resource, operation: string, { key }: AskOptions): boolean {
  if (operation === 'delete') return traits.removal !== undefined
  return operation === 'replace' && key !== undefined && traits.credentials.length > 0
}

export function makeComparison(service: TestService) {
  const { engine } = service.service
  const { catalog, storage } = engine
  const routes = makeRoutes(catalog).filter(({ mount, isSelf }) => mount !== '' && !isSelf)
  const counts: ComparedCounts = { records: 0, operations: 0, allowed: 0, unclear: 0, inGraphql: 0 }

  async function storedRecords(): Promise<StoredRecord[]> {
    const found: StoredRecord[] = []
    for (const resource of catalog.resources.values()) {
      if (!resource.can) continue
      const sort = [{ field: resource.idField, descending: false }]
      const rows = await storage.list(resource, { where: always, sort, limit: 100 })
      found.push(...rows.map((row) => ({ resource, row })))
    }
    return found
  }

  /** The path of a route to this record; undefined where a record above is missing. */
  async function pathOf(route: Route, row: Row): Promise<string | undefined> {
    const values: Record<string, unknown> = {}
    if (route.idParameter) values[route.idParameter] = row[route.key ?? route.target.resource.idField]
    let above = route.by === undefined ? undefined : row[route.by]
    for (const { resource, parameter, by } of route.steps.toReversed()) {
      if (above === null || above === undefined) return undefined
      if (parameter) values[parameter] = above
      else above = (await storage.find(resource, equal(resource.idField, above as string)))?.row[by as string]
    }
    return route.path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(values[name])))
  }

  /** The shortest way to the record: its own path before one through another record. */
  async function wayTo({ resource, row }: StoredRecord, operation: string): Promise<string[]> {
    const own = routes.filter(({ target }) => target.resource === resource && target.operation === operation)
    const direct = own.filter(({ steps }) => steps.length === 0)
    const paths: string[] = []
    for (const route of direct.length > 0 ? direct : own) {
      const path = await pathOf(route, row)
      if (path !== undefined) paths.push(path)
    }
    return paths
  }

  function sampleOf(field: Field): unknown {
    const schema = field.type.schema(field)
    return schema.type === 'integer' || schema.type === 'number' ? 1 : schema.type === 'boolean' ? true : 'x'
  }

  /** A change that changes nothing. */
  function bodyOf(resource: Resource, shown: Shown, operation: string): object | undefined {
    if (operation === 'delete') return undefined
    if (operation === 'update') return {}
    if (operation !== 'replace') {
      const inputs = Object.entries(resource.actions[operation]?.input ?? {}).filter(([, { required }]) => required)
      return Object.fromEntries(inputs.map(([name, field]) => [name, sampleOf(field)]))
    }
    const settable = Object.entries(resource.fields).filter(([, field]) => isSettable(field, 'replace'))
    const values = settable.flatMap(([name, field]) => {
      const secret = field.type.secret === 'sent' ? `${password} battery` : undefined
      return Object.hasOwn(shown, name) || secret ? [[name, secret ?? shown[name]] as const] : []
    })
    const proof = proofOf(resource, 'replace')
    return { ...Object.fromEntries(values), ...(proof && { [proof.name]: password }) }
  }

  /** Undefined where each way is refused for another reason than the rules. */
  async function isAllowed(
    record: StoredRecord & { readonly shown: Shown },
    operation: string,
    by: AskOptions,
  ): Promise<boolean | undefined> {
    const { method } = factsOf(operation)
    let known: boolean | undefined
    for (const path of await wayTo(record, operation)) {
      const body = method === 'GET' ? undefined : bodyOf(record.resource, record.shown, operation)
      const headers = { ...by.headers, ...(method !== 'GET' && { prefer: 'dry-run' }) }
      const reply = await service.ask(method, path, { ...by, headers, ...(body && { body }) })
      assert.ok(reply.status < 500, `${method} ${path}: ${reply.text}`)
      if (reply.status === 400) continue
      if (!refusals.includes(reply.status)) return true
      known = false
    }
    return known
  }

  /** `can` of each record that the caller may get or list, by resource and id. */
  async function toldInRest(records: readonly StoredRecord[], by: AskOptions): Promise<Map<StoredRecord, ToldRecord>> {
    const told = new Map<StoredRecord, ToldRecord>()
    const replies = new Map<string, Promise<TestResponse>>()
    /** One request for a list, although each of its records is looked for. */
    const ask = (path: string): Promise<TestResponse> => {
      const reply = replies.get(path) ?? service.ask('GET', path, by)
      replies.set(path, reply)
      return reply
    }
    for (const record of records) {
      const { resource, row } = record
      const name = resource.can?.name as string
      const id = representRecord(resource, [resource.idField], row)[resource.idField]
      const note = (shown: Shown, path: string) => {
        const can = shown[name] as Allowed
        assert.deepEqual(Object.keys(can), resource.can?.operations)
        const known = told.get(record) ?? { can, shown }
        assert.deepEqual(can, known.can, path)
        told.set(record, known)
      }
      for (const path of await wayTo(record, 'get')) {
        const reply = await ask(`${path}?expand=${name}`)
        if (reply.status === 200) note(reply.body, path)
      }
      for (const route of routes.filter(({ target }) => target.resource === resource && target.operation === 'list')) {
        const path = await pathOf(route, row)
        if (path === undefined) continue
        const reply = await ask(`${path}?limit=100&expand=${name}`)
        const found = reply.body?.data?.find?.((one: Record<string, unknown>) => one[resource.idField] === id)
        if (reply.status === 200 && found) note(found, path)
      }
    }
    return told
  }

  async function listedInGraphql(resource: Resource, by: AskOptions): Promise<readonly Record<string, unknown>[]> {
    const { name, operations } = resource.can as NonNullable<Resource['can']>
    const fields = `{ ${resource.idField} ${name} { ${operations.join(' ')} } }`
    for (const selection of [`{ data ${fields} }`, fields]) {
      const query = `{ found: ${resource.plural}(limit: 100) ${selection} }`
      const { body } = await service.ask('POST', '/graphql', { ...by, body: { query } })
      const found = body.data?.found
      if (found) return found.data ?? found
    }
    return []
  }

  async function compareGraphql(told: ReadonlyMap<StoredRecord, ToldRecord>, by: AskOptions): Promise<void> {
    for (const resource of new Set([...told.keys()].map((one) => one.resource))) {
      const { name = '' } = resource.can ?? {}
      const found = new Map((await listedInGraphql(resource, by)).map((one) => [String(one[resource.idField]), one]))
      for (const [{ resource: own, row }, { can }] of told) {
        const one = own === resource ? found.get(String(row[own.idField])) : undefined
        if (!one) continue
        assert.deepEqual({ ...(one[name] as object) }, can, `${resource.name} in GraphQL`)
        counts.inGraphql += 1
      }
    }
  }

  return {
    counts,
    async compare(caller: string, by: AskOptions): Promise<void> {
      const records = await storedRecords()
      const told = await toldInRest(records, by)
      assert.deepEqual(await toldInRest(records, by), told, `${caller}: cached`)
      await compareGraphql(told, by)
      const permitted = (await service.ask('GET', '/api/v1/_permissions', by)).body.resources
      for (const [record, { can, shown }] of told) {
        counts.records += 1
        for (const [operation, isTold] of Object.entries(can)) {
          const about = `${caller}: ${operation} ${record.resource.name} ${JSON.stringify(record.row)}`
          const extent = permitted[record.resource.slug].operations[operation]
          if (extent === 'none') assert.equal(isTold, false, about)
          if (isDecidedByBody(record.resource, operation, by)) continue
          const really = await isAllowed({ ...record, shown }, operation, by)
          counts.operations += 1
          if (isTold) counts.allowed += 1
          if (really === undefined) counts.unclear += 1
          else assert.equal(isTold, really, about)
        }
      }
    },
  }
}
