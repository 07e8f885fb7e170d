/**
 * The types that `bindery types` writes: correct requests compile without a cast, and wrong ones do
 * not compile.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { makeBindery } from '../cli/bindery.ts'
import { typesOfMachines } from './typed-application.ts'

const root = join(import.meta.dirname, '../../../..')

/** Each `@ts-expect-error` is an error itself where the line is right. */
const use = `
import { createClient } from 'bindery-server/client'
import type { components, paths } from './api.ts'
const client = createClient<paths>({ url: 'http://localhost' })
const path = { id: 'x' }

const { data, meta } = await client.get('/api/v1/editions', { query: { limit: 5, sort: ['-price'], 'price[gte]': 3 } })
data.reduce((sum, { price }) => sum + price, 0) satisfies number
meta.total satisfies number
const walked = await client.get('/api/v1/editions', { query: { cursor: '' } })
walked.meta.nextCursor satisfies string | null
const narrow = await client.get('/api/v1/editions', { query: { fields: ['title'] } })
narrow.data[0]?.title satisfies string | undefined
// @ts-expect-error not asked for
narrow.data[0]?.price
for await (const { price } of client.all('/api/v1/editions')) price satisfies number
for await (const { since } of client.all('/api/v1/shelves')) since satisfies number | null
for await (const { text } of client.all('/api/v1/letters')) text satisfies string

const asked = await client.get('/api/v1/opinions', {
  query: { stars: 4, 'createdAt[gte]': new Date(0), 'stars[in]': [3, 4], filter: { or: [{ edition: { price: { lt: 3 } } }, { member: { role: { eq: 'ADMIN' } } }] } },
})
asked.data[0]?.stars satisfies number | undefined
await client.get('/api/v1/editions', { query: { 'shelfId[within]': 3 } })
const summary = await client.get('/api/v1/editions/summary', {
  query: { group: ['subject', 'createdAt.week'], sum: ['copies'], average: 'price', sort: ['-count'], limit: 3, _tz: 'Europe/Berlin', filter: { title: { contains: 'x' } } },
})
const [group] = summary.data
group?.count satisfies number | undefined
group?.subject satisfies string | null | undefined
group?.['createdAt.week'] satisfies string | null | undefined
group?.sum?.copies satisfies number | undefined
group?.average?.price satisfies number | null | undefined

const edition: components['schemas']['Edition'] = await client.get('/api/v1/editions/{id}', { path })
await client.patch('/api/v1/editions/{id}', { path, body: { price: 3 }, ifMatch: edition })
const made = await client.post('/api/v1/editions', { body: { title: 'x', price: 3 } })
made.price satisfies number
;(await client.delete('/api/v1/editions/{id}', { path })) satisfies undefined
await client.edit('/api/v1/editions/{id}', { path }, ({ copies }) => ({ copies: (copies ?? 0) + 1 }))
const loan = await client.post('/api/v1/loans/{id}/lend', { path })
loan.status satisfies string
const pair = await client.post('/api/v1/auth/login', { body: { email: 'x', password: 'y' } })
pair.accessToken satisfies string

// @ts-expect-error no such path
await client.get('/api/v1/edition')
// @ts-expect-error no such method
await client.put('/api/v1/letters/{id}', { path, body: {} })
// @ts-expect-error an id is needed
await client.get('/api/v1/editions/{id}')
// @ts-expect-error no such parameter
await client.get('/api/v1/editions', { query: { colour: 'red' } })
// @ts-expect-error no such field
await client.get('/api/v1/editions', { query: { fields: ['titel'] } })
// @ts-expect-error no such field
await client.get('/api/v1/editions', { query: { 'prise[gte]': 3 } })
// @ts-expect-error numbers have no such operator
await client.get('/api/v1/editions', { query: { 'price[contains]': '3' } })
// @ts-expect-error no such field
await client.get('/api/v1/editions', { query: { filter: { prise: { gte: 3 } } } })
// @ts-expect-error a wrong type
await client.get('/api/v1/editions', { query: { filter: { price: { gte: '3' } } } })
// @ts-expect-error no such value of the record that is referred to
await client.get('/api/v1/opinions', { query: { filter: { member: { role: { eq: 'BOSS' } } } } })
// @ts-expect-error children are asked about nowhere
await client.get('/api/v1/editions', { query: { filter: { opinions: { stars: { eq: 3 } } } } })
// @ts-expect-error no such field
await client.get('/api/v1/editions/summary', { query: { group: ['subjekt'] } })
// @ts-expect-error a text has no sum
await client.get('/api/v1/editions/summary', { query: { sum: ['title'] } })
// @ts-expect-error the members of the document's object are the parameters
await client.get('/api/v1/editions/summary', { query: { summary: { group: 'subject' } } })
// @ts-expect-error a list that is complete has no cursor
await client.get('/api/v1/shelves', { query: { cursor: '' } })
// @ts-expect-error no such field to sort by
await client.get('/api/v1/editions', { query: { sort: ['-colour'] } })
// @ts-expect-error no such relation
await client.get('/api/v1/editions', { query: { expand: ['colour'] } })
// @ts-expect-error no such relation at the beginning of a path
await client.get('/api/v1/editions', { query: { expand: ['shelv(limit:3).editions'] } })
// @ts-expect-error a wrong type
await client.get('/api/v1/editions', { query: { 'price[gte]': 'a' } })
// @ts-expect-error a wrong type in a list
await client.get('/api/v1/editions', { query: { 'price[in]': ['a'] } })
await client.get('/api/v1/editions', {
  query: { sort: ['-price', 'title'], expand: ['shelf', 'opinions(limit:3).member'], 'price[in]': '3,4', 'price[null]': false },
})
// @ts-expect-error a wrong type
await client.patch('/api/v1/editions/{id}', { path, body: { price: '3' } })
// @ts-expect-error a field is missing
await client.post('/api/v1/editions', { body: { title: 'x' } })
// @ts-expect-error no such field
await client.post('/api/v1/editions', { body: { title: 'x', price: 3, colour: 'red' } })
`

/** Links, children in bodies, and exact numbers. */
const machines = `
import { createClient } from 'bindery-server/client'
import type { paths } from './machines-api.ts'
const client = createClient<paths>({ url: 'http://localhost' })
const path = { id: 'x' }

await client.get('/api/v1/machines', {
  query: { tags: 'x', 'tags[in]': ['x', 'y'], 'drivers[eq]': 'x', 'tags[null]': false, filter: { tags: { some: { name: { eq: 'x' } } } } },
})
await client.get('/api/v1/machines', {
  query: { 'tags[in]': 'x,y', filter: { or: [{ drivers: { none: { name: { startsWith: 'x' } } } }, { tags: { every: { weight: { gt: 3 } }, null: false } }, { tags: { in: ['x'] } }] } },
})
const job = await client.post('/api/v1/machines/{id}/measure', { path })
job.state satisfies 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
job.result?.wear satisfies number | undefined
// @ts-expect-error no such result
job.result?.tear
const followed = await client.get('/api/v1/_jobs/{id}', { path: { id: job.id } })
followed.endedAt satisfies string | null
await client.get('/api/v1/machines/summary', { query: { group: 'name', tags: 'x', filter: { tags: { some: { weight: { lt: 3 } } } } } })
// @ts-expect-error no such field of the linked record
await client.get('/api/v1/machines', { query: { filter: { tags: { some: { colour: { eq: 'x' } } } } } })
// @ts-expect-error a wrong type of the linked record
await client.get('/api/v1/machines', { query: { filter: { tags: { some: { weight: { eq: 'x' } } } } } })
// @ts-expect-error the linked records are asked about by a quantifier
await client.get('/api/v1/machines', { query: { filter: { tags: { name: { eq: 'x' } } } } })
// @ts-expect-error links have no such operator
await client.get('/api/v1/machines', { query: { 'tags[gt]': 'x' } })
// @ts-expect-error links are compared with ids
await client.get('/api/v1/machines', { query: { tags: 3 } })
// @ts-expect-error children are asked about nowhere
await client.get('/api/v1/machines', { query: { filter: { parts: { some: { label: { eq: 'x' } } } } } })
// @ts-expect-error children are asked about nowhere
await client.get('/api/v1/machines', { query: { parts: 'x' } })

const { data: [group] } = await client.get('/api/v1/machines/summary', {
  query: { sum: ['dailyRate', 'turns', 'seats'], average: 'dailyRate', least: ['turns'], 'dailyRate[gte]': 3, filter: { turns: { lt: '3' } } },
})
group?.sum?.dailyRate satisfies string | undefined
group?.sum?.turns satisfies string | undefined
group?.sum?.seats satisfies number | undefined
group?.average?.dailyRate satisfies string | null | undefined
// @ts-expect-error the sum of a decimal is a text
group?.sum?.dailyRate satisfies number | undefined
// @ts-expect-error a text has no sum
await client.get('/api/v1/machines/summary', { query: { sum: ['name'] } })
// @ts-expect-error a choice has no sum, though its values look like numbers
await client.get('/api/v1/machines/summary', { query: { sum: ['grade'] } })
// @ts-expect-error a decimal contains no text
await client.get('/api/v1/machines', { query: { 'dailyRate[contains]': '3' } })
// @ts-expect-error a decimal is no time
await client.get('/api/v1/machines/summary', { query: { group: ['dailyRate.week'] } })

const dailyRate: string = '12.50'
const body = { name: 'x', dailyRate, parts: [{ label: 'x' }] }
const made = await client.post('/api/v1/machines', { body, query: { expand: ['parts', 'tags'] } })
made.parts.map(({ label, size }): [string, number | null] => [label, size])
made.tags.map(({ name }): string => name)
made.dailyRate satisfies string | null
const changed = await client.patch('/api/v1/machines/{id}', { path, body: { turns: '3' }, query: { expand: 'parts' } })
changed.parts.length satisfies number
// @ts-expect-error not asked for
changed.tags.length
const replaced = await client.put('/api/v1/machines/{id}', { path, body: { name: 'x' }, query: { expand: ['drivers'] } })
replaced.drivers.map(({ name, _link }): [string, string | undefined] => [name, _link?.role])
const edited = await client.edit('/api/v1/machines/{id}', { path, query: { expand: ['parts'] } }, ({ name }) => ({ name }))
edited.parts.length satisfies number
const difference = await client.get('/api/v1/machines/{id}/history/difference', { path, query: { from: 1, to: 2 } })
difference.fields satisfies string[]
difference.to.historyVersion satisfies number | null
difference.from.name satisfies string | null | undefined
// @ts-expect-error: a version is a number
await client.get('/api/v1/machines/{id}/history/difference', { path, query: { from: 'x' } })
const plain = await client.post('/api/v1/machines', { body })
// @ts-expect-error not asked for
plain.parts.length
// @ts-expect-error no such relation
await client.post('/api/v1/machines', { body, query: { expand: ['colour'] } })
// @ts-expect-error no such field, beside a query
await client.post('/api/v1/machines', { body: { name: 'x', colour: 'red' }, query: { expand: ['parts'] } })

const narrow = await client.get('/api/v1/machines/{id}', { path, query: { fields: ['tags', 'drivers'] } })
narrow.tags.map((id): string => id)
narrow.drivers.map(({ id, role }): [string, 'LEAD' | 'SPARE'] => [id, role])
// @ts-expect-error not among the fields
narrow.name
const both = await client.get('/api/v1/machines', { query: { fields: ['name', 'tags'], expand: ['drivers'] } })
both.data[0]?.tags satisfies string[] | undefined
both.data[0]?.drivers[0]?.name satisfies string | undefined
const deep = await client.get('/api/v1/machines/{id}', { path, query: { fields: ['tags.name'] } })
deep.tags.map(({ name }): string => name)
// @ts-expect-error not among the fields of the linked record
deep.tags[0]?.weight
for await (const { tags } of client.all('/api/v1/machines', { query: { fields: 'tags' } })) tags satisfies string[]
`

const misspelt = `
import { createClient } from 'bindery-server/client'
import type { paths } from './api.ts'
await createClient<paths>({ url: 'http://localhost' }).get('/api/v1/editions', { query: { subjekt: 'x' } })
`

/** As a program assigns them that is as strict as the compiler can be. */
const providers = `
import type { AuthProvider, DataProvider } from '@refinedev/core'
import { createClient } from 'bindery-server/client'
import { makeAuthProvider as makeAdminAuth, makeDataProvider as makeAdminData } from 'bindery-server/react-admin'
import { makeAuthProvider, makeDataProvider } from 'bindery-server/refine'
import type { AuthProvider as AdminAuth, DataProvider as AdminData } from 'ra-core'
const client = createClient({ url: 'http://localhost' })
export const refine: [AuthProvider, DataProvider] = [makeAuthProvider(client), makeDataProvider(client)]
export const admin: [AdminAuth, AdminData] = [makeAdminAuth(client), makeAdminData(client)]
`

test('types of one’s own resources, and requests that the compiler checks by them', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const { code, stdout, stderr } = await makeBindery(t).run(['types'])
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stdout, /undefined|\[object/)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  }
  const files = {
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({
      compilerOptions,
      files: ['use.ts', 'machines.ts', 'misspelt.ts', 'providers.ts'],
    }),
    'api.ts': stdout,
    'use.ts': use,
    'machines-api.ts': typesOfMachines(),
    'machines.ts': machines,
    'misspelt.ts': misspelt,
    'providers.ts': providers,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', folder], { encoding: 'utf8' })
  // One error, of the one line that has it, which names what was meant in a few lines.
  assert.match(
    compiled.stdout,
    /^(?:\S*\/)?misspelt\.ts\(\d+,\d+\): error TS\d+: [^\n]*Did you mean to write 'subject'\?\n$/,
  )
  assert.ok(compiled.stdout.length < 600, compiled.stdout)
})
