/**
 * A start that fails late leaves nothing behind: no thread, no port, no lock on the database or its
 * log.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { start } from '../../src/service/start.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { freePort } from '../../src/testing/postgres.ts'
import { keys, notes, people } from './people.ts'

const log = {
  request: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  ready: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  flush: async () => undefined,
}
const threads = () => process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort|TCPServer/.test(name))

/** The files of a folder that this process has open, where Linux says so. */
function openIn(folder: string): string[] {
  if (!existsSync('/proc/self/fd')) return []
  const linked = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return '' // the one by which they are listed
    }
  }
  return readdirSync('/proc/self/fd')
    .map(linked)
    .filter((file) => file.startsWith(folder))
}

it('leaves nothing running', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const before = threads()
  const metricsPort = await freePort()
  const env = { DATA_DIR: join(folder, 'data'), WAL_COPY: join(folder, 'copies'), METRICS_PORT: String(metricsPort) }
  const withPort = (port: number) => readConfig({ ...env, PORT: String(port) })
  const { port } = other.address() as AddressInfo
  await assert.rejects(start(withPort(port), [...people, keys, notes], { log }), {
    name: 'StartError',
    message: /in use/,
  })
  assert.ok(existsSync(env.WAL_COPY), 'the log was followed')
  assert.deepEqual(threads(), before)
  assert.deepEqual(openIn(folder), [])
  // A thread to follow the log cannot be started with what no thread could be given.
  const config = withPort(0)
  const unsound = { ...config, backups: { ...config.backups, to: [() => ''] as unknown as string[] } }
  await assert.rejects(start(unsound, [...people, keys, notes], { log }), { name: 'DataCloneError' })
  assert.deepEqual(openIn(folder), [])
  // The metrics port, the database and the hold on its log are free again.
  const service = await start(withPort(0), [...people, keys, notes], { log })
  assert.equal((await fetch(`${service.address}/readyz`)).status, 200)
  await service.stop()
})
