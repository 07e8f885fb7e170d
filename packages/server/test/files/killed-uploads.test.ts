/**
 * Parallel uploads by tus whose connections are cut at random, while the service is killed again
 * and again. Each arrives whole, nothing half is left, and doctor agrees. `npm run test:uploads`
 * does a hundred of them.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../helpers/until.ts'
import { filePlace } from './file-place.ts'
import { objectsOf } from './sample-files.ts'
import { idOf, type TusClient, tusClient, uploadsPath } from './tus-client.ts'

const uploads = Number(process.env.UPLOADS ?? 10)
const kills = Number(process.env.UPLOAD_KILLS ?? 1)
const bytesMax = Number(process.env.UPLOAD_BYTES ?? 400_000)

type Finding = { readonly check: string; readonly level: string; readonly what: string }
type Served = { url: string }
type File = { readonly id: string; readonly size: number; readonly sha256: string; readonly url: string }
type Box = { readonly title: string; readonly label: File | null }

/** A request may end without an answer: it is sent to the service that runs then. */
const client = ({ url }: Served): TusClient => tusClient(url)

/** Sends the bytes in pieces, most of them cut, until all are there. Returns the address. */
async function sendAll(at: Served, bytes: Buffer, counted: { cuts: number }): Promise<string> {
  let path: string | undefined
  for (;;) {
    await pause(1)
    if (path === undefined) {
      const begun = await client(at).begin({ resource: 'boxes', field: 'label', filename: 'a.bin' }, bytes.length)
      if (begun.status === 201) path = String(begun.headers.location)
      continue
    }
    const looked = await client(at).send('HEAD', path)
    if (looked.status !== 200) {
      assert.equal(looked.status, 0, 'an upload is never lost')
      continue
    }
    const offset = Number(looked.headers['upload-offset'])
    if (offset === bytes.length) return path
    const rest = bytes.subarray(offset)
    const isCut = randomInt(3) > 0
    if (isCut) counted.cuts += 1
    await client(at).patch(path, offset, rest, isCut ? { cutAfter: randomInt(1, rest.length + 1) } : {})
  }
}

async function boxesOf({ url }: Served): Promise<readonly Box[]> {
  const found: Box[] = []
  for (let page = 1; ; page += 1) {
    const reply = await fetch(`${url}/api/v1/boxes?limit=100&page=${page}`)
    const { data, meta } = (await reply.json()) as { data: Box[]; meta: { hasNextPage: boolean } }
    found.push(...data)
    if (!meta.hasNextPage) return found
  }
}

/** Makes a record with the upload. The answer may be lost, so it asks whether there is one. */
async function attach(at: Served, title: string, id: string): Promise<void> {
  for (;;) {
    const init = { method: 'POST', body: JSON.stringify({ title, label: id }) }
    const headers = { 'content-type': 'application/json' }
    try {
      const reply = await fetch(`${at.url}/api/v1/boxes`, { ...init, headers })
      if (reply.status === 201) return
      assert.equal(reply.status, 400, await reply.text())
      assert.ok(
        (await boxesOf(at)).some((box) => box.title === title),
        'its answer was lost',
      )
      return
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      await pause(20)
    }
  }
}

test('arrive whole, though cut and killed', async (t) => {
  const { folder, start, stop, command } = await filePlace(t)
  const addressOf = (api: string) => new URL(api).origin
  const env = { RATE_LIMIT: '', UPLOADS_WAITING: '1000' }
  const at: Served = { url: addressOf((await start(env)).api) }
  const counted = { cuts: 0 }
  let done = 0
  const sent = Array.from({ length: uploads }, (_, i) => ({
    title: `Box ${i}`,
    bytes: randomBytes(randomInt(1, bytesMax)),
  }))
  const all = Promise.all(
    sent.map(async ({ title, bytes }, i) => {
      // Some are given up half way.
      if (i % 5 === 4) {
        const begun = await client(at).begin({ resource: 'boxes', field: 'label' }, bytes.length)
        if (begun.status === 201)
          await client(at).patch(String(begun.headers.location), 0, bytes, { cutAfter: Math.ceil(bytes.length / 2) })
      }
      await attach(at, title, idOf(await sendAll(at, bytes, counted)))
      done += 1
    }),
  )
  for (let kill = 0; kill < kills; kill += 1) {
    const goal = Math.min(uploads - 1, Math.floor(((kill + 1) * uploads) / (kills + 1)))
    await Promise.race([until(() => done >= goal, 'uploads go on'), pause(randomInt(50, 1_500))])
    await stop('SIGKILL')
    at.url = addressOf((await start(env)).api)
  }
  await all
  t.diagnostic(`${uploads} uploads, ${counted.cuts} cuts, ${kills} kills`)
  await stop('SIGTERM')
  const later = { url: addressOf((await start({ ...env, AHEAD_MS: String(48 * 3_600_000) })).api) }
  const boxes = await boxesOf(later)
  assert.equal(new Set(boxes.map(({ title }) => title)).size, boxes.length, 'each upload has one record')
  assert.equal(boxes.length, uploads)
  for (const { title, bytes } of sent) {
    const label = boxes.find((box) => box.title === title)?.label as File
    const served = await fetch(new URL(label.url, later.url))
    const found = Buffer.from(await served.arrayBuffer())
    const sum = createHash('sha256').update(bytes).digest('hex')
    assert.ok(found.equals(bytes) && label.sha256 === sum && label.size === bytes.length, title)
  }
  const expected = boxes
    .flatMap(({ label }) => {
      const { id } = label as File
      return ['original', 'original.sha256'].map((name) => `files/${id.slice(0, 2)}/${id}/${name}`)
    })
    .sort()
  await until(() => objectsOf({ folder }).join() === expected.join(), 'the sweep leaves the files of records alone')
  const gone = await fetch(`${later.url}${uploadsPath}`, { method: 'OPTIONS' })
  assert.equal(gone.status, 204)
  if (kills === 1) return
  await stop('SIGTERM')
  const { findings } = (await command('doctor', '--deep')) as { findings: Finding[] }
  assert.deepEqual(
    findings.flatMap(({ check, level, what }) => (check === 'files' ? [[level, what]] : [])),
    [['ok', `${uploads} files: each has its row, its bytes and their SHA-256`]],
  )
})
