/** A snapshot that could not begin leaves nothing behind: reads after it see what was written since. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { type Connection, openConnection } from '../../src/storage/sqlite/connection.ts'
import { makeSnapshot } from '../../src/storage/sqlite/snapshot.ts'

for (const heldMs of [0, 5])
  test(`after a failed first read, held for ${heldMs} ms, no snapshot is open`, () => {
    const folder = temporaryFolder()
    const path = join(folder, 'test.db')
    const writer = openConnection(path, { readOnly: false })
    writer.database.exec('CREATE TABLE notes (id INTEGER)')
    const reader = openConnection(path, { readOnly: true })
    try {
      let calls = 0
      const failing: Connection = {
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
    } finally {
      reader.database.close()
      writer.database.close()
      removeFolder(folder)
    }
  })
