/**
 * Attempts to run an own document in spite of `GRAPHQL_DOCUMENTS`: every way to send one, or to
 * have it taken for another. Only the documents that the operator has listed run.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { removeFolder, startService, type TestService, temporaryFolder } from '../helpers/application.ts'

const folder = temporaryFolder()
const list = '{ shelves { data { id } } }'
const two = 'query One { shelves { data { id } } } query Two { shelves { data { label } } }'
const own = '{ __schema { queryType { name } } }'
const write = 'mutation { createShelf(input: { label: "mine" }) { id } }'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const persisted = (text: string, more: object = {}) => ({
  persistedQuery: { version: 1, sha256Hash: sha256(text), ...more },
})

let service: TestService
before(async () => {
  const file = join(folder, 'documents.json')
  writeFileSync(file, JSON.stringify({ list, two }))
  service = await startService({ GRAPHQL_DOCUMENTS: file })
})
after(async () => {
  await service?.stop()
  removeFolder(folder)
})

/** The codes of the errors; empty where it was run. */
async function codes(body: unknown, headers: Record<string, string> = {}): Promise<string[]> {
  const reply = await service.ask('POST', '/graphql', { body, headers })
  return reply.body.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code) ?? []
}
const unlisted = ['QUERY_NOT_IN_SAFELIST']
const unknown = ['PERSISTED_QUERY_NOT_IN_LIST']

describe('a document that is not listed', () => {
  for (const [what, body, said] of [
    ['as text', { query: own }, unlisted],
    ['with the id of one that is', { query: own, documentId: 'list' }, unlisted],
    ['with its own hash, to be remembered', { query: own, extensions: persisted(own) }, unlisted],
    ['by that hash afterwards', { extensions: persisted(own) }, unknown],
    ['by its hash as an id', { documentId: sha256(own) }, unknown],
    ['by its hash with the prefix', { documentId: `sha256:${sha256(own)}` }, unknown],
    ['with the hash of one that is', { query: own, extensions: persisted(list) }, ['BAD_USER_INPUT']],
    [
      'with that hash in capitals',
      { query: own, extensions: persisted(list, { sha256Hash: sha256(list).toUpperCase() }) },
      ['BAD_USER_INPUT'],
    ],
    ['with that hash and another version', { query: own, extensions: persisted(list, { version: 2 }) }, unlisted],
    [
      'with a hash that is a list',
      { query: own, extensions: persisted(list, { sha256Hash: [sha256(list)] }) },
      unlisted,
    ],
    ['after one that is', { query: `${list} ${write}` }, unlisted],
    ['behind a comment', { query: `# ${list}\n${own}` }, unlisted],
    ['as a name of every object', { documentId: 'constructor' }, unknown],
    ['as the prototype', { documentId: 'toString' }, unknown],
    ['as no name', { documentId: '' }, unknown],
    ['as an empty text', { query: '', documentId: 'list' }, unlisted],
    ['a mutation', { query: write }, unlisted],
    ['in a batch', [{ documentId: 'list' }, { query: own }], ['BAD_USER_INPUT']],
    ['an alias more', { query: list.replace('shelves', 'a: shelves') }, unlisted],
    ['a field more', { query: list.replace('id', 'id label') }, unlisted],
    ['a directive more', { query: list.replace('id', 'id @include(if: true)') }, unlisted],
  ] as const)
    it(`is not run ${what}`, async () => assert.deepEqual(await codes(body), said))

  it('is not run by a GET, as a form, or as text', async () => {
    const get = (query: string) => service.ask('GET', `/graphql?${query}`)
    for (const query of [
      `query=${encodeURIComponent(own)}`,
      `query=${encodeURIComponent(own)}&documentId=list`,
      `extensions=${encodeURIComponent(JSON.stringify(persisted(own)))}`,
    ]) {
      const { body } = await get(query)
      assert.ok(body.errors?.length === 1 && body.data === undefined, JSON.stringify(body))
    }
    assert.equal(
      (await get(`documentId=list&query=${encodeURIComponent(own)}&query=${encodeURIComponent(list)}`)).status,
      400,
    )
    for (const type of [
      'application/graphql',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
    ]) {
      const { status } = await service.ask('POST', '/graphql', { raw: own, type })
      assert.equal(status, 415, type)
    }
  })

  it('is not run after listed ones were, in other spellings and by name', async () => {
    assert.deepEqual(await codes({ documentId: 'list' }), [])
    assert.deepEqual(await codes({ query: `${list}   # the same` }), [])
    assert.deepEqual(await codes({ query: two, operationName: 'Two' }), [])
    assert.deepEqual(await codes({ query: own }), unlisted)
  })
})
