/**
 * `?_explain=access`: explains whether the caller may do what the request asks for, by which rule
 * and clause, and does nothing else. For callers whom the resource allows to ask; for all others
 * the parameter is unknown.
 */
import { ApiError } from '../errors.ts'
import { checkAccept } from '../http/accept-header.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/messages/exchange.ts'
import { readJson } from '../http/messages/read-body.ts'
import { byCaller, byCallerAndTenant } from '../http/messages/vary.ts'
import { checkBody } from '../operation/body.ts'
import { mayName, parameterError, parseParameters, unknownParameter } from '../operation/parameters.ts'
import type { Engine } from '../perform/engine.ts'
import type { ExplainedAccess } from '../perform/explain/explain-access.ts'
import { explainAccess } from '../perform/explain/explain-body.ts'
import { explainUpsert } from '../perform/explain/explain-upsert.ts'
import { keyNamed, onName } from '../perform/keyed-record.ts'
import { mayExplain } from '../policy/may-explain.ts'
import { recordKeyOf } from '../policy/tenants/request-tenants.ts'
import type { Resource } from '../resource/catalog.ts'
import { listParameters } from '../resource/list-style.ts'
import { isBodyKind } from '../resource/operation-kind.ts'
import type { Principal } from '../resource/principal.ts'
import { type Route, underOf } from './route.ts'

export const explainParameter = '_explain'
const written = /_explain/

/** Whether the query has the parameter. A query that cannot be parsed is refused by later steps. */
export function asksWhy(query: string): boolean {
  if (query === '' || !mayName(query, written)) return false
  try {
    return parseParameters(query).has(explainParameter)
  } catch {
    return false
  }
}

/** Throws `bad-request` for other parameters, and for requests that are about many records. */
function checkAsked({ many, upserts, target }: Route, { query }: HttpRequest): void {
  for (const [name, value] of parseParameters(query)) {
    if (name === listParameters.credential.name || (upserts && name === onName)) continue
    if (name !== explainParameter) throw unknownParameter(name)
    if (value !== 'access') throw parameterError(explainParameter, `${explainParameter} must be access`)
  }
  if (many || target.operation === 'import')
    throw parameterError(explainParameter, `${explainParameter} explains a list, or an operation on one record`)
}

/** The body as the request itself would be parsed; undefined where none was sent. */
async function bodyOf(engine: Engine, { target, by }: Route, asked: AskedWhy) {
  const { resource, operation } = target
  if (!isBodyKind(operation)) return undefined
  const value = await readJson(asked.request)
  if (value === undefined) return undefined
  const seen = engine.policy.visibleFields(asked.principal, resource)
  return checkBody({ resource, kind: operation, ...seen, given: by, nests: true }, value)
}

function idOf({ isSelf, idParameter }: Route, { parameters }: HttpRequest, principal: Principal): string | undefined {
  if (!isSelf) return idParameter === undefined ? undefined : parameters[idParameter]
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  return principal.userId
}

type AskedWhy = { readonly request: HttpRequest; readonly principal: Principal }

function askedBy(engine: Engine, principal: Principal) {
  const sees = (resource: Resource) => mayExplain(engine, principal, resource)
  return { asker: principal, caller: principal, sees }
}

async function explainOne(engine: Engine, route: Route, asked: AskedWhy): Promise<ExplainedAccess> {
  const { request, principal } = asked
  const { resource } = route.target
  return explainAccess(engine, {
    ...askedBy(engine, principal),
    target: route.target,
    id: idOf(route, request, principal),
    key:
      route.key === undefined
        ? undefined
        : recordKeyOf(engine.policy.tenants, principal, { resource, name: route.key }),
    under: underOf(route, request.parameters),
    body: () => bodyOf(engine, route, asked),
  })
}

async function explainUpserted(engine: Engine, { target }: Route, asked: AskedWhy): Promise<ExplainedAccess> {
  const { request, principal } = asked
  const { resource } = target
  // A body is read once, and only where the request comes to it.
  let sent: Promise<unknown> | undefined
  const readOnce = () => {
    sent ??= readJson(request)
    return sent
  }
  return explainUpsert(engine, {
    ...askedBy(engine, principal),
    target,
    key: () => keyNamed(resource, parseParameters(request.query).get(onName)),
    bodyOf: async (kind, { visible, visibleWhere }) =>
      checkBody({ resource, kind, visible, visibleWhere, nests: true }, (await readOnce()) ?? {}),
  })
}

/** Throws `not-found` and `bad-request` as the request itself does. */
export async function explainRequest(engine: Engine, route: Route, asked: AskedWhy): Promise<HttpResponse> {
  const { request } = asked
  checkAccept(request.headers.accept, ['application/json'])
  checkAsked(route, request)
  const data = await (route.upserts ? explainUpserted : explainOne)(engine, route, asked)
  return json(
    200,
    { data },
    { 'cache-control': 'no-store', vary: engine.policy.tenants ? byCallerAndTenant : byCaller },
  )
}
