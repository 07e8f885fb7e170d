/**
 * Who may do what: every route of the declarations, asked by everybody, on a fresh record each time. The answers stand in matrix.txt,
 * to be read by people; `UPDATE=1` writes it anew. What must hold of every row, whatever is declared, is asserted here.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makeRoutes, type Route } from '../../../../packages/server/src/rest/route.ts'
import { type AskOptions, startService, type TestService } from '../helpers/service.ts'
import { type Caller, makeWorld, type World } from './world.ts'

const secret = 'a secret of the matrix, 32 bytes or more'
const file = join(import.meta.dirname, 'matrix.txt')
const columns = [
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
type Column = (typeof columns)[number]
type RowOfTable = { readonly route: Route; readonly statuses: Readonly<Record<Column, number>> }

let service: TestService
let world: World
const rows: RowOfTable[] = []

async function makeFixed(): Promise<Record<string, AskOptions>> {
  const stranger = await world.person({})
  const editor = await world.person({ role: 'EDITOR' })
  const admin = await world.person({ role: 'ADMIN' })
  const suspended = await world.person({ role: 'ADMIN', status: 'SUSPENDED' })
  return {
    anonymous: {},
    stranger: { token: stranger.token },
    EDITOR: { token: editor.token },
    ADMIN: { token: admin.token },
    'k:stranger': { key: await world.key(stranger.id) },
    'k:EDITOR': { key: await world.key(editor.id) },
    'k:ADMIN': { key: await world.key(admin.id) },
    'k:inactive': { key: await world.key(admin.id, { active: false }) },
    suspended: { token: suspended.token },
  }
}

async function askCell(route: Route, column: Column, fixed: Record<string, AskOptions>): Promise<number> {
  const owner: Caller = await world.person({})
  const credential =
    column === 'owner'
      ? { token: owner.token }
      : column === 'k:owner'
        ? { key: await world.key(owner.id) }
        : fixed[column]
  const { path, body } = await world.request(route, owner)
  const sent: AskOptions =
    route.target.operation === 'import' ? { raw: `${JSON.stringify(body)}\n`, type: 'application/x-ndjson' } : { body }
  const reply = await service.ask(route.method, path, { ...credential, ...sent })
  assert.ok(reply.status < 500, `${route.method} ${path}: ${reply.text}`)
  assert.notEqual(reply.status, 400, `${route.method} ${path} ${JSON.stringify(body)}: ${reply.text}`)
  if (reply.status >= 400) assert.deepEqual(Object.keys(reply.body), ['error'])
  return reply.status
}

function print(): string {
  const name = ({ route }: RowOfTable) => `${route.method} ${route.path}`
  const width = Math.max(...rows.map((row) => name(row).length))
  const head = ['operation'.padEnd(width), ...columns].join('  ')
  const lines = rows.map((row) =>
    [name(row).padEnd(width), ...columns.map((column) => String(row.statuses[column]).padEnd(column.length))]
      .join('  ')
      .trimEnd(),
  )
  return `${[head, ...lines].join('\n')}\n`
}

const succeeds = (status: number) => status < 400
const isMachine = ({ route }: RowOfTable) => {
  const rule = route.target.resource.access[route.target.operation]
  return rule?.type.needsKey(rule, { currency: 'USD', signUp: 'open' }) ?? false
}
const named = ({ route }: RowOfTable) => `${route.method} ${route.path}`

describe('the permission matrix', () => {
  before(async () => {
    service = await startService({ JWT_SECRET: secret })
    world = await makeWorld(service.service.engine, secret)
    const fixed = await makeFixed()
    for (const route of makeRoutes(service.service.engine.catalog)) {
      const statuses = {} as Record<Column, number>
      for (const column of columns) statuses[column] = await askCell(route, column, fixed)
      rows.push({ route, statuses })
    }
  })
  after(() => service.stop())

  it('is the committed one', () => {
    const table = print()
    if (process.env.UPDATE === '1') writeFileSync(file, table)
    assert.equal(table, readFileSync(file, 'utf8'))
  })

  it('lets no bad credential in anywhere, also where anonymous callers may go', () => {
    for (const row of rows) {
      assert.equal(row.statuses['k:inactive'], 401, named(row))
      assert.equal(row.statuses.suspended, 401, named(row))
    }
  })

  it('gives a key what its owner has, and only a key the machine routes', () => {
    for (const row of rows) {
      for (const who of ['stranger', 'owner', 'EDITOR', 'ADMIN'] as const) {
        if (isMachine(row)) assert.equal(row.statuses[who], 401, named(row))
        else assert.equal(row.statuses[`k:${who}`], row.statuses[who], `${named(row)} by ${who}`)
      }
    }
  })

  it('gives a higher role all that a lower one has on the records of others', () => {
    for (const row of rows) {
      const { anonymous, stranger, EDITOR, ADMIN } = row.statuses
      const rising = isMachine(row)
        ? [row.statuses['k:stranger'], row.statuses['k:EDITOR'], row.statuses['k:ADMIN']]
        : [anonymous, stranger, EDITOR, ADMIN]
      for (const [i, status] of rising.entries()) {
        if (i > 0 && succeeds(rising[i - 1] as number)) assert.ok(succeeds(status), named(row))
      }
    }
  })

  it('tells an anonymous caller 401 wherever it refuses; a record that is not for everybody is missing', () => {
    for (const row of rows) {
      const missing =
        row.route.method === 'GET' && row.route.idParameter !== undefined && row.statuses.anonymous === 404
      assert.ok(succeeds(row.statuses.anonymous) || row.statuses.anonymous === 401 || missing, named(row))
    }
  })

  it("never hides from its owner what is the owner's", () => {
    for (const row of rows) assert.notEqual(row.statuses.owner, 404, named(row))
  })
})
