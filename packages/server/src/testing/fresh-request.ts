/**
 * Builds a request that succeeds for a caller with the right. It makes the records of its path, in
 * a state that allows the operation, and a valid body.
 */
import type { RecordTransaction } from '../record/record-store.ts'
import type { LoginMark } from '../resource/accounts/identity-mark.ts'
import type { MarkedTable, Resource } from '../resource/catalog.ts'
import { equal } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { firstTenantField } from '../resource/tenancy/scope-resource.ts'
import type { Route } from '../rest/route.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row } from '../storage/storage.ts'
import {
  insertFresh,
  isPerson,
  type SampleCaller,
  type SampleMaker,
  type SampleValues,
  sampleOf,
} from './fresh-records.ts'
import type { FreshTenants } from './fresh-tenants.ts'

/** `tenants`: those of its records, by the resource of tenants. */
export type FreshRequest = {
  readonly path: string
  readonly body: SampleValues | undefined
  readonly tenants: FreshTenants
}

const hasBody = ['create', 'import', 'replace', 'update']
const hasNoRecord = ['create', 'import', 'list', 'export']

/**
 * The person's current log-in name: a replacement must repeat it, because a change requires the
 * current password.
 */
async function ownLogin(
  login: MarkedTable<LoginMark>,
  tx: RecordTransaction,
  owner: SampleCaller,
): Promise<SampleValues> {
  const found = await tx.find(login.resource, equal(login.resource.idField, owner.id))
  return { [login.mark.login]: found?.row[login.mark.login] }
}

/** All records that are made for one request share their tenants. */
type FreshRequestOptions = { readonly route: Route; readonly owner: SampleCaller; readonly tenants: FreshTenants }

type ReferenceToFill = {
  readonly resource: Resource
  readonly name: string
  readonly values: SampleValues
  readonly owner: SampleCaller
  readonly tenants: FreshTenants
}

/** A new record to refer to: its id, and the values that both must share (`match`). */
async function referredTo(
  maker: SampleMaker,
  tx: RecordTransaction,
  { resource, name, values, owner, tenants }: ReferenceToFill,
): Promise<SampleValues> {
  const { match = [], resource: target = '' } = resource.fields[name]?.reference ?? {}
  const { catalog } = maker.engine
  const other = catalog.get(target)
  const known = tenants.get(target)
  if (known !== undefined) return { [name]: known }
  const given = Object.fromEntries(match.filter((one) => Object.hasOwn(values, one)).map((one) => [one, values[one]]))
  const row = await insertFresh(maker, tx, { resource: other, ownerId: owner.id, given, tenants })
  if (catalog.tenancies.has(target)) tenants.set(target, row[other.idField])
  const shared = match.filter((one) => resource.requiredNames.includes(one)).map((one) => [one, row[one]])
  return { [name]: row[other.idField], ...Object.fromEntries(shared) }
}

/**
 * The fields that a body must have. A new record names its tenant where the path names no record
 * that has one.
 */
function namesToSend({ target, steps }: Route): readonly string[] {
  const { resource, operation } = target
  const isNamed = steps.some((step) => step.resource.tenant !== undefined)
  const first = isNamed || operation === 'replace' ? undefined : firstTenantField(resource)
  const { requiredNames } = resource
  return first === undefined || requiredNames.includes(first) ? requiredNames : [...requiredNames, first]
}

async function makeBody(
  maker: SampleMaker,
  tx: RecordTransaction,
  { route, owner, tenants }: FreshRequestOptions,
): Promise<SampleValues> {
  const { target, by } = route
  const { resource, operation } = target
  const isUpdate = operation === 'update'
  const credentials = operation === 'create' ? [] : resource.traits.credentials
  const login = maker.people?.login
  const isReplacedPerson = operation === 'replace' && resource === login?.resource
  const values: SampleValues = isReplacedPerson ? await ownLogin(login, tx, owner) : {}
  const isReference = (name: string) => resource.fields[name]?.reference !== undefined
  const { storedNames, matchingNames } = resource
  // Moving a record below another one could make it one that the caller cannot change.
  const names = isUpdate
    ? storedNames.toSorted((a, b) => Number(isReference(a)) - Number(isReference(b)))
    : namesToSend(route).toSorted((a, b) => Number(matchingNames.includes(b)) - Number(matchingNames.includes(a)))
  for (const name of names) {
    const field = resource.fields[name] as Field
    if (field.setBy !== undefined || name === by || credentials.includes(name) || Object.hasOwn(values, name)) continue
    if (isUpdate && (field.immutable || field.hidden || field.write)) continue
    if (!field.reference) values[name] = sampleOf(maker, name, field)
    else if (isPerson(maker, field)) values[name] = maker.otherParty
    else Object.assign(values, await referredTo(maker, tx, { resource, name, values, owner, tenants }))
    if (isUpdate) break // one changed field is enough
  }
  return values
}

/** The input of an action; undefined where it takes none. */
function makeInput(maker: SampleMaker, { resource, operation }: Route['target']): SampleValues | undefined {
  const required = Object.entries(resource.actions[operation]?.input ?? {}).filter(([, field]) => field.required)
  if (required.length === 0) return undefined
  return Object.fromEntries(required.map(([name, field]) => [name, sampleOf(maker, name, field)]))
}

/** The value of each path parameter. The records above are found upwards from the lowest. */
async function makeParameters(
  maker: SampleMaker,
  tx: RecordTransaction,
  { route, owner, tenants }: FreshRequestOptions,
): Promise<SampleValues> {
  const { resource, operation } = route.target
  const find = async (target: Resource, id: unknown) =>
    (await tx.find(target, equal(target.idField, id as string)))?.row
  const make = async (target: Resource, given: SampleValues = {}): Promise<Row> => {
    if (target === maker.people?.login.resource) return (await find(target, owner.id)) as Row
    const row = await insertFresh(maker, tx, { resource: target, ownerId: owner.id, given, tenants })
    if (maker.engine.catalog.tenancies.has(target.name)) tenants.set(target.name, row[target.idField])
    return row
  }
  const parameters: SampleValues = {}
  let above: unknown
  const last = route.steps.at(-1)
  if (hasNoRecord.includes(operation)) {
    if (last) above = (await make(last.resource))[last.resource.idField]
  } else {
    const found = resource.transitions[operation]
    const row = await make(
      resource,
      found && !found.transition.repeatable ? { [found.field]: found.transition.from[0] } : {},
    )
    if (route.idParameter) parameters[route.idParameter] = row[route.key ?? resource.idField]
    if (route.by) above = row[route.by]
  }
  for (const step of route.steps.toReversed()) {
    if (step.parameter) parameters[step.parameter] = above
    else above = (await find(step.resource, above))?.[step.by as string]
  }
  return parameters
}

export async function makeFreshRequest(maker: SampleMaker, route: Route, owner: SampleCaller): Promise<FreshRequest> {
  return maker.engine.records.transaction(serviceAuthor, async (tx) => {
    const tenants: FreshTenants = new Map()
    const parameters = await makeParameters(maker, tx, { route, owner, tenants })
    const isWritten = hasBody.includes(route.target.operation)
    const body = isWritten ? await makeBody(maker, tx, { route, owner, tenants }) : makeInput(maker, route.target)
    return { path: route.path.replace(/:(\w+)/g, (_all, name: string) => String(parameters[name])), body, tenants }
  })
}
