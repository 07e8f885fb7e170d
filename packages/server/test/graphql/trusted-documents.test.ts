/**
 * `GRAPHQL_DOCUMENTS`: the server runs the documents of a file, by id, hash or text, and no others.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { removeFolder, startService, type TestService, temporaryFolder } from '../helpers/application.ts'

const folder = temporaryFolder()
const list = 'query List($limit: Int) {\n  shelves(limit: $limit) { data { id } }\n}'
const add = 'mutation Add($input: CreateShelfInput!) { createShelf(input: $input) { label } }'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function fileOf(name: string, json: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(json))
  return file
}

let service: TestService
before(async () => {
  const manifest = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [
      { id: 'list', name: 'List', type: 'query', body: list },
      { id: `sha256:${sha256(add)}`, name: 'Add', type: 'mutation', body: add },
    ],
  }
  service = await startService({ GRAPHQL_DOCUMENTS: fileOf('manifest.json', manifest) })
})
after(async () => {
  await service.stop()
  removeFolder(folder)
})

const post = async (body: object) => (await service.ask('POST', '/graphql', { body })).body
const codeOf = async (body: object) => (await post(body)).errors?.[0]?.extensions.code

test('a document of the list is answered by its id, its hash and its text, whatever its white space', async () => {
  const found = { data: { shelves: { data: [] } } }
  const persistedQuery = { version: 1, sha256Hash: sha256(list) }
  const asked = [
    { documentId: 'list' },
    { documentId: `sha256:${sha256(list)}` },
    { extensions: { persistedQuery } },
    { query: list },
    { query: list, extensions: { persistedQuery } },
    { query: `# why\n${list.replaceAll(/\s+/g, ' ')}` },
  ]
  for (const body of asked)
    assert.deepEqual(await post({ ...body, variables: { limit: 5 } }), found, JSON.stringify(body))
  const byGet = await service.ask('GET', '/graphql?documentId=list')
  assert.deepEqual(byGet.body, found)
  const variables = { input: { label: 'A', room: 'B' } }
  assert.deepEqual(await post({ documentId: sha256(add), variables }), { data: { createShelf: { label: 'A' } } })
  assert.equal((await service.ask('GET', `/graphql?documentId=${sha256(add)}`)).status, 405)
})

test('no other document is, also not for one who would register it', async () => {
  const query = '{ shelves { data { label } } }'
  const persistedQuery = { version: 1, sha256Hash: sha256(query) }
  assert.equal(await codeOf({ query }), 'QUERY_NOT_IN_SAFELIST')
  assert.equal(await codeOf({ query, documentId: 'list' }), 'QUERY_NOT_IN_SAFELIST')
  assert.equal(await codeOf({ query, extensions: { persistedQuery } }), 'QUERY_NOT_IN_SAFELIST')
  assert.equal(await codeOf({ extensions: { persistedQuery } }), 'PERSISTED_QUERY_NOT_IN_LIST')
  assert.equal(await codeOf({ query: '{ __schema { types { name } } }' }), 'QUERY_NOT_IN_SAFELIST')
  assert.equal(await codeOf({ query: '{' }), 'QUERY_NOT_IN_SAFELIST')
  assert.equal(await codeOf({ query: `{ ${'a '.repeat(100_000)} }` }), 'QUERY_NOT_IN_SAFELIST')
  assert.equal(await codeOf({}), 'BAD_USER_INPUT')
})

test('a file that cannot be right stops the start', async () => {
  const table: readonly (readonly [string, RegExp])[] = [
    [join(folder, 'none.json'), /GRAPHQL_DOCUMENTS: .*none\.json cannot be read/],
    [fileOf('list.json', []), /must be a JSON object/],
    [fileOf('number.json', { a: 1 }), /must have a text for each id/],
    [
      fileOf('field.json', { a: '{ shelves { datum } }' }),
      /has a document "a" that cannot run: Cannot query field "datum"/,
    ],
    [fileOf('syntax.json', { a: '{' }), /has a document "a" that cannot run: Syntax Error/],
  ]
  for (const [file, message] of table) await assert.rejects(startService({ GRAPHQL_DOCUMENTS: file }), { message })
})
