/**
 * Who may do what: every route of some declarations, asked by every kind of caller, each time on a fresh record. An application keeps
 * the printed table beside its tests, so that people read in a change what it opens or closes.
 */
import assert from 'node:assert/strict'
import type { Declared } from '../resource/define.ts'
import { makeRoutes, type Route } from '../rest/route.ts'
import type { AskOptions } from './ask.ts'
import { type FreshRecords, makeFreshRecords } from './fresh-records.ts'
import { startService, type TestService } from './service.ts'

/** `k:` is the same caller by an API key. The owner owns the record that is asked for, a stranger is any other USER. */
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
  /** It asks for one record by its id. */
  readonly byId: boolean
  /** Only API keys count. */
  readonly machine: boolean
  /** The status that each caller got. */
  readonly statuses: Readonly<Record<MatrixCaller, number>>
}

const secret = 'a secret of the matrix, 32 bytes or more'

async function makeFixed(records: FreshRecords): Promise<Record<string, AskOptions>> {
  const stranger = await records.person()
  const editor = await records.person({ role: 'EDITOR' })
  const admin = await records.person({ role: 'ADMIN' })
  const suspended = await records.person({ role: 'ADMIN', active: false })
  return {
    anonymous: {},
    stranger: { token: stranger.token },
    EDITOR: { token: editor.token },
    ADMIN: { token: admin.token },
    'k:stranger': { key: await records.key(stranger.id) },
    'k:EDITOR': { key: await records.key(editor.id) },
    'k:ADMIN': { key: await records.key(admin.id) },
    'k:inactive': { key: await records.key(admin.id, false) },
    suspended: { token: suspended.token },
  }
}

/** Asks for a fresh record. Throws where the answer is about the request rather than about who asks. */
async function askRoute(
  { ask }: TestService,
  records: FreshRecords,
  route: Route,
  credentialOf: (ownerId: string, ownerToken: string) => Promise<AskOptions>,
): Promise<number> {
  const owner = await records.person()
  const credential = await credentialOf(owner.id, owner.token)
  const { path, body } = await records.request(route, owner)
  const sent: AskOptions =
    route.target.operation === 'import' ? { raw: `${JSON.stringify(body)}\n`, type: 'application/x-ndjson' } : { body }
  const reply = await ask(route.method, path, { ...credential, ...sent })
  assert.ok(reply.status < 500, `${route.method} ${path}: ${reply.text}`)
  assert.notEqual(reply.status, 400, `${route.method} ${path} ${JSON.stringify(body)}: ${reply.text}`)
  if (reply.status >= 400) assert.deepEqual(Object.keys(reply.body), ['error'])
  return reply.status
}

/** Asks a service of these declarations, started for it, and stopped. One row a route, in the order of the declarations. */
export async function permissionMatrix(declarations: readonly Declared[]): Promise<MatrixRow[]> {
  const service = await startService(declarations, { JWT_SECRET: secret })
  try {
    const { engine } = service.service
    const records = await makeFreshRecords(engine, secret)
    const fixed = await makeFixed(records)
    const rows: MatrixRow[] = []
    for (const route of makeRoutes(engine.catalog)) {
      const statuses = {} as Record<MatrixCaller, number>
      for (const caller of matrixCallers) {
        statuses[caller] = await askRoute(service, records, route, async (ownerId, ownerToken) => {
          if (caller === 'owner') return { token: ownerToken }
          if (caller === 'k:owner') return { key: await records.key(ownerId) }
          return fixed[caller] ?? {}
        })
      }
      const { resource, operation } = route.target
      rows.push({
        method: route.method,
        path: route.path,
        resource: resource.name,
        operation,
        byId: route.idParameter !== undefined,
        machine: resource.access[operation]?.kind === 'machine',
        statuses,
      })
    }
    return rows
  } finally {
    await service.stop()
  }
}

/** A table for people, and for a file that is compared. */
export function printMatrix(rows: readonly MatrixRow[]): string {
  const name = ({ method, path }: MatrixRow) => `${method} ${path}`
  const width = Math.max(...rows.map((row) => name(row).length))
  const head = ['operation'.padEnd(width), ...matrixCallers].join('  ')
  const lines = rows.map((row) =>
    [name(row).padEnd(width), ...matrixCallers.map((caller) => String(row.statuses[caller]).padEnd(caller.length))]
      .join('  ')
      .trimEnd(),
  )
  return `${[head, ...lines].join('\n')}\n`
}
