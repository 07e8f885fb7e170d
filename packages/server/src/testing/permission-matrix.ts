/**
 * The permission matrix: requests every route as every kind of caller, each time for a new record.
 * An application commits the printed table beside its tests, so that reviewers see the permissions
 * that a change adds or removes.
 */
import assert from 'node:assert/strict'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { makeRoutes, type Route } from '../rest/route.ts'
import type { AskOptions, TestResponse } from './ask.ts'
import { joinTenant, memberColumns } from './fresh-members.ts'
import { freshKey, freshPerson, makeSampleMaker, type SampleCaller, type SampleMaker } from './fresh-records.ts'
import { makeFreshRequest } from './fresh-request.ts'
import { startService, type TestService } from './service.ts'
import { checkExplained, checkTold, type ToldPermissions, toldTo } from './told-access.ts'
import { usualRole } from './usual-role.ts'

/**
 * The columns of the table. `k:` is the same caller with an API key. The owner owns the requested
 * record; a stranger is any other user of the usual role. Then comes one of each other role. Where
 * there are tenants, `club:COACH` is a member of the record's tenant with that role.
 */
function callersOf({ people, apiKey, engine: { catalog } }: SampleMaker): readonly string[] {
  if (!people) return ['anonymous']
  const usual = usualRole(catalog)
  const known = ['stranger', 'owner', ...catalog.roles.names.filter((one) => one !== usual)]
  const byKey = apiKey ? [...known.map((one) => `k:${one}`), 'k:inactive'] : []
  const members = memberColumns(catalog)
  return ['anonymous', ...known, ...members, ...byKey, ...(people.login.mark.status === undefined ? [] : ['suspended'])]
}

export type MatrixRow = {
  readonly method: string
  /** With `:id` where a segment is the id of a record. */
  readonly path: string
  readonly resource: string
  readonly operation: string
  /** Whether it names one record by its id. */
  readonly byId: boolean
  /** Whether it accepts API keys only. */
  readonly machine: boolean
  /**
   * The status for each caller: `anonymous`, a `stranger`, the `owner`, one of each other role.
   * `club:COACH` is a member of the record's tenant with that role, where there are tenants.
   * Then the same with an API key (`k:`), an inactive key, and a suspended user. Callers that the
   * application cannot have are absent.
   */
  readonly statuses: Readonly<Record<string, number>>
}

const secret = 'a secret of the matrix, 32 bytes or more'

/** The request options of each caller without the owner, who is a different one each time. */
async function makeFixed(maker: SampleMaker): Promise<Record<string, AskOptions>> {
  const { catalog } = maker.engine
  const { names, operator } = catalog.roles
  const usual = usualRole(catalog)
  const fixed: Record<string, AskOptions> = { anonymous: {} }
  if (!maker.people) return fixed
  for (const role of names) {
    const { id, token } = await freshPerson(maker, { role })
    const name = role === usual ? 'stranger' : role
    fixed[name] = { token }
    if (!maker.apiKey) continue
    fixed[`k:${name}`] = { key: await freshKey(maker, id) }
    if (role === operator) fixed['k:inactive'] = { key: await freshKey(maker, id, false) }
  }
  const suspended = await freshPerson(maker, { role: operator, active: false })
  return { ...fixed, suspended: { token: suspended.token } }
}

/** `told`: where memberships change the permissions of a caller, those before the request. */
type RouteReply = { readonly reply: TestResponse; readonly told: ToldPermissions | undefined }

type CallerOfRoute = {
  /** Its column of the table. */
  readonly column: string
  credentialOf(owner: SampleCaller): Promise<AskOptions>
}

/** Whether the caller may ask for an explanation of the request; an import has none. */
function isExplained({ engine: { catalog } }: SampleMaker, { target }: Route, column: string): boolean {
  if (target.operation === 'import') return false
  return target.resource.explainAccess !== undefined || column.replace('k:', '') === catalog.roles.operator
}

/**
 * Sends a request for a new record. Throws when the response is about the request instead of the
 * caller.
 */
async function askRoute(
  { ask, maker }: Pick<TestService, 'ask'> & { readonly maker: SampleMaker },
  route: Route,
  { column, credentialOf }: CallerOfRoute,
): Promise<RouteReply> {
  const owner = maker.people ? await freshPerson(maker) : { id: '', token: '' }
  const credential = await credentialOf(owner)
  const { path, body, tenants } = await makeFreshRequest(maker, route, owner)
  await joinTenant(maker, owner, { column, tenants })
  const told = maker.engine.catalog.tenancies.size === 0 ? undefined : await toldTo(ask, credential)
  const sent: AskOptions =
    route.target.operation === 'import' ? { raw: `${JSON.stringify(body)}\n`, type: 'application/x-ndjson' } : { body }
  const why = isExplained(maker, route, column)
    ? await ask(route.method, `${path}?_explain=access`, { ...credential, ...sent })
    : undefined
  const reply = await ask(route.method, path, { ...credential, ...sent })
  checkExplained(why, route, { caller: column, reply })
  assert.ok(reply.status < 500, `${route.method} ${path}: ${reply.text}`)
  // Outside of a tenant, its records are absent: a body that names one is wrong.
  const isOutside = tenants.size > 0 && !memberColumns(maker.engine.catalog).includes(column)
  if (!isOutside) assert.notEqual(reply.status, 400, `${route.method} ${path} ${JSON.stringify(body)}: ${reply.text}`)
  if (reply.status >= 400) assert.deepEqual(Object.keys(reply.body), ['error'])
  return { reply, told }
}

/**
 * Starts a service of these declarations, sends every request, and stops it. One row per route, in
 * the order of the declarations. Throws where the server tells a caller other permissions, or
 * explains a request otherwise than it answers it.
 */
export async function permissionMatrix(declarations: readonly Declared[]): Promise<MatrixRow[]> {
  const service = await startService(declarations, { env: { JWT_SECRET: secret } })
  try {
    const { engine } = service.service
    const maker = await makeSampleMaker(engine, secret)
    const fixed = await makeFixed(maker)
    const callers = callersOf(maker)
    const members = memberColumns(engine.catalog)
    const told = new Map<string, ToldPermissions | undefined>()
    for (const [name, credential] of Object.entries(fixed)) told.set(name, await toldTo(service.ask, credential))
    const rows: MatrixRow[] = []
    for (const route of makeRoutes(engine.catalog)) {
      const statuses: Record<string, number> = {}
      for (const caller of callers) {
        const credentialOf = async ({ id, token }: SampleCaller): Promise<AskOptions> => {
          if (caller === 'owner' || members.includes(caller)) return { token }
          return caller === 'k:owner' ? { key: await freshKey(maker, id) } : (fixed[caller] ?? {})
        }
        const { reply, told: now } = await askRoute({ ask: service.ask, maker }, route, {
          column: caller,
          credentialOf,
        })
        checkTold(now ?? told.get(caller.replace('owner', 'stranger')), route, { caller, reply })
        statuses[caller] = reply.status
      }
      const { resource, operation } = route.target
      rows.push({
        method: route.method,
        path: route.path,
        resource: resource.name,
        operation,
        byId: route.idParameter !== undefined,
        machine:
          resource.access[operation]?.type.needsKey(resource.access[operation], service.service.engine.settings) ??
          false,
        statuses,
      })
    }
    return rows
  } finally {
    await service.stop()
  }
}

/** The rows as a table, for people and for a file to compare with. */
export function printMatrix(rows: readonly MatrixRow[]): string {
  const name = ({ method, path }: MatrixRow) => `${method} ${path}`
  const callers = Object.keys(rows[0]?.statuses ?? {})
  const width = Math.max(...rows.map((row) => name(row).length))
  const head = ['operation'.padEnd(width), ...callers].join('  ')
  const lines = rows.map((row) =>
    [name(row).padEnd(width), ...callers.map((caller) => String(row.statuses[caller]).padEnd(caller.length))]
      .join('  ')
      .trimEnd(),
  )
  return `${[head, ...lines].join('\n')}\n`
}
