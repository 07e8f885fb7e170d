/**
 * Backs up a large database during 50 writes a second. No request takes over 250 ms because of it,
 * and it holds every write that was acknowledged before it began. The grown log and the removed
 * copy right after it count as well. The control are the times before and later, since a busy
 * machine is slow then, too. `BACKUP_ROWS` says how many rows.
 */
import assert from 'node:assert/strict'
import { createReadStream, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bindery, embedded, makeBindery } from '../cli/bindery.ts'
import { adminEmail, password, spawnServer } from '../helpers/application.ts'
import { emptyFolder, idsIn, ran, there } from './places.ts'

const rows = Number(process.env.BACKUP_ROWS ?? 1_000_000)
const slowMs = 250
/** So long after it what is slow is slow because of it. */
const echoMs = 15_000

type Taken = { readonly atMs: number; readonly ms: number; readonly id: string | undefined }

/** One write and one read each 20 ms, until it is stopped. */
async function startAsking(url: string) {
  const json = { 'content-type': 'application/json' }
  const logIn = await fetch(`${url}/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ email: adminEmail, password }),
    headers: json,
  })
  const { accessToken } = (await logIn.json()) as { accessToken: string }
  const headers = { ...json, authorization: `Bearer ${accessToken}` }
  const taken: Taken[] = []
  const ask = async (path: string, init: RequestInit) => {
    const sinceMs = performance.now()
    const answer = await fetch(`${url}${path}`, { ...init, headers })
    const { id } = (await answer.json()) as { id?: string }
    taken.push({
      atMs: Date.now(),
      ms: performance.now() - sinceMs,
      id: init.method === 'POST' && answer.status === 201 ? id : undefined,
    })
  }
  let i = 0
  const timer = setInterval(() => {
    i += 1
    void ask('/api/v1/editions', { method: 'POST', body: JSON.stringify({ title: `Late ${i}`, price: 1 }) })
    void ask(`/api/v1/editions?limit=5&page=${i % 100}`, { method: 'GET' })
  }, 20)
  return { taken, stop: () => clearInterval(timer) }
}

/** From when to when, of `Date.now()`. */
type Span = readonly [number, number]

/**
 * Of the requests that ended in these times: the share of slow ones, the slowest, and how many
 * there were.
 */
function slownessOf(taken: readonly Taken[], ...spans: readonly Span[]) {
  const during = taken.filter(({ atMs }) => spans.some(([fromMs, toMs]) => atMs >= fromMs && atMs < toMs))
  const sorted = during.map(({ ms }) => ms).sort((a, b) => a - b)
  const share = sorted.filter((ms) => ms > slowMs).length / sorted.length
  const of = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0)
  const times = `p50 ${of(0.5)} ms, p99 ${of(0.99)} ms, slowest ${of(1 - 1e-9)} ms`
  return { share, text: `${sorted.length} requests, ${times}, ${(share * 100).toFixed(2)} % over ${slowMs} ms` }
}

const linesOf = (file: string) => createInterface({ input: createReadStream(file) })[Symbol.asyncIterator]()

/**
 * Holds the export of a copy against one of what goes on: every line is there byte for byte. Both
 * are in the same order. Returns how many.
 */
async function countSame(bindery: Bindery, copy: string): Promise<number> {
  await ran(bindery, ['export', 'editions', bindery.path('now.ndjson')])
  await ran(bindery, ['export', 'editions', bindery.path('copy.ndjson')], there(copy))
  const [now, copied] = [linesOf(bindery.path('now.ndjson')), linesOf(bindery.path('copy.ndjson'))]
  let lines = 0
  for (let line = await copied.next(); !line.done; line = await copied.next()) {
    let other = await now.next()
    // written after the copy was taken
    while (!other.done && other.value !== line.value) other = await now.next()
    assert.equal(other.value, line.value)
    lines += 1
  }
  return lines
}

it(`a backup of ${rows} rows holds nobody up`, async (t: TestContext) => {
  const bindery = makeBindery(t, embedded)
  const file = bindery.path('rows.ndjson')
  const lines = Array.from({ length: rows }, (_, i) => `{"title":"Part ${i} of a long story","price":${i % 900}}`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  await ran(bindery, ['import', 'editions', file])
  const server = spawnServer({ env: { ...embedded, DATA_DIR: bindery.folder, LOG_LEVEL: 'warn' } })
  t.after(() => server.stop())
  const asking = await startAsking(await server.ready())
  await sleep(5_000)
  const controlMs = Date.now()
  await sleep(30_000)
  const beganMs = Date.now()
  const { manifest, seconds } = await ran(bindery, ['backup', bindery.path('large.tar.zst')], { alone: true })
  const endedMs = Date.now()
  await sleep(echoMs + Math.max(30_000, endedMs - beganMs))
  asking.stop()
  const [before, later]: Span[] = [
    [controlMs, beganMs],
    [endedMs + echoMs, Date.now()],
  ]
  const [during, echo]: Span[] = [
    [beganMs, endedMs],
    [endedMs, endedMs + echoMs],
  ]
  for (const [what, span] of Object.entries({
    before,
    [`backup of ${Math.round(seconds)} s`]: during,
    after: echo,
    later,
  }))
    t.diagnostic(`${what}: ${slownessOf(asking.taken, span as Span).text}`)

  const target = emptyFolder(bindery, 'target')
  await ran(bindery, ['restore', bindery.path('large.tar.zst'), '--yes'], there(target))
  const ids = idsIn(target)
  const acknowledged = asking.taken.filter(({ id, atMs }) => id !== undefined && atMs < Date.parse(manifest.at))
  for (const { id } of acknowledged) assert.ok(ids.has(String(id)), `${id} is missing`)
  t.diagnostic(`${acknowledged.length} acknowledged writes from before are in it, of ${ids.size} rows`)
  assert.equal(await countSame(bindery, target), ids.size)
  const caused = slownessOf(asking.taken, during as Span, echo as Span)
  const control = slownessOf(asking.taken, before as Span, later as Span)
  assert.ok(caused.share <= control.share, `with the backup ${caused.text}; without ${control.text}`)
})
