/** Files get their names on file systems without hard links, such as exFAT and some shares. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, describe, it, type TestContext } from 'node:test'
import { placeFile } from '../../src/base/disk/durable-file.ts'
import { keepInFile } from '../../src/storage/sqlite/file/secret-file.ts'
import { embedded, makeBindery } from '../cli/bindery.ts'

const { linkSync } = fs
before(() => {
  fs.linkSync = () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
  }
  syncBuiltinESMExports()
})
after(() => {
  fs.linkSync = linkSync
  syncBuiltinESMExports()
})

describe('without hard links', { concurrency: false }, () => {
  it('a file gets a free name, and never replaces another one', (t: TestContext) => {
    const { path } = makeBindery(t, embedded)
    fs.writeFileSync(path('part'), 'whole')
    placeFile(path('part'), path('file'))
    assert.equal(fs.readFileSync(path('file'), 'utf8'), 'whole')
    fs.writeFileSync(path('part'), 'other')
    assert.throws(() => placeFile(path('part'), path('file')), { code: 'EEXIST' })
    assert.equal(fs.readFileSync(path('file'), 'utf8'), 'whole')
    const drawn = 'x'.repeat(64)
    assert.equal(keepInFile(path('jwt-secret'), drawn), drawn)
    assert.equal(keepInFile(path('jwt-secret'), 'y'.repeat(64)), drawn)
  })

  it('the commands back up to a file and a folder, refuse what is there, and restore', async (t: TestContext) => {
    const { path, run, folder } = makeBindery(t, embedded)
    assert.equal((await run(['migrate'])).code, 0)
    fs.mkdirSync(path('backups'))
    for (const to of ['one.bak', 'backups']) {
      const { code, stderr } = await run(['backup', path(to)])
      assert.equal(code, 0, stderr)
    }
    const again = await run(['backup', path('one.bak')])
    assert.deepEqual([again.code, /is there already/.test(again.stderr)], [1, true], again.stderr)
    fs.mkdirSync(path('elsewhere'))
    const restored = await run(['restore', path('one.bak'), '--yes'], { env: { DATA_DIR: path('elsewhere') } })
    assert.equal(restored.code, 0, restored.stderr)
    assert.ok(fs.readdirSync(path('elsewhere')).includes('bindery.db'), fs.readdirSync(folder).join())
  })
})
