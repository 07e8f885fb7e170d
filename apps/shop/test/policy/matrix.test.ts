/**
 * The permission matrix: every route of the shop, called by every kind of caller, on a fresh record
 * each time. matrix.txt lists the statuses for review; `UPDATE=1` rewrites it. Assertions here hold
 * for every row, whatever the declarations say.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { anyone } from 'bindery-server'
import { type MatrixRow, permissionMatrix, printMatrix } from 'bindery-server/test'
import { resources } from '../../resources/index.ts'

const file = join(import.meta.dirname, 'matrix.txt')
const succeeds = (status = 500) => status < 400
const named = ({ method, path }: MatrixRow) => `${method} ${path}`
let rows: readonly MatrixRow[]

describe('the permission matrix', () => {
  before(async () => {
    // `npm run test:long` compares the explanation of each request with its answer, too.
    const explained = resources.map((one) => ({ ...one, explainAccess: anyone }))
    rows = await permissionMatrix(process.env.TEST_LONG === undefined ? resources : explained)
  })

  it('is the committed one', () => {
    const table = printMatrix(rows)
    if (process.env.UPDATE === '1') writeFileSync(file, table)
    assert.equal(table, readFileSync(file, 'utf8'))
  })

  it('lets no bad credential in anywhere, also where anonymous callers may go', () => {
    for (const row of rows) {
      assert.equal(row.statuses['k:inactive'], 401, named(row))
      assert.equal(row.statuses.suspended, 401, named(row))
    }
  })

  it('gives a key what its owner has, but for what a scope must name, and only a key the machine routes', () => {
    for (const row of rows) {
      const ofCredentials = ['apiKey', 'session', 'factor', 'linkedAccount'].includes(row.resource)
      const isManaged = (ofCredentials && row.method !== 'GET') || row.path === '/api/v1/users/:id/verify'
      if (isManaged) {
        for (const who of Object.keys(row.statuses).filter((one) => one.startsWith('k:') && one !== 'k:inactive'))
          assert.equal(row.statuses[who], 403, `${named(row)} by ${who}`)
        continue
      }
      for (const who of ['stranger', 'owner', 'EDITOR', 'ADMIN'] as const) {
        if (row.machine) assert.equal(row.statuses[who], 401, named(row))
        else assert.equal(row.statuses[`k:${who}`], row.statuses[who], `${named(row)} by ${who}`)
      }
    }
  })

  it('gives a higher role all that a lower one has on the records of others', () => {
    for (const row of rows) {
      const { anonymous, stranger, EDITOR, ADMIN } = row.statuses
      const rising = row.machine
        ? [row.statuses['k:stranger'], row.statuses['k:EDITOR'], row.statuses['k:ADMIN']]
        : [anonymous, stranger, EDITOR, ADMIN]
      for (const [i, status] of rising.entries()) {
        if (i > 0 && succeeds(rising[i - 1])) assert.ok(succeeds(status), named(row))
      }
    }
  })

  it('tells an anonymous caller 401 wherever it refuses; a record that is not for everybody is missing', () => {
    for (const row of rows) {
      const missing = row.method === 'GET' && row.byId && row.statuses.anonymous === 404
      assert.ok(succeeds(row.statuses.anonymous) || row.statuses.anonymous === 401 || missing, named(row))
    }
  })

  it("never hides from its owner what is the owner's", () => {
    for (const row of rows) assert.notEqual(row.statuses.owner, 404, named(row))
  })
})
