/**
 * `PUT /things?on=sku` (upsert): replaces the record with that unique value, or creates it. Each
 * attempt is an ordinary replace or create under its own rule. Of two concurrent requests, the
 * unique key decides; the other one tries the other way.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { readJson } from '../../http/messages/read-body.ts'
import { checkBody, useDefault } from '../../operation/body.ts'
import { parameterError, parseParameters, unknownParameter } from '../../operation/parameters.ts'
import { shownWhere } from '../../operation/visible-fields.ts'
import type { Engine } from '../../perform/engine.ts'
import { LostRightsError } from '../../perform/lost-rights.ts'
import type { Admission } from '../../policy/policy.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { listParameters } from '../../resource/list-style.ts'
import type { Principal } from '../../resource/principal.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import type { FoundRow } from '../../storage/storage.ts'
import type { Route } from '../route.ts'

const triesMax = 4
const onName = 'on'

/** The unique field that the request names. Throws `bad-request`. */
function fieldOf({ resource }: Route['target'], { query }: HttpRequest): string {
  const { [onName]: on, ...others } = Object.fromEntries(parseParameters(query))
  const [other] = Object.keys(others).filter((name) => name !== listParameters.credential.name)
  if (other !== undefined) throw unknownParameter(other)
  if (on === undefined || !resource.upsert.includes(on))
    throw parameterError(onName, `on must name a unique field: ${resource.upsert.join(', ')}`)
  return on
}

type UpsertKey = { readonly on: string; readonly body: unknown; readonly principal: Principal }

function keyValue(values: ReadonlyMap<string, unknown>, name: string): Scalar {
  const value = values.get(name)
  if (value === undefined || value === null || value === useDefault)
    throw fieldError(name, 'is required: the record is found by it')
  return value as Scalar
}

/** The record with the value; in its tenant, where the field is unique within one. */
function whereIs(
  { target }: Route,
  { visible, visibleWhere }: Admission,
  { on, body, principal }: UpsertKey,
): Condition {
  const { resource } = target
  const { values } = checkBody({ resource, kind: 'create', visible, visibleWhere }, body)
  const own = ownTenantField(resource)
  const named = principal.tenant?.name === resource.scope?.tenancy ? principal.tenant?.id : undefined
  const tenant = own === undefined ? undefined : equal(own, named ?? keyValue(values, own))
  return all(equal(on, keyValue(values, on)), ...(tenant ? [tenant] : []))
}

type UpsertAttempt = { readonly route: Route; readonly request: HttpRequest; readonly admission: Admission }
type UpsertDeps = { readonly engine: Engine; readonly principal: Principal; readonly route: Route }

/** Whether another request has made the record, or has removed it. */
function isOvertaken(error: unknown, wasThere: boolean): error is ApiError {
  if (!(error instanceof ApiError) || error instanceof LostRightsError) return false
  return error.code === (wasThere ? 'not-found' : 'conflict')
}

/** `attempt` replaces or creates. Throws the errors of both. */
export async function createOrReplace(
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
  const on = fieldOf(route.target, request)
  const body = await readJson(request)
  const named = whereIs(creating, toCreate, { on, body: body === undefined ? {} : body, principal })
  const read = { ...request, query: '', body: undefined, value: body }
  // A record that does not show the field to the caller is not found by it.
  const where = all(named, shownWhere(toReplace, on))
  let isHidden = false
  for (let tries = 1; ; tries += 1) {
    // A record that the caller may not see still has the value, so creating it fails with a
    // conflict.
    const found: FoundRow | undefined = isHidden ? undefined : await engine.storage.find(resource, where)
    const id: string | undefined = found && String(found.row[resource.idField])
    if (id === undefined && request.headers['if-match'] !== undefined)
      throw new ApiError('precondition-failed', 'There is no such record, so it has no version')
    const one: UpsertAttempt =
      id === undefined
        ? { route: creating, request: read, admission: toCreate }
        : { route: replacing, request: { ...read, parameters: { id } }, admission: toReplace }
    try {
      return await attempt(one)
    } catch (error) {
      if (!isOvertaken(error, id !== undefined) || tries === triesMax) throw error
      isHidden = error.code === 'not-found'
    }
  }
}
