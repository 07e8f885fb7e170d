/**
 * Two services with the same declarations, clock and ids. In one there is tenant A alone, in the
 * other there is tenant B as well. Callers of A get the same bytes from both, whatever they ask.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  sharedCluster,
  startService,
  type TestService,
} from 'bindery-server/test'
import type { Catalog } from '../../src/resource/catalog.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import type { Tenancy } from '../../src/resource/tenancy/tenancies.ts'

export type SentRequest = {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly as: string
}
export type Received = { readonly status: number; readonly text: string; readonly body: unknown; readonly all: string }

/** Time moves for both between requests alone. */
export type WorldClock = { nowMs: number }

export type World = {
  readonly service: TestService
  readonly catalog: Catalog
  /** A caller's credential by name. */
  readonly tokens: Map<string, string>
  readonly userIds: Map<string, string>
  send(request: SentRequest): Promise<Received>
  /** Makes ids that no request of tenant A is given. */
  apart<T>(work: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** Ids that count up; those made apart have another beginning. */
function countedIds() {
  const counts = { a: 0, b: 0 }
  let side: keyof typeof counts = 'a'
  return {
    make: () => {
      counts[side] += 1
      return `01926e0f-${side === 'a' ? '0001' : '0002'}-7000-8000-${counts[side].toString(16).padStart(12, '0')}`
    },
    async apart<T>(work: () => Promise<T>): Promise<T> {
      side = 'b'
      return work().finally(() => {
        side = 'a'
      })
    },
  }
}

/** Headers that differ between any two responses. */
const unsteady = new Set([
  'date',
  'x-request-id',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'change-position', // it is sealed, so each answer has another
])

type WorldOptions = {
  readonly declarations: readonly Declared[]
  readonly clock: WorldClock
  readonly env?: Readonly<Record<string, string>>
  /** Instances on one database, which answer in turn. */
  readonly instances?: number
}

/** Instances of one world share a database on PostgreSQL. */
async function startInstances({ declarations, clock, env = {}, instances = 1 }: WorldOptions, makeId: () => string) {
  const name = `tenants_${randomBytes(6).toString('hex')}`
  const isShared = instances > 1
  const shared: Record<string, string> = isShared
    ? { DATABASE_URL: await makePostgresDatabase(sharedCluster(), name) }
    : {}
  const settings = { MCP: 'write', SIGN_UP: 'open' }
  const options = { env: { ...settings, ...shared, ...env }, clock: () => clock.nowMs, makeId }
  const all: TestService[] = []
  for (let i = 0; i < instances; i += 1) all.push(await startService(declarations, options))
  let turn = 0
  return {
    first: all[0] as TestService,
    /** The next one in turn, when all know what was written. */
    async next() {
      await Promise.all(all.map(({ service }) => service.engine.storage.changes.catchUp()))
      turn += 1
      return all[turn % instances] as TestService
    },
    async stop() {
      for (const one of all) await one.stop()
      if (isShared) await dropPostgresDatabase(sharedCluster(), name)
    },
  }
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const ids = countedIds()
  const { first: service, next, stop } = await startInstances(options, ids.make)
  const tokens = new Map<string, string>()
  return {
    service,
    catalog: service.service.engine.catalog,
    tokens,
    userIds: new Map(),
    apart: ids.apart,
    async send({ method, path, body, headers = {}, as }) {
      const token = tokens.get(as)
      const reply = await (await next()).ask(method, path, {
        ...(body !== undefined && { raw: body }),
        ...(token && { token }),
        headers,
      })
      const shown = [...reply.headers].filter(([name]) => !unsteady.has(name)).map((entry) => entry.join(': '))
      return { ...reply, all: [String(reply.status), ...shown.sort(), '', reply.text].join('\n') }
    },
    stop,
  }
}

/** The tenancy of an application that has one. */
export function tenancyOf({ tenancies }: Catalog): Tenancy {
  const [tenancy] = tenancies.values()
  assert.ok(tenancy, 'the declarations have no tenancy')
  return tenancy
}

/** A new user, logged in. */
export async function addPerson(world: World, as: string, role?: string): Promise<string> {
  const person = await world.service.person(role)
  world.tokens.set(as, person.token)
  world.userIds.set(as, person.id)
  return person.id
}

type NewTenant = { readonly name: string; readonly members: Readonly<Record<string, string>> }

/** A tenant with these members, by the name of the caller: their roles. */
export async function addTenant(world: World, { name, members }: NewTenant): Promise<string> {
  const { tenant, members: table } = tenancyOf(world.catalog)
  const texts = tenant.requiredNames.filter((one) => tenant.fields[one]?.type.isProse)
  const made = await world.service.make(tenant.name, Object.fromEntries(texts.map((one) => [one, `${name} ${one}`])))
  const id = made[tenant.idField] as string
  for (const [as, role] of Object.entries(members)) {
    const { status, activeStatus } = table
    await world.service.make(table.resource.name, {
      [table.by]: id,
      [table.user]: world.userIds.get(as) ?? '',
      [table.role]: role,
      ...(status !== undefined && { [status]: activeStatus }),
    })
  }
  return id
}
