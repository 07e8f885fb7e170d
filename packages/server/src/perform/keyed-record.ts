/**
 * The record of an upsert: found by the fields of a unique key, created where it is missing. Each
 * attempt is an ordinary replace or create under its own rule. Of two concurrent requests, the
 * unique key decides; the other one tries the other way.
 */
import { ApiError } from '../errors.ts'
import { useDefault } from '../operation/body.ts'
import { parameterError } from '../operation/parameters.ts'
import { shownWhere, type VisibleFields } from '../operation/visible-fields.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { fieldError } from '../resource/fields/field.ts'
import type { Principal } from '../resource/principal.ts'
import { ownTenantField } from '../resource/tenancy/scope-resource.ts'
import type { FoundRow } from '../storage/storage.ts'
import type { Engine } from './engine.ts'
import { LostRightsError } from './rights/lost-rights.ts'

const triesMax = 4
/** The name of the parameter. */
export const onName = 'on'

/** The fields of the key that a request names. Throws `bad-request`. */
export function keyNamed({ upsert }: Resource, on: unknown): readonly string[] {
  const key = typeof on === 'string' ? upsert.get(on) : undefined
  if (key) return key
  const said = [...upsert.values()].some((names) => names.length > 1) ? 'a unique key' : 'a unique field'
  throw parameterError(onName, `${onName} must name ${said}: ${[...upsert.keys()].join(' or ')}`)
}

type KeyedValues = { readonly key: readonly string[]; readonly principal: Principal; sentAs(name: string): unknown }

/**
 * The condition on the record with these values, in its tenant where the key holds within one.
 * Throws `bad-request` for a value that is missing.
 */
export function whereKeyed(resource: Resource, { key, principal, sentAs }: KeyedValues): Condition {
  const own = ownTenantField(resource)
  const named = principal.tenant?.name === resource.scope?.tenancy ? principal.tenant?.id : undefined
  const ofCaller = principal.kind === 'user' ? principal.userId : undefined
  const names = own === undefined ? key : new Set([own, ...key])
  const each = [...names].map((name) => {
    const given = resource.fields[name]?.setBy === 'principal' ? ofCaller : sentAs(name)
    const value = name === own ? (named ?? given) : given
    if (value === undefined || value === null || value === useDefault)
      throw fieldError(name, 'is required: the record is found by it')
    return equal(name, value as Scalar)
  })
  return all(...each)
}

/** A record that does not show a field of its key to the caller is not found by it. */
export function whereShown(seen: VisibleFields, resource: Resource, key: readonly string[]): Condition {
  const names = key.filter((name) => resource.fields[name]?.setBy !== 'principal')
  return all(...names.map((name) => shownWhere(seen, name)))
}

/** Whether another request has made the record, or has removed it. */
function isOvertaken(error: unknown, wasThere: boolean): error is ApiError {
  if (!(error instanceof ApiError) || error instanceof LostRightsError) return false
  return error.code === (wasThere ? 'not-found' : 'conflict')
}

type KeyedWrite<T> = {
  readonly resource: Resource
  readonly where: Condition
  /** The request is about a version, which only a record that is there has. */
  readonly needsRecord: boolean
  create(): Promise<T>
  replace(id: string): Promise<T>
}

/** Throws the errors of a create and of a replace. */
export async function createOrReplace<T>({ storage }: Engine, write: KeyedWrite<T>): Promise<T> {
  const { resource, where } = write
  let isHidden = false
  for (let tries = 1; ; tries += 1) {
    // A record that the caller may not see still has the value, so creating it fails with a
    // conflict.
    const found: FoundRow | undefined = isHidden ? undefined : await storage.find(resource, where)
    if (!found && write.needsRecord)
      throw new ApiError('precondition-failed', 'There is no such record, so it has no version')
    try {
      return found ? await write.replace(String(found.row[resource.idField])) : await write.create()
    } catch (error) {
      if (!isOvertaken(error, found !== undefined) || tries === triesMax) throw error
      isHidden = error.code === 'not-found'
    }
  }
}
