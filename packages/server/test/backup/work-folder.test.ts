/** The folder in which a backup is made goes in steps: a file of gigabytes that goes at once holds up the commits of others on that disk. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
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
