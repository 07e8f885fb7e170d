/**
 * Database files that are deleted or replaced while a server has them open. `bindery doctor` says
 * where the acknowledged writes still are, and how to keep them.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, type TestContext, test } from 'node:test'
import { removeFolder, startService, temporaryFolder } from '../../src/testing/index.ts'
import { findingsOf, textOf, ward } from './ward.ts'

const folder = temporaryFolder()
/** A whole database that is not the one that is served. */
const other = join(folder, 'other', 'bindery.db')

async function serve(t: TestContext, name: string) {
  const dir = join(folder, name)
  const service = await startService(ward, { on: 'sqlite', env: { DATA_DIR: dir } })
  t.after(() => service.service.stop())
  return { dir, service }
}

before(async () => {
  const service = await startService(ward, { on: 'sqlite', env: { DATA_DIR: join(folder, 'other') } })
  await service.stop()
})
after(() => removeFolder(folder))

/** Runs what the examination says, and returns whether the newest write is in the rescued copy. */
function rescue(t: TestContext, dir: string, todo: string | undefined): boolean {
  const copy = /(cp \S+ rescued\.db && cp \S+ rescued\.db-wal),/.exec(todo ?? '')?.[1] ?? ''
  assert.match(copy, /cp \/proc\/\d+\/fd\/\d+ /, todo ?? '')
  execFileSync('sh', ['-c', copy], { cwd: dir })
  const rescued = new DatabaseSync(join(dir, 'rescued.db'))
  t.after(() => rescued.close())
  return rescued.prepare("SELECT 1 FROM racks WHERE name = 'the newest'").get() !== undefined
}

const deletions: readonly (readonly [string, readonly string[]])[] = [
  ['the database', ['']],
  ['the database with its log', ['', '-wal', '-shm']],
  ['the log', ['-wal']],
]
for (const [what, ends] of deletions)
  test(`${what} is deleted while it is served: all that was answered can be rescued`, async (t) => {
    const { dir, service } = await serve(t, what.replaceAll(' ', '-'))
    assert.equal((await service.ask('POST', '/api/v1/racks', { body: { name: 'the newest' } })).status, 201)
    for (const end of ends) rmSync(join(dir, `bindery.db${end}`))
    const wrong = (await findingsOf({ env: { DATA_DIR: dir } })).filter(({ level }) => level === 'bad')
    assert.equal(wrong.length, 1, wrong.map(textOf).join('\n'))
    assert.ok(rescue(t, dir, wrong[0]?.todo))
    assert.equal((await service.ask('GET', '/readyz')).status, 503)
  })

test('a database that was replaced while it is served: what is open is rescued before its process is stopped', async (t) => {
  const { dir } = await serve(t, 'replaced')
  rmSync(join(dir, 'bindery.db'))
  copyFileSync(other, join(dir, 'bindery.db'))
  const found = (await findingsOf({ env: { DATA_DIR: dir } })).map(textOf)
  assert.ok(
    found.some((line) => /deleted from here.* \| Before you stop that process, cp \/proc\/\d+\/fd\/\d+ /.test(line)),
    found.join('\n'),
  )
})

test('a database that was moved away while it is served, and another put there', async (t) => {
  const { dir, service } = await serve(t, 'moved')
  const [file, old] = [join(dir, 'bindery.db'), join(dir, 'bindery.old')]
  renameSync(file, old)
  copyFileSync(other, file)
  const wrong = (await findingsOf({ env: { DATA_DIR: dir } })).filter(({ level }) => level !== 'ok').map(textOf)
  assert.ok(
    wrong.some((line) => line.includes(`moved from here to ${old}`) && line.includes('Stop that process')),
    wrong.join('\n'),
  )
  assert.equal((await service.ask('GET', '/readyz')).status, 503)
})
