/** Opens a SQLite file as commands do, again and again. Each time it looks, writes, and closes. */
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { mugCatalog, mugs, servedHeldMs } from './beside.ts'
import { tester } from './library.ts'

const [, , path = '', times = '1'] = process.argv

for (let i = 0; i < Number(times); i += 1) {
  const storage = await openSqlite(path, mugCatalog, { heldMs: servedHeldMs })
  await storage.changes.catchUp()
  await storage.transaction(tester, (transaction) => transaction.insert(mugs, { label: `command ${i}` }))
  await storage.changes.catchUp()
  await storage.close()
}
