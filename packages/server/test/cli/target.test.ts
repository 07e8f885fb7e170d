/** What exports write to: a disk that is full is told as such, whenever it says so. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTarget } from '../../src/cli/lines/target.ts'
import type { Output } from '../../src/cli/terminal/output.ts'

const output = {} as Output // for standard output alone

for (const waitMs of [0, 50])
  it(`ends with the reason when a device took nothing, ${waitMs} ms after the last line`, {
    timeout: 5_000,
  }, async () => {
    const target = await openTarget('/dev/full', output)
    await target.write('a line\n')
    await sleep(waitMs)
    await assert.rejects(target.finish(), /the disk is full/)
  })
