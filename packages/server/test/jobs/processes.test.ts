/**
 * Two processes on one database. A queue runs in order over both. The jobs of a process that is
 * killed run in the other one, and a cancellation reaches the process that runs the job.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { databaseOf, makeAsk, removeDatabase, removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'

test('two processes share the jobs of one database', async (t) => {
  const folder = temporaryFolder()
  t.after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const CLOCK = join(folder, 'clock')
  let nowMs = Date.now()
  const turn = (ms: number) => {
    nowMs += ms
    writeFileSync(`${CLOCK}.new`, String(nowMs))
    renameSync(`${CLOCK}.new`, CLOCK)
  }
  turn(0)
  const env = { DATA_DIR: folder, PORT: '0', CLOCK, ...(await databaseOf(folder)) }
  const said: string[] = []
  const start = async (ROLE: string) => {
    const args = [join(import.meta.dirname, 'worker.ts')]
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env, ROLE },
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const kill = async () => {
      child.kill('SIGKILL')
      await ended
    }
    t.after(kill)
    createInterface({ input: child.stdout }).on('line', (line) => void said.push(line))
    const isReady = (line: string) => line.startsWith('ready ') && line.endsWith(` ${ROLE}`)
    await until(() => said.some(isReady), `${ROLE} is ready`)
    return { kill, ask: makeAsk(said.find(isReady)?.split(' ')[1] ?? '') }
  }
  const linesOf = (start: string) => said.filter((line) => line.split(' ')[1]?.startsWith(start))
  const one = await start('one')
  const page = await one.ask('POST', '/api/v1/pages', { body: { title: 'all' } })
  assert.equal(page.status, 201, page.text)
  const print = async ({ ask }: typeof one, body: object) => {
    const printed = await ask('POST', `/api/v1/pages/${page.body.id}/print`, { body })
    assert.equal(printed.status, 200, printed.text)
  }

  await print(one, { texts: ['a1'], queue: 'a', hangsIn: 'one' })
  await print(one, { texts: ['k1'], key: 'k', hangsIn: 'one' })
  await until(() => linesOf('a1').length + linesOf('k1').length === 2, 'both run in the first process')
  const two = await start('two')
  await print(two, { texts: ['a2', 'a3'], queue: 'a' })
  await print(two, { texts: ['k2'], key: 'k' })
  const many = Array.from({ length: 20 }, (_, i) => `q${String(i).padStart(2, '0')}`)
  for (const [i, text] of many.entries()) await print(i % 2 ? one : two, { texts: [text], queue: 'q' })
  await until(() => linesOf('q').filter((line) => line.startsWith('end')).length === 20, 'the queue ran')
  const inOrder = many.flatMap((text) => [`begin ${text}`, `end ${text}`])
  assert.deepEqual(
    linesOf('q').map((line) => line.split(' ').slice(0, 2).join(' ')),
    inOrder,
  )
  assert.deepEqual(linesOf('k2'), [], 'one for the key')

  const stopped = await two.ask('POST', `/api/v1/pages/${page.body.id}/stop`, { body: { key: 'k' } })
  assert.equal(stopped.status, 200, stopped.text)
  await print(two, { texts: ['k3'], key: 'k' })
  await until(() => linesOf('k3').length === 2, 'the key is free')
  assert.deepEqual(linesOf('k1'), ['begin k1 one'], 'it was ended, and did not run again')

  await one.kill()
  assert.deepEqual(linesOf('a'), ['begin a1 one'])
  turn(61_000)
  await until(() => linesOf('a').length === 7, 'the other process has taken them')
  assert.deepEqual(
    linesOf('a').slice(1),
    ['a1', 'a2', 'a3'].flatMap((text) => [`begin ${text} two`, `end ${text} two`]),
  )
})
