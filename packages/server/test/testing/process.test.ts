/**
 * A process that a test starts ends with the test file, also when the test fails before it stops
 * the process.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const forever = "console.log('started'); setInterval(() => {}, 1000)"

test('a failed test leaves no process, and its file ends', () => {
  const program = `
    import { spawnServer } from ${JSON.stringify(import.meta.resolve('../../src/testing/process.ts'))}
    const server = spawnServer({ cwd: '.', command: [process.execPath, '-e', ${JSON.stringify(forever)}] })
    await server.wrote('started')
    console.log(server.child.pid)`
  const pid = Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 240_000 }))
  assert.ok(pid > 0)
  const isGone = () => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  }
  // The signal is sent before the file ends; the system may take a moment to end the process.
  while (!isGone());
})

test('a service on PostgreSQL starts one where the run has none, and stops it', () => {
  const program = `
    import { anyone, defineResource, id } from ${JSON.stringify(import.meta.resolve('../../src/index.ts'))}
    import { startService } from ${JSON.stringify(import.meta.resolve('../../src/testing/index.ts'))}
    const things = defineResource({ name: 'thing', path: '/things', fields: { id: id() }, list: { style: 'page' }, access: { read: anyone, create: anyone } })
    const start = () => startService([things], { on: 'postgres' })
    for (const services of [await Promise.all([start(), start()]), [await start()]]) {
      for (const { ask } of services) console.log((await ask('POST', '/api/v1/things', { body: {} })).status)
      for (const { stop } of services) await stop()
    }`
  const { BINDERY_TEST_POSTGRES: _, ...env } = process.env
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, timeout: 240_000 })
  assert.equal(String(printed), '201\n201\n201\n')
})
