/**
 * The files that exports write: a full disk is reported as such, whenever it fails, and only the
 * file's owner may open it.
 */
import assert from 'node:assert/strict'
import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTarget } from '../../src/cli/lines/target.ts'
import type { Output } from '../../src/command/output.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { stuckMs } from '../helpers/until.ts'

const output = {} as Output // for standard output alone

for (const waitMs of [0, 50])
  it(`ends with the reason when a device took nothing, ${waitMs} ms after the last line`, {
    timeout: stuckMs,
  }, async () => {
    const target = await openTarget('/dev/full', output)
    await target.write('a line\n')
    await sleep(waitMs)
    await assert.rejects(target.finish(), /the disk is full/)
  })

it('makes a file that its owner alone may open, and leaves one as it was opened to others', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const file = join(folder, 'people.ndjson')
  const modeAfter = async (options: Parameters<typeof openTarget>[2]) => {
    const target = await openTarget(file, output, options)
    await target.write('a line\n')
    await target.finish()
    return statSync(file).mode & 0o777
  }
  assert.equal(await modeAfter({}), 0o600)
  chmodSync(file, 0o640)
  assert.equal(await modeAfter({ force: true }), 0o640)
  assert.equal(await modeAfter({ force: true, private: true }), 0o600)
})
