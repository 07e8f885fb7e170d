/** Metrics of files, and what the doctor says of a sweep that falls behind. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesFound, fill, world } from './file-world.ts'
import { pdf, png, uploadFor } from './sample-files.ts'

const hourMs = 3_600_000

test('metrics tell of bytes, refusals and files without a record', async (t) => {
  const { service } = await world(t)
  const { ann, thing } = await fill(service)
  const figures = async () => {
    const families = await service.service.observing.gather(10_000)
    const samples = families.flatMap(({ name, kind, samples: all }) =>
      kind !== 'histogram' && name.startsWith('bindery_file') ? all.map((one) => [name, one] as const) : [],
    )
    return Object.fromEntries(
      samples.map(([name, { labels, value }]) => [`${name.slice(13)} ${Object.values(labels).join()}`, value]),
    )
  }
  const came = 'first'.length + 'second'.length + png.length
  const none = { 'refusals_total size': 0, 'refusals_total type': 0 }
  const before = await figures()
  assert.deepEqual(before, {
    'bytes_total in': came,
    'bytes_total out': 0,
    ...none,
    'refusals_total waiting': 0,
    'refusals_total broken': 0,
    '_without_record waiting': 0,
    '_without_record due': 0,
  })
  const authorization = `Bearer ${ann.token}`
  const put = (field: string, body: Uint8Array) =>
    fetch(`${service.url}/api/v1${thing}/${field}`, {
      method: 'PUT',
      headers: { authorization },
      body: new Uint8Array(body),
    })
  assert.equal((await put('photo', Buffer.alloc(1_100_000))).status, 413)
  assert.equal((await put('photo', pdf)).status, 415)
  assert.equal((await put('photo', Buffer.alloc(0))).status, 400)
  const read = await fetch(`${service.url}/api/v1${thing}/photo`, { headers: { authorization, range: 'bytes=1-3' } })
  assert.equal(await read.text(), 'PNG')
  await uploadFor(service, ann, { resource: 'thing', field: 'photo', bytes: png })
  const after = await figures()
  assert.deepEqual(
    ['size', 'type', 'broken', 'waiting'].map((reason) => after[`refusals_total ${reason}`]),
    [1, 1, 1, 0],
  )
  assert.equal(after['bytes_total out'], 3)
  // The refused ones are due at once; what was announced as too large has no row.
  assert.deepEqual([after['_without_record waiting'], after['_without_record due']], [1, 2])
  await service.sweep()
  assert.equal((await figures())['_without_record due'], 0)
})

test('the doctor tells of a sweep that fails, and of one that falls behind', async (t) => {
  const { bindery, service } = await world(t)
  const { ann } = await fill(service)
  await service.sweep()
  service.turn(-30 * hourMs)
  const late = await uploadFor(service, ann, { resource: 'thing', field: 'photo', bytes: png })
  service.turn(30 * hourMs)
  const found = await filesFound(bindery)
  assert.deepEqual(
    found.map(({ level }) => level),
    ['warn', 'ok'],
  )
  assert.match(found[0]?.what ?? '', new RegExp(`^1 files without a record are due for more than an hour.*${late}`))

  const digits = join(service.folder, 'files/files', late.slice(0, 2))
  rmSync(digits, { recursive: true })
  writeFileSync(digits, 'no folder')
  await service.sweep()
  const { stdout } = await bindery.run(['doctor', '--json'])
  const { findings } = JSON.parse(stdout) as { findings: { check: string; what: string }[] }
  assert.match(findings.find(({ check }) => check === 'sweeps')?.what ?? '', /what has expired is not removed.*ENOTDIR/)
  rmSync(digits)
  await service.sweep()
  assert.deepEqual(
    (await filesFound(bindery)).map(({ level }) => level),
    ['ok'],
  )
})
