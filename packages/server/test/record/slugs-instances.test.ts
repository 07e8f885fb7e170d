/**
 * Two engines on one database make slugs of the same titles at once: each record gets one of its
 * own, and no write fails.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { defineResource, id, slug, text } from '../../src/index.ts'
import { always } from '../../src/resource/condition.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from '../../src/testing/index.ts'

const pages = defineResource({
  name: 'page',
  fields: { id: id(), title: text({ required: true }), slug: slug({ from: 'title' }) },
  access: {},
})
const folder = temporaryFolder()
const config = readConfig({ DATA_DIR: folder, ...(await databaseOf(folder)) })
const engines = [
  await openEngine(config, [pages], { making: 'fresh' }),
  await openEngine(config, [pages], { making: 'fresh' }),
] as const
after(async () => {
  for (const engine of engines) await engine.storage.close()
  await removeDatabase(folder)
  removeFolder(folder)
})

const writes = 24

/** Every third one stores two records with another title between them. */
async function write(at: number): Promise<void> {
  const { records, catalog } = engines[at % 2] as (typeof engines)[0]
  const page = catalog.get('page')
  await records.transaction(serviceAuthor, async (tx) => {
    const titles = at % 3 === 0 ? ['Same', 'Other', 'Same'] : ['Same']
    for (const title of titles) await tx.insert(await tx.prepare(page, { title }))
  })
}

it('each title at once has a slug of its own', async () => {
  const done = await Promise.allSettled(Array.from({ length: writes }, (_, at) => write(at)))
  assert.deepEqual(
    done.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : [])),
    [],
  )
  const [{ storage, catalog }] = engines
  const sort = [{ field: 'slug', descending: false }]
  const rows = await storage.list(catalog.get('page'), { where: always, sort, limit: 100 })
  const slugsOf = (title: string) => rows.filter((row) => row.title === title).map((row) => row.slug)
  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => (i === 0 ? name : `${name}-${i + 1}`)).sort()
  assert.deepEqual(slugsOf('Same'), numbered('same', writes + writes / 3))
  assert.deepEqual(slugsOf('Other'), numbered('other', writes / 3))
})
