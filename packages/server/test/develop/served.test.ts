/** The server process of `bindery dev`: of its output the end is kept, where the mistake is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareApplication } from '../../src/develop/application-process.ts'

test('of what a process says for hours, its end is kept, where the mistake stands', async (t) => {
  t.mock.method(process.stderr, 'write', () => true)
  const talk = `process.once('message', () => {
    const line = 'a warning of each request, with é in it '.repeat(100)
    for (let i = 0; i < 500; i += 1) console.error(line)
    console.error('app.ts:3 the mistake')
    process.exitCode = 1
    process.disconnect()
  })`
  const { started } = prepareApplication([process.execPath, '-e', talk], import.meta.dirname).serve()
  const ended = await started
  assert.ok(typeof ended !== 'string')
  assert.equal(ended.code, 1)
  assert.ok(ended.errors.endsWith('app.ts:3 the mistake\n'))
  assert.ok(ended.errors.length < 200_000, `${ended.errors.length} characters`)
})
