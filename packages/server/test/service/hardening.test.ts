/**
 * The process around a running service: the modes of its files, and the signal that would open a
 * debugger.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import {
  databaseOf,
  removeDatabase,
  removeFolder,
  spawnServer,
  startService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { withMails } from '../mail/people.ts'
import { notes, people } from './people.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

it('files that others could read are their owner’s after a start, and the log says so', async () => {
  const folder = temporaryFolder()
  after(() => removeFolder(folder))
  const env = { DATA_DIR: folder }
  const database = join(folder, 'bindery.db')
  const first = await startService([...people, notes], { env, on: 'sqlite' })
  await first.stop()
  for (const file of [database, join(folder, 'jwt-secret')]) chmodSync(file, 0o644)
  chmodSync(folder, 0o755)
  const second = await startService([...people, notes], { env, on: 'sqlite' })
  const own = [folder, database, `${database}-wal`, `${database}-shm`, join(folder, 'jwt-secret')].map(modeOf)
  await second.stop()
  assert.deepEqual(own, ['700', '600', '600', '600', '600'])
  const said = second.logged.filter((line) => line.includes('now only its owner may open it'))
  assert.deepEqual(
    said.map((line) => /(\S+) had the mode (\d+)/.exec(line)?.slice(1)),
    [
      [folder, '0755'],
      [database, '0644'],
    ],
  )
  const third = await startService([...people, notes], { env, on: 'sqlite' })
  await third.stop()
  assert.ok(!third.logged.some((line) => line.includes('had the mode')))
})

it('the data folder, and that of mails, whose links open accounts, are their owner’s after a start on any database', async () => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const mails = join(folder, 'mail')
  mkdirSync(mails)
  for (const open of [mails, folder]) chmodSync(open, 0o755)
  const service = await startService(withMails, { env })
  const modes = [mails, folder].map(modeOf)
  await service.stop()
  assert.deepEqual(modes, ['700', '700'])
  for (const open of [mails, folder])
    assert.ok(service.logged.some((line) => line.includes(`${open} had the mode 0755; now only its owner may open it`)))
})

it('SIGUSR1 opens no debugger, neither in the leader nor in a worker; an open door without a limit is told', async () => {
  const server = spawnServer({
    command: ['notes-main.ts'],
    cwd: import.meta.dirname,
    env: { WORKERS: '2', HOST: '0.0.0.0' },
  })
  const url = await server.ready()
  const leader = server.child.pid as number
  const children = readFileSync(`/proc/${leader}/task/${leader}/children`, 'utf8').trim().split(' ').map(Number)
  assert.equal(children.length, 2)
  for (const pid of [leader, ...children]) process.kill(pid, 'SIGUSR1')
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal((await fetch(`${url}/livez`)).status, 200)
  assert.equal((await server.stop()).code, 0)
  assert.doesNotMatch(server.stderr(), /Debugger/)
  assert.match(server.stdout(), /RATE_LIMIT is not set, and others can reach 0\.0\.0\.0/)
})
