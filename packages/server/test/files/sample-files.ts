/** Files of known types, and what a service has stored of files. */

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { makeFileRoom } from '../../src/files/file-room.ts'
import { receiveUpload } from '../../src/files/uploads/receive-upload.ts'
import { makeOutgoing } from '../../src/outgoing/outgoing.ts'
import { fileFields, fileTableName } from '../../src/resource/made/file-table.ts'
import { parseStore } from '../../src/settings/store-settings.ts'
import type { Row } from '../../src/storage/storage.ts'
import { bucketFetchOf } from '../../src/stores/bucket-fetch.ts'
import { type ObjectStore, openObjectStore } from '../../src/stores/object-store.ts'
import type { TestPerson, TestService } from '../../src/testing/index.ts'

/** One pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')

/** The names of all objects in the store of a service, also unfinished ones. */
export function objectsOf({ folder }: Pick<TestService, 'folder'>): string[] {
  const root = join(folder, 'files')
  return globSync('**/*', { cwd: root, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(root.length + 1))
    .sort()
}

/** The rows of files; of these ids where there are some. */
export async function rowsOf({ service }: TestService, ids?: readonly string[]): Promise<Row[]> {
  const { storage, catalog } = service.engine
  const sort = [{ field: fileFields.id, descending: false }]
  const where = ids ? ({ kind: 'in', field: fileFields.id, values: ids } as const) : ({ kind: 'true' } as const)
  return storage.list(catalog.get(fileTableName), { where, sort, limit: 10_000, after: null })
}

type TestUpload = {
  readonly resource: string
  readonly field: string
  readonly bytes: Uint8Array
  readonly name?: string
  readonly type?: string
  /** The id of the tenant that the request names. */
  readonly tenant?: string
}

export function roomOf({ service: { engine }, folder }: TestService) {
  const bounds = { uploadKeptMs: 86_400_000, waitingMax: 1_000, waitingBytesMax: 1e12 }
  const room = makeFileRoom(engine, { store: { folder: join(folder, 'files') }, ...bounds }, engine.outgoing)
  if (!room) throw new Error('no field holds a file')
  return room
}

/** An upload of this person that no record has yet. Returns its id. */
export async function uploadFor(
  own: TestService,
  person: Pick<TestPerson, 'token'>,
  upload: TestUpload,
): Promise<string> {
  const { engine } = own.service
  const credentials = { authorization: `Bearer ${person.token}`, keyHeader: undefined, keyParameter: undefined }
  const caller = await engine.identity.identify(credentials, { machine: false })
  const { resource, field, bytes, name, type, tenant = null } = upload
  const purpose = { resource: engine.catalog.get(resource), field, caller, tenant, address: '127.0.0.1' }
  async function* pieces() {
    yield Buffer.from(bytes)
  }
  // Bytes whose number is not announced have a row that is ready.
  const sent = { name, type, size: undefined, bytes: pieces() }
  return (await receiveUpload(roomOf(own), purpose, sent)).id
}

/** A store beside a service: a folder, or a bucket with these keys. */
export async function storeAt(
  t: Pick<TestContext, 'after'>,
  text: string,
  env: Record<string, string>,
): Promise<ObjectStore> {
  const outgoing = makeOutgoing({ allow: [], proxy: {} })
  t.after(() => outgoing.close())
  const setting = parseStore('FILES_STORE', text, env)
  assert.ok(setting)
  return openObjectStore(setting, bucketFetchOf(outgoing))
}
