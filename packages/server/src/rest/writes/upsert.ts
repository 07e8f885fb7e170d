/**
 * `PUT /things?on=sku` and `?on=shelfId,place` (upsert): replaces the record with these values, or
 * creates it. Each attempt is a request of its own kind.
 */
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { readJson } from '../../http/messages/read-body.ts'
import { checkBody } from '../../operation/body.ts'
import { parseParameters, unknownParameter } from '../../operation/parameters.ts'
import type { Engine } from '../../perform/engine.ts'
import { createOrReplace, keyNamed, onName, whereKeyed, whereShown } from '../../perform/keyed-record.ts'
import type { Admission } from '../../policy/policy.ts'
import { all } from '../../resource/condition.ts'
import { listParameters } from '../../resource/list-style.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Route } from '../route.ts'

/** The key that the request names. Throws `bad-request`. */
function keyOf({ resource }: Route['target'], { query }: HttpRequest): readonly string[] {
  const { [onName]: on, ...others } = Object.fromEntries(parseParameters(query))
  const [other] = Object.keys(others).filter((name) => name !== listParameters.credential.name)
  if (other !== undefined) throw unknownParameter(other)
  return keyNamed(resource, on)
}

type UpsertAttempt = { readonly route: Route; readonly request: HttpRequest; readonly admission: Admission }
type UpsertDeps = { readonly engine: Engine; readonly principal: Principal; readonly route: Route }

/** `attempt` replaces or creates. Throws the errors of both. */
export async function upsertRecord(
  { engine, principal, route }: UpsertDeps,
  request: HttpRequest,
  attempt: (one: UpsertAttempt) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { resource } = route.target
  const creating: Route = {
    ...route,
    method: 'POST',
    target: { ...route.target, operation: 'create' },
    idParameter: undefined,
  }
  const replacing: Route = { ...route, idParameter: 'id' }
  const toCreate = engine.policy.admit(principal, creating.target)
  const toReplace = engine.policy.admit(principal, replacing.target)
  const key = keyOf(route.target, request)
  const body = await readJson(request)
  const { visible, visibleWhere } = toCreate
  const { values } = checkBody(
    { resource, kind: 'create', visible, visibleWhere, nests: true },
    body === undefined ? {} : body,
  )
  const named = whereKeyed(resource, { key, principal, sentAs: (name) => values.get(name) })
  const read = { ...request, query: '', body: undefined, value: body }
  return createOrReplace(engine, {
    resource,
    where: all(named, whereShown(toReplace, resource, key)),
    needsRecord: request.headers['if-match'] !== undefined,
    create: () => attempt({ route: creating, request: read, admission: toCreate }),
    replace: (id) => attempt({ route: replacing, request: { ...read, parameters: { id } }, admission: toReplace }),
  })
}
