/** A file that cannot be removed holds up no other. */
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { sweepFiles } from '../../src/files/sweep-files.ts'
import type { DeclaredResource } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'
import { resources } from './file-resources.ts'
import { png, roomOf, rowsOf, uploadFor } from './sample-files.ts'
import { tusClient, uploadsPath } from './tus-client.ts'

it('the sweep removes what it can, tells what it cannot, and does that the next time', async (t) => {
  const service = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  t.after(() => service.stop())
  const ann = await service.person()
  const tus = tusClient(service.url, ann.token)
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1) {
    const begun = await tus.begin({ resource: 'things', field: 'photo' }, png.length)
    const path = String(begun.headers.location)
    assert.ok(path.startsWith(uploadsPath))
    assert.equal((await tus.patch(path, 0, png)).status, 204)
    assert.equal((await tus.send('DELETE', path)).status, 204)
    ids.push(path.slice(uploadsPath.length + 1))
  }
  const kept = await uploadFor(service, ann, { resource: 'thing', field: 'photo', bytes: png })
  const [stuck = ''] = ids
  const folder = join(service.folder, 'files/files', stuck.slice(0, 2), stuck)
  const elsewhere = join(service.folder, 'elsewhere')
  mkdirSync(elsewhere)
  renameSync(folder, join(elsewhere, 'own'))
  symlinkSync(join(elsewhere, 'own'), folder)
  const sweep = () => sweepFiles(roomOf(service), { isStopped: () => false, areHeld: async () => false })
  await assert.rejects(sweep, /is a link/)
  assert.deepEqual(
    (await rowsOf(service)).map(({ id, state }) => `${id} ${state}`).sort(),
    [`${kept} ready`, `${stuck} going`].sort(),
  )
  rmSync(folder)
  assert.equal(await sweep(), 1)
  assert.deepEqual(
    (await rowsOf(service)).map(({ id }) => id),
    [kept],
  )
})
