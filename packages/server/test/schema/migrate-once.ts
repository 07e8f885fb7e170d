/**
 * Migrates a database to the declarations after one schema change, in a separate process that a
 * test can kill.
 */
import { migrateStorage, parseDatabase } from '../../src/storage/open.ts'
import { catalogOf, type SchemaChange } from './changes.ts'
import { killedChanges } from './killed-changes.ts'

const change = killedChanges[Number(process.argv[2])] as SchemaChange
const folder = process.env.DATA_DIR as string
const database = parseDatabase(process.env, folder)
const losses = { folder, stamp: String(process.pid) }
process.stdout.write('begun\n')
await migrateStorage(database, catalogOf(change.after), { losses, allowed: change.allowed ?? [] })
process.stdout.write('done\n')
