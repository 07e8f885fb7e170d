/**
 * A failed begin of a snapshot leaves no open transaction. A read that is cached for one snapshot
 * runs again in the next, so reads see all writes.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { openConnection, type SqliteConnection } from '../../src/storage/sqlite/connection.ts'
import { makeSnapshot } from '../../src/storage/sqlite/read/snapshot.ts'

/** Two connections to a new database with a table, until the test ends. */
function openBoth(t: TestContext): { readonly reader: SqliteConnection; readonly writer: SqliteConnection } {
  const folder = temporaryFolder()
  const path = join(folder, 'test.db')
  const writer = openConnection(path, { readOnly: false, make: true })
  writer.database.exec('CREATE TABLE notes (id INTEGER)')
  const reader = openConnection(path, { readOnly: true })
  t.after(() => {
    reader.database.close()
    writer.database.close()
    removeFolder(folder)
  })
  return { reader, writer }
}

for (const heldMs of [0, 5])
  test(`after a failed first read, held for ${heldMs} ms, no snapshot is open`, (t) => {
    const { reader, writer } = openBoth(t)
    let calls = 0
    const failing: SqliteConnection = {
      ...reader,
      guard(work, statement) {
        calls += 1
        if (calls === 2) throw new Error('disk I/O error') // after BEGIN, by the first read
        return reader.guard(work, statement)
      },
    }
    const snapshot = makeSnapshot(failing, writer, heldMs)
    const count = () => snapshot.within(() => reader.all({ sql: 'SELECT count(*) FROM notes', parameters: [] }))
    assert.throws(count, /disk I\/O error/)
    assert.equal(reader.database.isTransaction, false)
    writer.database.exec('INSERT INTO notes VALUES (1)')
    assert.deepEqual(count(), [[1]])
    snapshot.end()
  })

for (const heldMs of [0, 60_000])
  test(`what is read once is read anew in each snapshot, held for ${heldMs} ms`, (t) => {
    // the process need not wait for the end of the time
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { reader, writer } = openBoth(t)
    const snapshot = makeSnapshot(reader, writer, heldMs)
    let reads = 0
    const count = snapshot.once(() => {
      reads += 1
      return reader.first({ sql: 'SELECT count(*) FROM notes', parameters: [] })?.[0]
    })
    const twice = () => snapshot.within(() => [count(), count()])
    assert.deepEqual(twice(), [0, 0])
    assert.equal(reads, 1)
    snapshot.end() // as before each commit
    writer.database.exec('INSERT INTO notes VALUES (1)')
    assert.equal(count(), 1, 'outside of a snapshot')
    assert.deepEqual(twice(), [1, 1])
    assert.equal(reads, 3)
    snapshot.end()
  })
