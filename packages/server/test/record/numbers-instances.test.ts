/**
 * Two engines on one database count the same series: no number comes twice, and none is left out.
 * Some writes are undone, and some lock two series in the opposite order.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { autoNumber, defineResource, id } from '../../src/index.ts'
import { always } from '../../src/resource/condition.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from '../../src/testing/index.ts'

const bill = defineResource({ name: 'bill', fields: { id: id(), no: autoNumber() }, access: {} })
const receipt = defineResource({ name: 'receipt', fields: { id: id(), no: autoNumber() }, access: {} })

const folder = temporaryFolder()
const config = readConfig({ DATA_DIR: folder, ...(await databaseOf(folder)) })
const engines = [
  await openEngine(config, [bill, receipt], { making: 'fresh' }),
  await openEngine(config, [bill, receipt], { making: 'fresh' }),
] as const
after(async () => {
  for (const engine of engines) await engine.storage.close()
  await removeDatabase(folder)
  removeFolder(folder)
})

const writes = 32
const orders = [
  ['bill', 'receipt'],
  ['receipt', 'bill'],
] as const

async function write(at: number): Promise<void> {
  const { records, catalog } = engines[at % 2] as (typeof engines)[0]
  await records.transaction(serviceAuthor, async (tx) => {
    for (const name of orders[at % 4 < 2 ? 0 : 1]) await tx.insert(await tx.prepare(catalog.get(name), {}))
    if (at % 8 === 0) throw new Error('undone')
  })
}

it('no number twice, and no gap', async () => {
  const done = await Promise.allSettled(Array.from({ length: writes }, (_, at) => write(at)))
  const undone = done.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))
  assert.deepEqual(
    undone,
    Array.from({ length: writes / 8 }, () => 'undone'),
  )
  for (const name of ['bill', 'receipt']) {
    const [{ storage, catalog }] = engines
    const rows = await storage.list(catalog.get(name), {
      where: always,
      sort: [{ field: 'no', descending: false }],
      limit: writes,
    })
    assert.deepEqual(
      rows.map(({ no }) => no),
      Array.from({ length: writes - writes / 8 }, (_, at) => at + 1),
    )
  }
})
