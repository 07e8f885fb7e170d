/**
 * A running service reports up to when its log copies can be restored, and reports when nothing can
 * be.
 */
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService, temporaryFolder } from '../../src/testing/index.ts'
import { findingsOf, textOf, ward } from '../cli/ward.ts'

type Copies = { readonly at: string | null; readonly ageSeconds: number }

async function serve(t: TestContext, walCopy: string) {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder, DATABASE_URL: '', WAL_COPY: walCopy }
  const service = await startService(ward, { on: 'sqlite', env })
  t.after(() => service.service.stop())
  const { token } = await service.admin()
  return {
    async copies(): Promise<Copies> {
      const { body } = await service.ask('GET', '/readyz?details=true', { token })
      return body.details.logCopies
    },
    found: async () => (await findingsOf({ env })).map(textOf).filter((line) => line.includes('log copies')),
  }
}

test('copies that could be restored', async (t) => {
  const { copies, found } = await serve(t, join(temporaryFolder(), 'copies'))
  let told = await copies()
  for (; told.at === null; told = await copies()) await sleep(50)
  assert.ok(Date.now() - Date.parse(told.at) < 60_000)
  assert.match((await found()).join('\n'), /^ok log copies/)
  assert.doesNotMatch((await found()).join('\n'), /bad log copies/)
})

test('copies of which nothing could be restored', async (t) => {
  const place = temporaryFolder()
  mkdirSync(join(place, 'elsewhere'))
  symlinkSync(join(place, 'elsewhere'), join(place, 'log'))
  const { copies, found } = await serve(t, place)
  assert.equal((await copies()).at, null)
  assert.match((await found()).join('\n'), /^(warn|bad) log copies/m)
})
