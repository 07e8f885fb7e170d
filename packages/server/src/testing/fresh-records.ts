/**
 * Records and bodies made from the declarations alone: one of any resource, with all that it refers to, owned by whom one likes.
 * It knows no resource by name, so a resource that is added tomorrow is in the permission matrix tomorrow.
 */
import { randomBytes } from 'node:crypto'
import { makeAccessTokens } from '../identity/access-token.ts'
import { hashToken, makeKey } from '../identity/token.ts'
import { equal } from '../operation/condition.ts'
import type { Engine } from '../perform/engine.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import type { Role } from '../resource/rule.ts'
import type { Route } from '../rest/route.ts'
import type { Row, Transaction } from '../storage/storage.ts'

export type Values = Record<string, unknown>
export type Caller = { readonly id: string; readonly token: string }
export type FreshRecords = Awaited<ReturnType<typeof makeFreshRecords>>

/** A value that a body may hold. */
function sample(name: string, field: Field, serial: number): unknown {
  switch (field.type.name) {
    case 'text':
      return field.limits.format === 'email'
        ? `somebody${serial}@example.com`
        : `${name} ${serial}`.slice(0, field.limits.maxLength)
    case 'integer':
    case 'money':
      return Math.max(field.limits.min ?? 1, 1)
    case 'boolean':
      return true
    case 'timestamp':
      return new Date(Date.now() + 86_400_000).toISOString()
    case 'choice':
      return field.values?.[0]
    case 'textList':
      return []
    case 'password':
      return 'correct horse'
    default:
      throw new Error(`no sample of a ${field.type.name}`)
  }
}

function marksOf({ login, apiKey, session }: Catalog) {
  if (!login || !apiKey || !session) throw new Error('the catalog has no identity')
  return { login, apiKey, session }
}

export async function makeFreshRecords(engine: Engine, secret: string) {
  const { catalog, storage } = engine
  const { login, apiKey, session } = marksOf(catalog)
  const isPerson = (field: Field) => field.reference?.resource === login.resource.name
  const accessTokens = makeAccessTokens([Buffer.from(secret)], engine.clock)
  const passwordHash = await engine.identity.hashPassword('correct horse')
  let serial = 0

  function storedSample(name: string, field: Field): unknown {
    if (field.type.name === 'password') return passwordHash
    if (field.type.name === 'token') return hashToken(randomBytes(32).toString('hex'))
    if (field.default !== undefined && typeof field.default !== 'function') return field.default
    if (field.nullable) return null
    return field.type.check(sample(name, field, serial), name, field)
  }

  /** The one who is on the other side of what the owner owns: the reader of a message, for example. */
  let otherParty = ''

  async function insert(
    transaction: Transaction,
    resource: Resource,
    ownerId: string,
    given: Values = {},
  ): Promise<Row> {
    serial += 1
    const values: Values = {}
    for (const name of resource.storedNames) {
      const field = resource.fields[name] as Field
      if (Object.hasOwn(given, name)) values[name] = given[name]
      else if (name === resource.idField) values[name] = field.type.column === 'text' ? engine.makeId() : null
      else if (isPerson(field)) values[name] = field.setBy === undefined ? otherParty : ownerId
      else if (field.reference) {
        const target = catalog.get(field.reference.resource)
        values[name] = (await insert(transaction, target, ownerId))[target.idField]
      } else values[name] = storedSample(name, field)
    }
    const row = await transaction.insert(resource, values)
    for (const name of resource.virtualNames) {
      const { virtual } = resource.fields[name] as Field
      if (virtual?.kind === 'embedded')
        await insert(transaction, catalog.get(virtual.resource), ownerId, { [virtual.by]: row[resource.idField] })
    }
    return row
  }

  /** Logged in, active or not. */
  async function person({ role = 'USER', active = true }: { role?: Role; active?: boolean } = {}): Promise<Caller> {
    const { activeStatus } = login.mark
    const inactiveStatus = login.resource.fields[login.mark.status]?.values?.find((one) => one !== activeStatus)
    const given = { [login.mark.role]: role, [login.mark.status]: active ? activeStatus : inactiveStatus }
    const [user, opened] = await storage.transaction(async (transaction) => {
      const made = await insert(transaction, login.resource, '', given)
      return [made, await insert(transaction, session.resource, made[login.resource.idField] as string)]
    })
    const id = user[login.resource.idField] as string
    const token = await accessTokens.sign({
      userId: id,
      role: user[login.mark.role] as Role,
      email: user[login.mark.login] as string,
      sid: opened[session.resource.idField] as string,
    })
    return { id, token }
  }

  async function key(ownerId: string, active = true): Promise<string> {
    const { token, hash } = makeKey(apiKey.resource.fields[apiKey.mark.token]?.limits.prefix ?? '')
    const given = { [apiKey.mark.token]: hash, [apiKey.mark.active]: active }
    await storage.transaction((transaction) => insert(transaction, apiKey.resource, ownerId, given))
    return token
  }

  otherParty = (await person()).id

  /** The fields of a body that this operation takes. */
  async function body(
    transaction: Transaction,
    resource: Resource,
    operation: string,
    under: string | undefined,
  ): Promise<Values> {
    const names = operation === 'update' ? resource.storedNames : resource.requiredNames
    const values: Values = {}
    for (const name of names) {
      const field = resource.fields[name] as Field
      if (
        field.setBy !== undefined ||
        name === under ||
        (operation === 'update' && (field.immutable || field.hidden || field.write))
      )
        continue
      if (!field.reference) values[name] = sample(name, field, ++serial)
      else if (isPerson(field)) values[name] = otherParty
      else {
        const target = catalog.get(field.reference.resource)
        values[name] = (await insert(transaction, target, otherParty))[target.idField]
      }
      if (operation === 'update') break
    }
    return values
  }

  /** The path of a route to a fresh record of this owner, in a state that allows the operation, and a body that it takes. */
  async function request(route: Route, owner: Caller): Promise<{ path: string; body: Values | undefined }> {
    const { resource, operation } = route.target
    const isNew = operation === 'create' || operation === 'import'
    const rows = new Map<unknown, Row>()
    const parameters: Record<string, unknown> = {}
    const made = await storage.transaction(async (transaction) => {
      const make = async (target: Resource, given: Values = {}): Promise<Row> => {
        const row =
          target === login.resource
            ? ((await transaction.find(target, equal(target.idField, owner.id)))?.row as Row)
            : await insert(transaction, target, owner.id, given)
        rows.set(row[target.idField], row)
        return row
      }
      let above: unknown
      const last = route.steps.at(-1)
      if (isNew || operation === 'list' || operation === 'export') {
        if (last) above = (await make(last.resource))[last.resource.idField]
      } else {
        const move = resource.moves[operation]
        const state = move && !move.move.repeatable ? { [move.field]: move.move.from[0] } : {}
        const row = await make(resource, state)
        if (route.idParameter) parameters[route.idParameter] = row[resource.idField]
        if (route.by) above = row[route.by]
      }
      for (const step of route.steps.toReversed()) {
        if (step.parameter) parameters[step.parameter] = above
        else
          above = (rows.get(above) ??
            (await transaction.find(step.resource, equal(step.resource.idField, above as string)))?.row)?.[
            step.by as string
          ]
      }
      return isNew || operation === 'replace' || operation === 'update'
        ? body(transaction, resource, operation, route.by)
        : undefined
    })
    return { path: route.path.replace(/:(\w+)/g, (_all, name: string) => String(parameters[name])), body: made }
  }

  return { person, key, request }
}
