/**
 * Who may do what: every route of some declarations, requested by every kind of caller, each time for a fresh record. An application keeps
 * the printed table beside its tests, so that reviewers see what a change opens or closes.
 */
import assert from 'node:assert/strict'
import type { Declared } from '../resource/define.ts'
import { makeRoutes, type Route } from '../rest/route.ts'
import type { AskOptions } from './ask.ts'
import { type Caller, freshKey, freshPerson, type Maker, makeMaker } from './fresh-records.ts'
import { makeFreshRequest } from './fresh-request.ts'
import { startService, type TestService } from './service.ts'

/** `k:` is the same caller with an API key. The owner owns the requested record; a stranger is any other USER. */
export const matrixCallers = [
  'anonymous',
  'stranger',
  'owner',
  'EDITOR',
  'ADMIN',
  'k:stranger',
  'k:owner',
  'k:EDITOR',
  'k:ADMIN',
  'k:inactive',
  'suspended',
] as const
export type MatrixCaller = (typeof matrixCallers)[number]

export type MatrixRow = {
  readonly method: string
  /** With `:id` where a segment names a record. */
  readonly path: string
  readonly resource: string
  readonly operation: string
  /** Whether it asks for one record by its id. */
  readonly byId: boolean
  /** Whether it accepts API keys only. */
  readonly machine: boolean
  /** The status that each caller got. Callers that the application cannot have are absent: those by key, suspended ones, or all but the anonymous. */
  readonly statuses: Readonly<Record<MatrixCaller, number>>
}

const secret = 'a secret of the matrix, 32 bytes or more'

/** The callers that an application has. */
function callersOf({ people, apiKey }: Maker): readonly MatrixCaller[] {
  if (!people) return ['anonymous']
  const isThere = (caller: MatrixCaller) =>
    caller === 'suspended' ? people.login.mark.status !== undefined : apiKey !== undefined || !caller.startsWith('k:')
  return matrixCallers.filter(isThere)
}

async function makeFixed(maker: Maker): Promise<Record<string, AskOptions>> {
  if (!maker.people) return { anonymous: {} }
  const stranger = await freshPerson(maker)
  const editor = await freshPerson(maker, { role: 'EDITOR' })
  const admin = await freshPerson(maker, { role: 'ADMIN' })
  const suspended = await freshPerson(maker, { role: 'ADMIN', active: false })
  return {
    anonymous: {},
    stranger: { token: stranger.token },
    EDITOR: { token: editor.token },
    ADMIN: { token: admin.token },
    suspended: { token: suspended.token },
    ...(maker.apiKey && {
      'k:stranger': { key: await freshKey(maker, stranger.id) },
      'k:EDITOR': { key: await freshKey(maker, editor.id) },
      'k:ADMIN': { key: await freshKey(maker, admin.id) },
      'k:inactive': { key: await freshKey(maker, admin.id, false) },
    }),
  }
}

/** Asks for a fresh record. Throws when the answer is about the request rather than the caller. */
async function askRoute(
  { ask, maker }: Pick<TestService, 'ask'> & { readonly maker: Maker },
  route: Route,
  credentialOf: (owner: Caller) => Promise<AskOptions>,
): Promise<number> {
  const owner = maker.people ? await freshPerson(maker) : { id: '', token: '' }
  const credential = await credentialOf(owner)
  const { path, body } = await makeFreshRequest(maker, route, owner)
  const sent: AskOptions =
    route.target.operation === 'import' ? { raw: `${JSON.stringify(body)}\n`, type: 'application/x-ndjson' } : { body }
  const reply = await ask(route.method, path, { ...credential, ...sent })
  assert.ok(reply.status < 500, `${route.method} ${path}: ${reply.text}`)
  assert.notEqual(reply.status, 400, `${route.method} ${path} ${JSON.stringify(body)}: ${reply.text}`)
  if (reply.status >= 400) assert.deepEqual(Object.keys(reply.body), ['error'])
  return reply.status
}

/** Starts a service of these declarations, sends every request, and stops it. One row per route, in the order of the declarations. */
export async function permissionMatrix(declarations: readonly Declared[]): Promise<MatrixRow[]> {
  const service = await startService(declarations, { env: { JWT_SECRET: secret } })
  try {
    const { engine } = service.service
    const maker = await makeMaker(engine, secret)
    const fixed = await makeFixed(maker)
    const callers = callersOf(maker)
    const rows: MatrixRow[] = []
    for (const route of makeRoutes(engine.catalog)) {
      const statuses = {} as Record<MatrixCaller, number>
      for (const caller of callers) {
        const credentialOf = async ({ id, token }: Caller): Promise<AskOptions> => {
          if (caller === 'owner') return { token }
          return caller === 'k:owner' ? { key: await freshKey(maker, id) } : (fixed[caller] ?? {})
        }
        statuses[caller] = await askRoute({ ask: service.ask, maker }, route, credentialOf)
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
  const width = Math.max(...rows.map((row) => name(row).length))
  const callers = matrixCallers.filter((caller) => rows.some(({ statuses }) => statuses[caller] !== undefined))
  const head = ['operation'.padEnd(width), ...callers].join('  ')
  const lines = rows.map((row) =>
    [name(row).padEnd(width), ...callers.map((caller) => String(row.statuses[caller]).padEnd(caller.length))]
      .join('  ')
      .trimEnd(),
  )
  return `${[head, ...lines].join('\n')}\n`
}
