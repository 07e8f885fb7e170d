/**
 * Records and bodies made from the declarations alone: one of any resource, with all that it refers to, owned by whom one likes.
 * It knows no resource by name, so a resource that is added tomorrow is in the matrix tomorrow.
 */
import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { hashToken, makeKey } from '../../../../packages/server/src/identity/token.ts'
import type { Engine } from '../../../../packages/server/src/perform/engine.ts'
import type { Catalog, Resource } from '../../../../packages/server/src/resource/catalog.ts'
import type { Field } from '../../../../packages/server/src/resource/fields/field.ts'
import type { Route } from '../../../../packages/server/src/rest/route.ts'
import type { Row, Transaction } from '../../../../packages/server/src/storage/storage.ts'

export type Values = Record<string, unknown>
export type Caller = { readonly id: string; readonly token: string }
export type World = Awaited<ReturnType<typeof makeWorld>>

/** A value that a body may hold, by the schema that documents it. */
function sample(name: string, field: Field, serial: number): unknown {
  const { type, format, minimum, maxLength } = field.type.schema(field)
  if (field.values) return field.values[0]
  if (type === 'array') return []
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max((minimum as number | undefined) ?? 1, 1)
  if (format === 'email') return `somebody${serial}@example.com`
  if (format === 'date-time') return new Date(Date.now() + 86_400_000).toISOString()
  return format === 'password' ? 'correct horse' : `${name} ${serial}`.slice(0, maxLength as number | undefined)
}

function marksOf({ login, apiKey, session }: Catalog) {
  if (!login || !apiKey || !session) throw new Error('the catalog has no identity')
  return { login, apiKey, session }
}

export async function makeWorld(engine: Engine, secret: string) {
  const { catalog, storage } = engine
  const { login, apiKey, session } = marksOf(catalog)
  const isPerson = (field: Field) => field.reference?.resource === login.resource.name
  const passwordHash = await engine.identity.hashPassword('correct horse')
  let serial = 0

  function storedSample(name: string, field: Field): unknown {
    if (field.type.secret === 'sent') return passwordHash
    if (field.type.secret) return hashToken(randomBytes(32).toString('hex'))
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

  async function person(given: Values): Promise<Caller> {
    const [user, opened] = await storage.transaction(async (transaction) => {
      const made = await insert(transaction, login.resource, '', given)
      return [made, await insert(transaction, session.resource, made[login.resource.idField] as string)]
    })
    const id = user[login.resource.idField] as string
    const claims = {
      userId: id,
      role: user[login.mark.role],
      email: user[login.mark.login],
      sid: opened[session.resource.idField],
    }
    const signing = new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('bindery')
      .setIssuedAt()
      .setExpirationTime('15m')
    return { id, token: await signing.sign(Buffer.from(secret)) }
  }

  async function key(ownerId: string, given: Values = {}): Promise<string> {
    const { token, hash } = makeKey('bk_')
    await storage.transaction((transaction) =>
      insert(transaction, apiKey.resource, ownerId, { [apiKey.mark.token]: hash, ...given }),
    )
    return token
  }

  otherParty = (await person({})).id

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
      else values[name] = (await insert(transaction, catalog.get(field.reference.resource), otherParty)).id
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
            ? ((
                await transaction.find(target, {
                  kind: 'compare',
                  field: target.idField,
                  operator: 'eq',
                  value: owner.id,
                })
              )?.row as Row)
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
            (
              await transaction.find(step.resource, {
                kind: 'compare',
                field: step.resource.idField,
                operator: 'eq',
                value: above as string,
              })
            )?.row)?.[step.by as string]
      }
      return isNew || operation === 'replace' || operation === 'update'
        ? body(transaction, resource, operation, route.by)
        : undefined
    })
    return { path: route.path.replace(/:(\w+)/g, (_all, name: string) => String(parameters[name])), body: made }
  }

  return { person, key, request }
}
