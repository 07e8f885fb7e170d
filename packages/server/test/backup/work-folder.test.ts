/**
 * The work folder of a backup is deleted in steps. To delete a file of gigabytes at once would
 * delay the commits of others on that disk.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { inWorkFolder } from '../../src/backup/work-folder.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'

const bytes = 200 << 20

function makeFile(file: string): void {
  writeFileSync(file, '')
  truncateSync(file, bytes)
}

/** The sizes that the file had while the work was done, as this thread saw them. */
async function sizesDuring(file: () => string, work: () => Promise<unknown>): Promise<number[]> {
  const sizes: number[] = []
  const timer = setInterval(() => sizes.push(statSync(file(), { throwIfNoEntry: false })?.size ?? 0), 1)
  await work()
  clearInterval(timer)
  return sizes.filter((size) => size > 0 && size < bytes)
}

function folderOf(t: TestContext): string {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  return folder
}

test('what was made is removed in steps, also after an error, and this thread does other things meanwhile', async (t) => {
  const base = folderOf(t)
  for (const fails of [false, true]) {
    let file = ''
    const work = inWorkFolder.bind(undefined, base, async (folder: string) => {
      file = join(folder, 'database.db')
      makeFile(file)
      if (fails) throw new Error('as it happens')
    })
    const sizes = await sizesDuring(
      () => file,
      () => work().catch(() => undefined),
    )
    assert.ok(sizes.length > 2, `seen ${sizes}`)
    assert.deepEqual(readdirSync(base), [])
  }
})

test('so is what a killed process has left', async (t) => {
  const base = folderOf(t)
  const left = join(base, `.bindery-work-${hostname()}-999999999-abc`)
  mkdirSync(join(left, 'deeper'), { recursive: true })
  const file = join(left, 'deeper', 'database.db')
  makeFile(file)
  const sizes = await sizesDuring(
    () => file,
    () => inWorkFolder(base, async () => assert.ok(!existsSync(left))),
  )
  assert.ok(sizes.length > 2, `seen ${sizes}`)
  assert.deepEqual(readdirSync(base), [])
})

test('in a container the killed process had the number of this one, or the machine another name', async (t) => {
  const base = folderOf(t)
  const make = (of: string, hoursAgo: number) => {
    const folder = join(base, `.bindery-work-${of}-abc`)
    mkdirSync(folder)
    const at = new Date(Date.now() - hoursAgo * 3_600_000)
    utimesSync(folder, at, at)
    return folder
  }
  const hoursUp = process.uptime() / 3600
  const left = [make(`${hostname()}-${process.pid}`, hoursUp + 1), make('b1946ac92492-1', 25)]
  const inUse = [make('d2347235ee61-1', 1)]
  await inWorkFolder(base, async (own) => {
    await inWorkFolder(base, async () => assert.ok(existsSync(own), 'one at work beside it'))
    for (const folder of left) assert.ok(!existsSync(folder), folder)
    for (const folder of inUse) assert.ok(existsSync(folder), folder)
  })
})
