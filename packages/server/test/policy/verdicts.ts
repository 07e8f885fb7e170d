/**
 * Random requests, each asked three times: what `_permissions` tells, what `_explain=access` says,
 * and what the request itself answers. The three agree, for any declarations.
 */
import assert from 'node:assert/strict'
import type { AskOptions, TestResponse, TestService } from 'bindery-server/test'
import { anyone } from '../../src/index.ts'
import type { Resource } from '../../src/resource/catalog.ts'
import { factsOf, isBodyKind } from '../../src/resource/operation-kind.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { permissionsPath } from '../../src/rest/permissions-route.ts'
import { makeRoutes, makeUpsertRoutes, type Route } from '../../src/rest/route.ts'
import { makeRandom, makeRequests } from '../scale/random-requests.ts'

export type Caller = { readonly name: string; readonly by: AskOptions }
export type VerdictWorld = {
  readonly service: TestService
  readonly callers: readonly Caller[]
  /** The tenants that requests name in a header; none in an application without them. */
  readonly tenants: readonly string[]
  /** Stored records by the name of their resource. */
  readonly known: ReadonlyMap<string, readonly string[]>
}

/** The declarations, with an explanation for every caller. */
export function explainedToAll(declarations: readonly Declared[]): readonly Declared[] {
  return declarations.map((one) => ('fields' in one ? { ...one, explainAccess: anyone } : one) as Declared)
}

/** Ids of no record. */
const nothing = '01926e0f-0000-7000-8000-00000000ffff'
const outcomes = { 401: 'unauthenticated', 403: 'forbidden', 404: 'not-found' } as const

export type AskedRequest = {
  readonly route: Route
  readonly path: string
  readonly body: string | undefined
  readonly caller: Caller
  readonly tenant: string | undefined
}

function makeAsked({ service, callers, tenants, known }: VerdictWorld, seed: number): () => AskedRequest {
  const { catalog } = service.service.engine
  const random = makeRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const base = makeRequests(catalog, random)
  const upserts = makeUpsertRoutes(catalog)
  const routes = [...makeRoutes(catalog), ...upserts].filter(({ target }) => target.operation !== 'import')
  const ids = [...known.values()].flat()
  const places = (resource: string) => (known.get(resource) ?? []).map((id) => ids.indexOf(id))
  const idOf = (resource: Resource, absent = 0.05) => {
    const own = known.get(resource.name) ?? []
    return own.length === 0 || random() < absent ? nothing : pick(own)
  }
  const referring = routes.filter(
    ({ target }) => isBodyKind(target.operation) && Object.values(target.resource.fields).some((one) => one.reference),
  )

  /** The body with little but the records that it names, so that no other mistake comes first. */
  function naming(resource: Resource, body: string): string {
    if (!body.startsWith('{"')) return body
    const sent = Object.entries(JSON.parse(body) as object).flatMap(([name, value]) => {
      const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined
      if (field?.reference) return [[name, idOf(catalog.get(field.reference.resource), 0.3)]]
      return field?.required ? [[name, value]] : []
    })
    return JSON.stringify(Object.fromEntries(sent))
  }

  return () => {
    const isNaming = random() < 0.4
    const route = pick(isNaming ? referring : routes)
    const { target, steps } = route
    const on = route.upserts ? `?on=${pick([...target.resource.upsert.keys()])}` : ''
    const path = `${route.path}${on}`.replace(/:(\w+)/g, (_, parameter) =>
      idOf(steps.find((step) => step.parameter === parameter)?.resource ?? target.resource),
    )
    const isBody = isBodyKind(target.operation)
    const written = isBody
      ? base
          .bodyOf(target.resource, route.upserts ? 'create' : target.operation, places)
          .replace(/\{(\d+)\}/g, (_, at) => ids[Number(at)] ?? nothing)
      : undefined
    return {
      route,
      path,
      body:
        (isNaming && written !== undefined ? naming(target.resource, written) : written) ??
        (route.method === 'POST' ? '{}' : undefined),
      caller: pick(callers),
      tenant: tenants.length > 0 && random() < 0.35 ? pick([...tenants, ...tenants, nothing]) : undefined,
    }
  }
}

type Told = Readonly<
  Record<
    string,
    {
      readonly operations: Readonly<Record<string, string>>
      readonly fields: Readonly<Record<string, readonly string[]>>
    }
  >
>
type Answers = { readonly told: Told | undefined; readonly done: TestResponse; readonly why: TestResponse }

/** The verdict of an explanation as a status: 200 stands for every success. */
function verdictOf({ status, body }: TestResponse): number | null {
  if (status !== 200) return status
  const { allowed, refusal } = body.data
  if (allowed !== false) return allowed === null ? null : 200
  const [found] = Object.entries(outcomes).find(([, code]) => code === refusal.code) ?? []
  return Number(found)
}

/** Whether the answer is about a record that the body names and may not name. */
const isOfReference = ({ status, body }: TestResponse) =>
  status === 400 && /refers to no|stays in its tenant|is set by the path|is named by the request/.test(body.error)

/** Whether the answer is to a list, and shows no record. */
const hasNone = ({ status, text, body }: TestResponse) =>
  (Array.isArray(body?.data) && body.data.length === 0) || (status === 200 && text === '')

/** Whether the caller is told that a body may have these fields. */
function isToldFields({ fields }: Told[string], operation: string, body: string | undefined): boolean {
  if (!isBodyKind(operation)) return true
  return Object.keys(JSON.parse(body ?? '{}')).every((name) => fields[operation]?.includes(name))
}

function checkTold({ route, body }: AskedRequest, { told, done, why }: Answers, place: string): void {
  const { target, upserts } = route
  // An upsert needs two rights, of which it uses one.
  if (upserts) return
  const { resource, operation, nested } = target
  const own = told?.[resource.slug]
  const name = nested && operation === 'list' && resource.access.get ? 'get' : operation
  if (!own) return
  if (own.operations[name] === 'none' && done.status < 300)
    assert.ok(hasNone(done), `_permissions tells none: ${place}`)
  // The values that a caller may send have limits of their own.
  const isOfValues = why.body?.data?.decidedBy?.[0]?.startsWith('limits.') ?? false
  if (own.operations[name] === 'all' && !isOfValues && done.status !== 400 && isToldFields(own, operation, body))
    assert.ok(done.status !== 401 && done.status !== 403, `_permissions tells all: ${place}`)
}

/**
 * How often each pair of verdicts came, as `explained answered`. Throws an `AssertionError` with
 * the first request whose verdicts differ.
 */
export async function checkVerdicts(
  world: VerdictWorld,
  requests: number,
  seed: number,
): Promise<ReadonlyMap<string, number>> {
  const { service } = world
  const next = makeAsked(world, seed)
  const random = makeRandom(seed + 1)
  const verdicts = new Map<string, number>()
  for (let i = 0; i < requests; i += 1) {
    const one = next()
    const { route, path, body, caller, tenant } = one
    const { operation } = route.target
    const isWrite = !factsOf(operation).reads
    const headers: Record<string, string> = { ...(tenant !== undefined && { 'x-tenant': tenant }) }
    const by: AskOptions = { ...caller.by, headers, ...(body !== undefined && { raw: body }) }
    const told = await service.ask('GET', permissionsPath, { ...caller.by, headers })
    const why = await service.ask(route.method, `${path}${path.includes('?') ? '&' : '?'}_explain=access`, by)
    const prefer: Record<string, string> = isWrite && random() < 0.9 ? { prefer: 'dry-run' } : {}
    const done = await service.ask(route.method, path, { ...by, headers: { ...headers, ...prefer } })
    const what = `${caller.name} ${route.method} ${path} ${body ?? ''} in ${tenant}`
    const answers = [done, why].map(({ status, text }) => `${status} ${text.slice(0, 3000)}`)
    const place = [`request ${i} of seed ${seed}: ${what}`, ...answers].join('\n')
    const verdict = verdictOf(why)
    const real = done.status < 400 ? 200 : done.status
    verdicts.set(`${verdict} ${real}`, (verdicts.get(`${verdict} ${real}`) ?? 0) + 1)
    const isUnknown = why.body?.error === 'Unknown query parameter _explain'
    // The engine makes some resources itself: their explanations are the operator's.
    if (isUnknown) assert.ok(!route.target.resource.explainAccess, place)
    else if (real === 200 || real in outcomes) assert.equal(verdict, real, place)
    else if (isOfReference(done) || isOfReference(why)) {
      // Another mistake of the values may come first in the answer.
      assert.equal(why.status, done.status, place)
      if (isOfReference(done)) assert.deepEqual(why.body, done.body, place)
      verdicts.set('reference', (verdicts.get('reference') ?? 0) + 1)
    }
    if (verdict === real && why.status === 200 && real in outcomes)
      assert.equal(why.body.data.refusal.message, done.body.error, place)
    checkTold(one, { told: told.status === 200 ? told.body.resources : undefined, done, why }, place)
  }
  return verdicts
}
