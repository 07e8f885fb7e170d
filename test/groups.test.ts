/**
 * A failing hook of a file fails this file alone, and not those that share its process. A server
 * that the file leaves open does not keep the process.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { groupFiles, preloads } from './groups.ts'

const folder = mkdtempSync(join(tmpdir(), 'bindery-groups-'))
after(() => rmSync(folder, { recursive: true }))

/** Its second hook would close its server, and the runner skips it. */
const failing = `
  import { createServer } from 'node:http'
  import { after, test } from 'node:test'
  const server = createServer().listen(0)
  after(() => { throw new Error('a hook that fails') })
  after(() => server.close())
  test('first', () => {})
`
const whole = `
  import assert from 'node:assert/strict'
  import { executionAsyncId } from 'node:async_hooks'
  import { after, before, describe, test } from 'node:test'
  let isOpen = false
  before(() => { isOpen = true })
  after(() => { console.log('closed') })
  test('second', () => assert.ok(isOpen))
  describe('nested', () => {
    test('third', async () => assert.ok(await isOpen))
  })
  test('has no hook that follows its promises', async () => {
    await null
    const id = executionAsyncId()
    await null
    assert.equal(executionAsyncId(), id)
  })
`

/** A group of these files in a process, as the runner starts it. */
async function runGroup(sources: Readonly<Record<string, string>>) {
  const files = Object.entries(sources).map(([name, source]) => {
    const file = join(folder, name)
    writeFileSync(file, source)
    return file
  })
  const { paths } = groupFiles(files, folder)
  const { NODE_TEST_CONTEXT: _, BINDERY_TEST_WORK: __, ...env } = process.env
  const child = spawn(process.execPath, [...preloads, '--test-reporter=tap', ...paths], {
    env: { ...env, TEST_LINGER_SECONDS: '0.5' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, errors, code: code as number | null }
}

test('a failing hook fails its own file alone, and the process ends', async () => {
  const { out, errors, code } = await runGroup({ 'a.test.ts': failing, 'b.test.ts': whole, 'c.test.ts': whole })
  assert.match(out, /^not ok 1 - .*a\.test\.ts$/m, out)
  assert.match(out, /a hook that fails/)
  assert.match(out, /^ok 2 - .*b\.test\.ts$/m)
  assert.match(out, /^ok 3 - .*c\.test\.ts$/m)
  assert.doesNotMatch(out, /^(?:not )?ok 4/m)
  assert.equal(out.match(/^ {4}ok 1 - second$/gm)?.length, 2)
  assert.equal(out.match(/^ {8}ok 1 - third$/gm)?.length, 2)
  assert.equal(out.match(/^closed$/gm)?.length, 2)
  assert.match(errors, /these are open: .*TCPServerWrap/)
  assert.equal(code, 1)
})

/** Its second suite declares its test when the first one's could have begun. */
const late = `
  import assert from 'node:assert/strict'
  import { executionAsyncId } from 'node:async_hooks'
  import { describe, test } from 'node:test'
  import { setTimeout as sleep } from 'node:timers/promises'
  describe('at once', () => {
    test('has no hook that follows its promises', async () => {
      await null
      const id = executionAsyncId()
      await null
      assert.equal(executionAsyncId(), id)
    })
  })
  describe('late', async () => {
    await sleep(50)
    describe('later', async () => {
      await sleep(50)
      test('is declared in its suite', () => {})
    })
  })
`

test('suites that declare their tests later have them, before any runs', async () => {
  const { out, code } = await runGroup({ 'd.test.ts': late, 'b.test.ts': whole })
  assert.match(out, /^ {8}ok 1 - has no hook that follows its promises$/m, out)
  assert.match(out, /^ {12}ok 1 - is declared in its suite$/m, out)
  assert.match(out, /^ok 2 - .*b\.test\.ts$/m)
  assert.equal(code, 0)
})

test('a process that leaves nothing open ends by itself', async () => {
  const { out, errors, code } = await runGroup({ 'b.test.ts': whole })
  assert.match(out, /^ok 1 - .*b\.test\.ts$/m)
  assert.doesNotMatch(errors, /these are open/)
  assert.equal(code, 0)
})
