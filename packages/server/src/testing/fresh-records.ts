/**
 * Generates records from the declarations: one of any resource, with all records that it refers to.
 * It knows no resource by name, so the permission matrix covers a new resource at once.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { ServedEngine } from '../accounts/served-engine.ts'
import { type AccessTokens, makeAccessTokens } from '../accounts/tokens/access-token.ts'
import { hashToken, makeKey } from '../accounts/tokens/token.ts'
import { keysOfSecrets } from '../accounts/tokens/token-keys.ts'
import { timestampOf } from '../base/clock.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { ApiKeyMark, LoginMark, SessionMark } from '../resource/accounts/identity-mark.ts'
import type { MarkedTable, Resource } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { prefixOf } from '../resource/fields/secret.ts'
import { firstTenantField } from '../resource/tenancy/scope-resource.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row } from '../storage/storage.ts'
import { type FreshTenants, tenantsGiven } from './fresh-tenants.ts'
import { usualRole } from './usual-role.ts'

/** The password of all generated people. */
export const password = 'correct horse'

export type SampleValues = Record<string, unknown>
export type SampleCaller = { readonly id: string; readonly token: string }
/**
 * The context for generating records. `otherParty`: the other person of a record, such as the
 * recipient of a letter.
 */
export type Sampler = {
  readonly engine: ServedEngine
  readonly passwordHash: string
  /**
   * Sets optional references too, and generates one record of each embedded kind, so that the
   * matrix has a cart with items. Otherwise only required records are generated.
   */
  readonly isFull: boolean
  serial: number
  otherParty: string
}
/**
 * Also generates people and their credentials: undefined in an application without users, or
 * without keys.
 */
export type SampleMaker = Sampler & {
  readonly people: { readonly login: MarkedTable<LoginMark>; readonly session: MarkedTable<SessionMark> } | undefined
  readonly apiKey: MarkedTable<ApiKeyMark> | undefined
  readonly tokens: AccessTokens
}

/** The context, made on the first use. All people have one password, so it is hashed once. */
export function lazySampler(engine: ServedEngine): () => Promise<Sampler> {
  let making: Promise<Sampler> | undefined
  async function make(): Promise<Sampler> {
    const passwordHash = engine.catalog.login ? await engine.identity.hashPassword(password) : ''
    return { engine, passwordHash, isFull: false, serial: 0, otherParty: '' }
  }
  return () => {
    making ??= make()
    return making
  }
}

function textSample(serial: number, name: string, field: Field): string {
  const schema = field.type.schema(field)
  if (schema.format === 'uuid') return randomUUID()
  if (schema.format === 'uri') return `https://example.com/${serial}`
  if (field.type.madeFrom) return `${name}-${serial}`.toLowerCase()
  if (schema.pattern !== undefined && field.example !== undefined) return field.example as string
  if (schema.format === 'email') return `somebody${serial}@example.com`
  if (schema.format === 'date-time') return timestampOf(Date.now() + 86_400_000)
  if (schema.format === 'password') return password
  return `${name} ${serial}`.slice(0, Number(schema.maxLength ?? 1000))
}

/** A valid value for a body, from the field's documented schema. */
export function sampleOf(maker: Sampler, name: string, field: Field): unknown {
  const serial = ++maker.serial
  const schema = field.type.schema(field)
  if (field.type.example) return field.type.example(field)
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (field.type.isCellJson) return field.example ?? {}
  switch (schema.type) {
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 1), 1)
    case 'boolean':
      return true
    case 'array':
      return []
    default:
      return textSample(serial, name, field)
  }
}

function storedSample(maker: Sampler, name: string, field: Field): unknown {
  if (field.type.secret === 'sent') return maker.passwordHash
  if (field.type.secret !== undefined) return hashToken(randomBytes(32).toString('hex'))
  if (field.default === null) return null
  if (field.default !== undefined && typeof field.default !== 'function')
    return field.type.check(field.default, name, field)
  if (field.nullable) return null
  return field.type.check(sampleOf(maker, name, field), name, field)
}

export function isPerson({ engine }: Sampler, field: Field): boolean {
  return field.reference !== undefined && field.reference.resource === engine.catalog.login?.resource.name
}

export type SampleRecord = {
  readonly resource: Resource
  readonly ownerId: string
  readonly given?: SampleValues
  /** The records for which this one is generated. */
  readonly within?: readonly Resource[]
  /** The tenants of these, by the resource of tenants: all generated records share them. */
  readonly tenants?: FreshTenants
}

type SampleContext = {
  readonly maker: Sampler
  readonly tx: RecordTransaction
  readonly ownerId: string
  readonly within: readonly Resource[]
  readonly tenants: FreshTenants
}

/** Whether the reference must be set: the engine or the caller sets it in any case. */
function isNeeded({ nullable, required, setBy }: Field): boolean {
  return !nullable || required || setBy === 'parent' || setBy === 'principal'
}

/**
 * The id to refer to: that of an existing person, or of a new record. An optional reference never
 * leads to a kind that is being generated: a tree would not end.
 */
async function freshReference(making: SampleContext, field: Field, shared: SampleValues): Promise<unknown> {
  const { maker, tx, ownerId, within, tenants } = making
  const target = maker.engine.catalog.get(field.reference?.resource ?? '')
  if (!maker.isFull && !isNeeded(field)) return null
  if (isPerson(maker, field)) return (field.setBy === undefined ? maker.otherParty : ownerId) || null
  if (field.nullable && within.includes(target)) return null
  const known = tenants.get(target.name)
  if (known !== undefined) return known
  const fresh = { resource: target, ownerId, within, tenants, given: shared }
  const id = (await insertFresh(maker, tx, fresh))[target.idField]
  if (maker.engine.catalog.tenancies.has(target.name)) tenants.set(target.name, id)
  return id
}

/**
 * The references that share fields with the records that they name (`match`), and these fields.
 * `given`: values that stay.
 */
async function sharedValues(making: SampleContext, resource: Resource, given: SampleValues): Promise<SampleValues> {
  const { catalog } = making.maker.engine
  const stored = resource.storedNames.filter((name) => Object.hasOwn(given, name))
  const values: SampleValues = Object.fromEntries(stored.map((name) => [name, given[name]]))
  for (const name of resource.matchingNames) {
    const field = resource.fields[name] as Field
    const { match = [], resource: named = '' } = field.reference ?? {}
    const shared = match.filter((one) => (values[one] ?? null) !== null).map((one) => [one, values[one]])
    if (!Object.hasOwn(given, name)) values[name] = await freshReference(making, field, Object.fromEntries(shared))
    const target = catalog.get(named)
    const id = values[name] as Scalar | null
    const row = id === null ? undefined : (await making.tx.find(target, equal(target.idField, id)))?.row
    for (const one of row ? match : []) if (!Object.hasOwn(values, one)) values[one] = row?.[one] ?? null
  }
  return values
}

/** Whether the record needs a person besides its given owner. */
export function needsPerson(maker: Sampler, { resource, ownerId, given = {}, within = [] }: SampleRecord): boolean {
  const { catalog } = maker.engine
  return resource.storedNames.some((name) => {
    const field = resource.fields[name] as Field
    if (!field.reference || Object.hasOwn(given, name) || !isNeeded(field)) return false
    if (isPerson(maker, field)) return field.setBy === undefined || ownerId === ''
    const target = catalog.get(field.reference.resource)
    return !within.includes(target) && needsPerson(maker, { resource: target, ownerId, within: [...within, resource] })
  })
}

/** The engine makes the value. */
function isMade({ setBy, type, counted }: Field): boolean {
  const isByEngine = type.series !== undefined || type.places !== undefined || counted !== undefined
  return setBy === 'create' || setBy === 'write' || isByEngine
}

/** Stores a record without access rules, with the records that it refers to. */
export async function insertFresh(maker: Sampler, tx: RecordTransaction, record: SampleRecord): Promise<Row> {
  const { resource, ownerId, given = {} } = record
  const { catalog } = maker.engine
  const within = [...(record.within ?? []), resource]
  const tenants = record.tenants ?? (await tenantsGiven(tx, record))
  const making = { maker, tx, ownerId, within, tenants }
  const first = firstTenantField(resource)
  const way = first === undefined || Object.hasOwn(given, first) ? undefined : resource.fields[first]
  const led = way ? { ...given, [first as string]: await freshReference(making, way, {}) } : given
  const values = await sharedValues(making, resource, led)
  for (const name of resource.storedNames) {
    const field = resource.fields[name] as Field
    if (Object.hasOwn(values, name)) continue
    if (name === resource.idField || isMade(field)) continue
    if (field.reference) values[name] = await freshReference(making, field, {})
    else values[name] = storedSample(maker, name, field)
  }
  const row = await tx.insert(await tx.prepare(resource, values))
  for (const name of maker.isFull ? resource.virtualNames : []) {
    const { virtual } = resource.fields[name] as Field
    if (virtual?.kind !== 'embedded') continue
    const embedded = { resource: catalog.get(virtual.resource), given: { [virtual.by]: row[resource.idField] } }
    await insertFresh(maker, tx, { ...embedded, ownerId, within, tenants })
  }
  return row
}

/** The status of an active person, or of an inactive one. */
export function statusOf({ mark, resource }: MarkedTable<LoginMark>, active: boolean): SampleValues {
  if (mark.status === undefined) return {}
  const inactive = resource.fields[mark.status]?.values?.find((one) => one !== mark.activeStatus)
  return { [mark.status]: active ? mark.activeStatus : inactive }
}

/** A logged-in person with this role, active or not. */
export async function freshPerson(
  maker: SampleMaker,
  { role = usualRole(maker.engine.catalog), active = true }: { role?: string; active?: boolean } = {},
): Promise<SampleCaller> {
  if (!maker.people) throw new Error('the catalog has no users')
  const { login, session } = maker.people
  const given = { [login.mark.role]: role, ...statusOf(login, active) }
  const [user, opened] = await maker.engine.records.transaction(serviceAuthor, async (tx) => {
    const made = await insertFresh(maker, tx, { resource: login.resource, ownerId: '', given })
    const ownerId = made[login.resource.idField] as string
    return [made, await insertFresh(maker, tx, { resource: session.resource, ownerId })]
  })
  const id = user[login.resource.idField] as string
  const token = await maker.tokens.sign({
    userId: id,
    role: user[login.mark.role] as string,
    email: user[login.mark.login] as string,
    sid: opened[session.resource.idField] as string,
  })
  return { id, token }
}

/** An API key of this owner, in plain text. */
export async function freshKey(maker: SampleMaker, ownerId: string, active = true): Promise<string> {
  if (!maker.apiKey) throw new Error('the catalog has no keys')
  const { resource, mark } = maker.apiKey
  const { token, hash } = makeKey(prefixOf(resource.fields[mark.token] as Field) ?? '')
  const given = { [mark.token]: hash, [mark.active]: active }
  await maker.engine.records.transaction(serviceAuthor, (tx) => insertFresh(maker, tx, { resource, ownerId, given }))
  return token
}

/** `secret`: the one with which the service signs access tokens. */
export async function makeSampleMaker(engine: ServedEngine, secret: string): Promise<SampleMaker> {
  const { login, session, apiKey } = engine.catalog
  const maker: SampleMaker = {
    engine,
    people: login && session && { login, session },
    apiKey,
    tokens: makeAccessTokens(keysOfSecrets([Buffer.from(secret)]), engine.clock),
    passwordHash: login ? await engine.identity.hashPassword(password) : '',
    isFull: true,
    serial: 0,
    otherParty: '',
  }
  if (maker.people) maker.otherParty = (await freshPerson(maker)).id
  return maker
}
