/**
 * Copies of the log. A lost machine loses seconds of writes, a restore says up to when its data go,
 * and any moment before can be restored.
 */
import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bindery, embedded, makeBindery } from '../cli/bindery.ts'
import { findingsOf, textOf } from '../cli/ward.ts'
import { adminEmail, password, removeFolder, spawnServer, temporaryFolder } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { startBucket } from './bucket-server.ts'
import { emptyFolder, idsIn, ran, refused, there } from './places.ts'

type Written = { readonly id: string; readonly title: string; readonly atMs: number }

async function logIn(url: string): Promise<string> {
  const body = JSON.stringify({ email: adminEmail, password })
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  return ((await answer.json()) as { accessToken: string }).accessToken
}

/**
 * Writes `perSecond` records a second until it is stopped or the server ends, and notes each
 * acknowledged write with its time.
 */
function startWriting(url: string, token: string, perSecond: number) {
  const written: Written[] = []
  const controller = new AbortController()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const write = async (i: number) => {
    const title = `W ${i}`
    const body = JSON.stringify({ title, price: 1 })
    const answer = await fetch(`${url}/api/v1/editions`, { method: 'POST', headers, body, signal: controller.signal })
    if (answer.status === 201)
      written.push({ id: ((await answer.json()) as { id: string }).id, title, atMs: Date.now() })
  }
  let i = 0
  const timer = setInterval(() => void write(i++).catch(() => undefined), 1000 / perSecond)
  return {
    written,
    stop() {
      clearInterval(timer)
      controller.abort()
    },
  }
}

function serveUntilEnd(t: TestContext, options: { env: Record<string, string> }) {
  const server = spawnServer(options)
  t.after(() => server.child.exitCode ?? server.child.signalCode ?? server.stop('SIGKILL'))
  return server
}

/** Of a copy: whoever closes a database as the last one brings its log into the file. */
function idsNow(folder: string): Set<string> {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  const ids = idsIn(copy)
  removeFolder(copy)
  return ids
}

async function waitForBases(copies: string, count = 1): Promise<void> {
  for (;;) {
    const names = existsSync(copies) ? readdirSync(copies, { recursive: true, encoding: 'utf8' }) : []
    const bases = names.filter((name) => /base-[^/]*\.tar\.zst(\.age)?$/.test(name) && !name.includes('.bindery-'))
    if (bases.length >= count) return
    await sleep(50)
  }
}

type Loss = {
  readonly env: Record<string, string>
  readonly copies: string
  readonly ms: number
  readonly perSecond: number
}

/**
 * Serves, writes, and loses the machine. Returns how many milliseconds of acknowledged writes are
 * lost.
 */
async function loseMachine(t: TestContext, bindery: Bindery, { env, copies, ms, perSecond }: Loss): Promise<number> {
  const folder = temporaryFolder()
  const server = serveUntilEnd(t, { env: { ...embedded, ...env, DATA_DIR: folder } })
  await server.wrote('Bindery is ready on') // the processes start one after the other
  const url = await server.ready()
  await waitForBases(copies)
  const writer = startWriting(url, await logIn(url), perSecond)
  await sleep(ms)
  await until(() => writer.written.length >= 20, 'some writes')
  const goneMs = Date.now()
  await server.stop('SIGKILL')
  writer.stop()
  removeFolder(folder)
  const name = `restored-${goneMs}`
  const target = emptyFolder(bindery, name)
  const told = await ran(bindery, ['restore', `${copies}/`, '--yes'], there(target))
  const ids = idsIn(target)
  const untilMs = Date.parse(told.at)
  for (const { id, atMs } of writer.written)
    if (atMs < untilMs) assert.ok(ids.has(id), `a write of ${untilMs - atMs} ms before ${told.at} is missing`)
  const lost = writer.written.filter(({ id }) => !ids.has(id))
  rmSync(target, { recursive: true })
  return lost.length === 0 ? 0 : goneMs - Math.min(...lost.map(({ atMs }) => atMs))
}

describe('copies of the log', () => {
  it('loses seconds when the machine is gone, with several processes', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const lostMs: number[] = []
    // A machine that stands still meanwhile loses more, but hardly each time.
    for (let i = 0; i < 3 && (lostMs.at(-1) ?? Infinity) > 10_000; i += 1) {
      const copies = bindery.path(`copies-${i}`)
      const env = { WAL_COPY: copies, WORKERS: '2' }
      lostMs.push(await loseMachine(t, bindery, { env, copies, ms: 3000, perSecond: 50 }))
    }
    assert.ok((lostMs.at(-1) as number) <= 10_000, `${lostMs} ms of writes are lost`)
  })

  it('goes on after a process was killed, and back to a moment', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const bucket = await startBucket(t, 'house')
    const env = { ...embedded, ...bucket, DATA_DIR: bindery.folder, WAL_COPY: 's3://house/copies' }
    const first = serveUntilEnd(t, { env })
    const url = await first.ready()
    await first.wrote('Copies of the log reach back')
    const writer = startWriting(url, await logIn(url), 50)
    await sleep(1500)
    const doctor = async (laterMs = 0) => {
      const found = await findingsOf({ env, nowMs: Date.now() + laterMs })
      return found.filter(({ check }) => check === 'log copies').map(textOf)
    }
    assert.match((await doctor()).join(), /^ok log copies \| .* \| copied up to \S+Z \| $/)
    await first.stop('SIGKILL')
    writer.stop()
    assert.match((await doctor(180_000)).join(), /^warn log copies .* 3 minutes ago \| Is a server running\?/)
    const before = idsNow(bindery.folder)
    const between = new Date().toISOString()
    await sleep(20)
    const second = serveUntilEnd(t, { env })
    const again = startWriting(await second.ready(), await logIn(await second.ready()), 50)
    await sleep(1000)
    again.stop()
    await second.stop()
    assert.match((await doctor(180_000)).join(), /^ok log copies .*, the end of the last server/)
    assert.doesNotMatch(second.stdout(), /do not continue|stream/)
    const options = (folder: string) => {
      const { env: where } = there(folder)
      return { env: { ...where, ...bucket } }
    }
    const last = emptyFolder(bindery, 'last')
    await ran(bindery, ['restore', 's3://house/copies', '--yes'], options(last))
    assert.deepEqual(idsIn(last), idsIn(bindery.folder))
    const earlier = emptyFolder(bindery, 'earlier')
    // The next process copied the last writes of the killed one, and says so
    const told = await ran(bindery, ['restore', 's3://house/copies', '--yes', '--at', between], options(earlier))
    assert.ok(told.at <= between)
    const ids = idsIn(earlier)
    for (const { id, atMs } of writer.written) if (atMs < Date.parse(told.at)) assert.ok(ids.has(id))
    for (const id of ids) assert.ok(before.has(id))
    assert.match(
      await refused(
        bindery,
        ['restore', 's3://house/copies', '--yes', '--at', '2020-01-01T00:00Z'],
        options(emptyFolder(bindery, 'no')),
      ),
      /There is no backup in .* from before that time/,
    )
  })

  it('begins anew, and says so, where something else has written the log into the file', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const copies = bindery.path('copies')
    const server = serveUntilEnd(t, { env: { ...embedded, DATA_DIR: bindery.folder, WAL_COPY: copies } })
    const url = await server.ready()
    await waitForBases(copies)
    const writer = startWriting(url, await logIn(url), 50)
    await sleep(500)
    const other = new DatabaseSync(bindery.path('bindery.db'), { timeout: 5000 })
    other.exec('PRAGMA wal_checkpoint(RESTART)')
    other.close()
    await server.wrote('The copies of the log do not continue')
    await waitForBases(copies, 2)
    writer.stop()
    await server.stop()
    const target = emptyFolder(bindery, 'target')
    await ran(bindery, ['restore', `${copies}/`, '--yes'], there(target))
    assert.deepEqual(idsIn(target), idsIn(bindery.folder))
    // A backup that is newer than the copies is what a restore takes
    const told = await ran(bindery, ['restore', `${copies}/`, '--check'])
    assert.deepEqual([told.name, told.good], [copies, true])
    assert.ok(told.stretches > 0)
    await ran(bindery, ['import', 'editions'], { input: '{"title":"Later","price":1}\n' })
    const { name } = await ran(bindery, ['backup', `${copies}/`])
    const newer = emptyFolder(bindery, 'newer')
    assert.equal((await ran(bindery, ['restore', `${copies}/`, '--yes'], there(newer))).name, join(copies, name))
    assert.deepEqual(idsIn(newer), idsIn(bindery.folder))
    rmSync(join(copies, name))
    // Damaged copies are refused: one stretch, and the whole copy
    const names = readdirSync(copies, { recursive: true, encoding: 'utf8' }).sort()
    const stretch = names.filter((one) => /\/\d+-\d+\.zst$/.test(one)).at(-1) ?? ''
    truncateSync(join(copies, stretch), 40)
    const checking = await refused(bindery, ['restore', `${copies}/`, '--check'])
    assert.match(checking, /damaged or cut off/)
    const base = names.filter((one) => /base-.*\.zst$/.test(one)).at(-1) ?? ''
    truncateSync(join(copies, base), 5000)
    const no = emptyFolder(bindery, 'no')
    assert.match(await refused(bindery, ['restore', `${copies}/`, '--yes'], there(no)), /damaged or cut off/)
    assert.deepEqual(readdirSync(no), [])
  })

  it('twenty times under 100 writes a second', long, async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const losses: number[] = []
    for (let i = 0; i < 20; i += 1) {
      const copies = bindery.path(`copies-${i}`)
      const loss = { env: { WAL_COPY: copies }, copies, ms: 3000 + Math.random() * 5000, perSecond: 100 }
      losses.push(await loseMachine(t, bindery, loss))
      rmSync(copies, { recursive: true })
    }
    t.diagnostic(`lost: ${losses.map((ms) => `${ms} ms`).join(', ')}`)
    assert.ok(Math.max(...losses) <= 10_000)
  })
})
