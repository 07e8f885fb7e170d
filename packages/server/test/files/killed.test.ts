/**
 * A service that is killed while it takes, attaches, replaces and sweeps files. Each record has its
 * file with all bytes, and after a sweep no file is without a record.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { shortOr } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { filePlace } from './file-place.ts'
import { objectsOf } from './sample-files.ts'

type Box = { readonly id: string; readonly label: File | null; readonly papers: readonly File[] }
type File = { readonly id: string; readonly size: number; readonly sha256: string; readonly url: string }

/** A client that makes, changes and removes boxes until the service is gone. `done`: after each. */
async function work(api: string, done: () => void): Promise<void> {
  const bytes = () => randomBytes(randomInt(1, 150_000))
  const send = async (method: string, path: string, body?: Uint8Array | FormData): Promise<Box | undefined> => {
    const reply = await fetch(`${api}${path}`, { method, ...(body && { body: body as never }) })
    const text = await reply.text()
    done()
    return reply.status < 300 && text !== '' ? (JSON.parse(text) as Box) : undefined
  }
  for (;;)
    try {
      const form = new FormData()
      form.append('label', new Blob([bytes()]), 'a.bin')
      const made = await send('POST', '/boxes', form)
      if (!made) continue
      await send('PUT', `/boxes/${made.id}/label`, bytes())
      await send('POST', `/boxes/${made.id}/papers`, bytes())
      if (randomInt(2) === 0) await send('DELETE', `/boxes/${made.id}/label`)
      if (randomInt(3) === 0) await send('DELETE', `/boxes/${made.id}`)
    } catch {
      return // it has been killed
    }
}

async function allBoxes(api: string): Promise<Box[]> {
  const found: Box[] = []
  for (let page = 1; ; page += 1) {
    const reply = await fetch(`${api}/boxes?limit=100&page=${page}`)
    const { data, meta } = (await reply.json()) as { data: Box[]; meta: { hasNextPage: boolean } }
    found.push(...data)
    if (!meta.hasNextPage) return found
  }
}

async function checkBytes(api: string, { size, sha256, url }: File): Promise<void> {
  const reply = await fetch(new URL(url, api))
  assert.equal(reply.status, 200, url)
  const bytes = Buffer.from(await reply.arrayBuffer())
  assert.deepEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')], [size, sha256])
}

test('no record without its file, and after a sweep no file without its record', async (t) => {
  const { folder, start, stop } = await filePlace(t)
  for (let kill = 0; kill < shortOr(3, 20); kill += 1) {
    const { api } = await start()
    let left = randomInt(5, 60)
    const enough = Promise.withResolvers<void>()
    const done = () => {
      left -= 1
      if (left === 0) enough.resolve()
    }
    const clients = Array.from({ length: 4 }, () => work(api, done))
    await enough.promise
    await stop('SIGKILL')
    await Promise.all(clients)
  }
  const { api } = await start({ AHEAD_MS: String(48 * 3_600_000) })
  const boxes = await allBoxes(api)
  const files = boxes.flatMap(({ label, papers }) => [...(label ? [label] : []), ...papers])
  assert.ok(boxes.length > 0 && files.length > 0, 'something was stored')
  for (const file of files) await checkBytes(api, file)
  const expected = files
    .flatMap(({ id }) => ['original', 'original.sha256'].map((name) => `files/${id.slice(0, 2)}/${id}/${name}`))
    .sort()
  await until(() => objectsOf({ folder }).join() === expected.join(), 'the sweep leaves the files of records alone')
})

/** Kilobytes, of the most that a process has held, and holds. */
function memoryOf({ pid }: ChildProcess): { most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return { most: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) }
}

async function* blocks(count: number): AsyncGenerator<Uint8Array> {
  const block = randomBytes(1_000_000)
  for (let i = 0; i < count; i += 1) yield block
}

test('a large file needs no more memory than a small one', { skip: process.platform !== 'linux' }, async (t) => {
  const { start } = await filePlace(t)
  const { api, child } = await start()
  const made = (await (
    await fetch(`${api}/boxes`, {
      method: 'POST',
      body: '{"title":"L"}',
      headers: { 'content-type': 'application/json' },
    })
  ).json()) as Box
  async function there(megabytes: number): Promise<void> {
    const init = { method: 'PUT', body: ReadableStream.from(blocks(megabytes)), duplex: 'half' }
    const reply = await fetch(`${api}/boxes/${made.id}/label`, init as RequestInit)
    const { label } = (await reply.json()) as Box
    assert.equal(label?.size, megabytes * 1_000_000)
    const back = await fetch(`${api}/boxes/${made.id}/label`)
    const hash = createHash('sha256')
    for await (const chunk of back.body as ReadableStream<Uint8Array>) hash.update(chunk)
    assert.equal(hash.digest('hex'), label?.sha256)
  }
  await there(40)
  const before = memoryOf(child).most
  await there(shortOr(100, 1_000))
  const grown = (memoryOf(child).most - before) / 1000
  t.diagnostic(`it grew by ${grown.toFixed(1)} MB`)
  assert.ok(grown < 32, `it grew by ${grown.toFixed(1)} MB`)
})

test('a scan goes on after a kill, and its file is unreadable until then', async (t) => {
  const { start, stop } = await filePlace(t, 'scan-server.ts')
  const { api, child } = await start({ SCAN: 'hangs' })
  const scanning = once(child, 'message')
  const form = new FormData()
  form.append('label', new Blob(['some bytes']), 'a.bin')
  const made = (await (await fetch(`${api}/boxes`, { method: 'POST', body: form })).json()) as Box
  assert.deepEqual(await scanning, ['scans a.bin', undefined])
  const read = async (at: string) => (await fetch(`${at}/boxes/${made.id}/label`)).status
  assert.equal(await read(api), 409)
  await stop('SIGKILL')
  const again = await start({ SCAN: 'passed', AHEAD_MS: '600000' })
  await until(async () => (await read(again.api)) === 200, 'the scan has passed')
})
