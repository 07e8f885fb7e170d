/**
 * The file of the response cache: an entry stays until it is overwritten. After any failure there
 * is no file rather than a wrong response.
 */
import assert from 'node:assert/strict'
import fs, { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import fc from 'fast-check'
import { type FileSlot, makeCacheFile } from '../../src/response-cache/cache-file.ts'
import { makeDiskFolder } from './disk-folder.ts'

const folder = makeDiskFolder('bindery-answer-file-')
after(() => rmSync(folder, { recursive: true }))

const pageBytes = 4_096
const room = Buffer.alloc(16 * pageBytes)
const never = (message: string) => assert.fail(message)

/** Where an open file is; empty where it was closed meanwhile. */
function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

/** A content that no other place has. */
function fill(n: number, length: number): Buffer {
  for (let i = 0; i < length; i += 4) room.writeUInt32LE(n * 20_000 + i, i)
  return room
}

test('what was put is read as it was, until it is overwritten, and nothing else ever is', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 7 * pageBytes }), { minLength: 1, maxLength: 80 })
  fc.assert(
    fc.property(lengths, fc.integer({ min: 8, max: 30 }), (all, pages) => {
      const bytesMax = pages * pageBytes
      const file = makeCacheFile({ folder, bytesMax, report: never })
      const places = all.map((length, n) => {
        const place = file.put(fill(n, length), length)
        assert.ok(place)
        return { n, place, length }
      })
      let [newest, there] = [0, 0]
      for (const { n, place, length } of places.toReversed()) {
        const to = Buffer.alloc(room.length)
        const is = file.read(place, length, to)
        assert.equal(is, file.has(place))
        newest += Math.ceil(length / pageBytes) * pageBytes
        if (is) assert.ok(to.subarray(0, length).equals(fill(n, length).subarray(0, length)))
        if (is) there += 1
        // At the end of each round, less than the largest answer is left out.
        else assert.ok(newest > bytesMax - 7 * pageBytes, `${newest} of ${bytesMax} bytes`)
      }
      assert.ok(there > 0)
      assert.ok(file.size() <= bytesMax)
      file.close()
    }),
    { numRuns: 50 },
  )
})

const act = fc.record({
  kind: fc.constantFrom('put', 'put', 'leave'),
  length: fc.integer({ min: 1, max: 3 * pageBytes }),
  which: fc.nat(),
})

test('what is put where something was left is read as it was, and what was left is gone for all who know of it', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), fc.integer({ min: 8, max: 30 }), (acts, pages) => {
      const file = makeCacheFile({ folder, bytesMax: pages * pageBytes, report: never })
      const there: { n: number; place: FileSlot; length: number }[] = []
      const left: FileSlot[] = []
      const to = Buffer.alloc(room.length)
      for (const [n, { kind, length, which }] of acts.entries()) {
        if (kind === 'put') there.push({ n, place: file.put(fill(n, length), length) as FileSlot, length })
        const [one] = kind === 'leave' && there.length > 0 ? there.splice(which % there.length, 1) : []
        if (one) {
          file.leave(one.place)
          file.leave(one.place) // by a reader that still holds the place
          left.push(one.place)
        }
        for (const { n, place, length } of there)
          if (file.read(place, length, to))
            assert.ok(to.subarray(0, length).equals(fill(n, length).subarray(0, length)))
        for (const place of left) assert.equal(file.has(place) || file.read(place, 1, to), false)
      }
      file.close()
    }),
    { numRuns: 50 },
  )
})

test('the file is no larger than what is in it at once', () => {
  const file = makeCacheFile({ folder, bytesMax: 1_000 * pageBytes, report: never })
  const places = Array.from({ length: 10 }, (_, n) => file.put(fill(n, 7_000), 7_000) as FileSlot)
  for (let n = 0; n < 2_000; n += 1) {
    file.leave(places.shift() as FileSlot)
    places.push(file.put(fill(n, 8_000), 8_000) as FileSlot)
  }
  assert.equal(file.size(), 10 * 2 * pageBytes)
  for (const [i, place] of places.entries()) {
    const to = Buffer.alloc(8_000)
    assert.ok(file.read(place, 8_000, to))
    assert.ok(to.equals(fill(1_990 + i, 8_000).subarray(0, 8_000)))
  }
  file.close()
})

test('the file has no name, and does not outlive its service', () => {
  const file = makeCacheFile({ folder, bytesMax: 10 * pageBytes, report: never })
  assert.deepEqual(readdirSync(folder), [])
  const place = file.put(fill(1, 100), 100) as FileSlot
  assert.deepEqual(readdirSync(folder), [])
  assert.ok(file.has(place))
  file.close()
  assert.equal(file.has(place), false)
  assert.equal(file.read(place, 100, room), false)
  assert.equal(file.put(room, 100), undefined)
})

test('what is larger than the file is not put', () => {
  const file = makeCacheFile({ folder, bytesMax: 2 * pageBytes, report: never })
  assert.equal(file.put(room, 3 * pageBytes), undefined)
  assert.equal(file.put(room, 2 * pageBytes)?.at, 0)
  file.close()
})

test('where there can be no file, it is said once, and nothing is put', () => {
  const taken = join(folder, 'taken')
  writeFileSync(taken, '')
  const said: string[] = []
  const file = makeCacheFile({ folder: join(taken, 'data'), bytesMax: pageBytes, report: (text) => said.push(text) })
  assert.equal(file.works(), true)
  for (let n = 0; n < 3; n += 1) assert.equal(file.put(room, 100), undefined)
  assert.equal(file.works(), false)
  assert.equal(said.length, 1)
  assert.match(said[0] as string, /^Kept answers are in memory alone, because their file in .*taken.data failed: /)
  rmSync(taken)
})

const memoryFolder = '/dev/shm'
const isInMemory =
  process.platform === 'linux' && fs.existsSync(memoryFolder) && fs.statfsSync(memoryFolder).type === 0x01021994

test('a folder in memory gets no file, which would save none', { skip: !isInMemory }, () => {
  const said: string[] = []
  const file = makeCacheFile({ folder: memoryFolder, bytesMax: pageBytes, report: (text) => said.push(text) })
  assert.equal(file.put(room, 100), undefined)
  assert.equal(file.works(), false)
  assert.match(said.join(), /failed: the folder is in memory$/)
})

test('a disk that fills up takes nothing more, and what was put before is made anew', () => {
  const said: string[] = []
  const file = makeCacheFile({ folder, bytesMax: 10 * pageBytes, report: (text) => said.push(text) })
  const place = file.put(fill(1, 100), 100) as FileSlot
  const full = mock.method(fs, 'writeSync', () => {
    throw new Error('ENOSPC: no space left on device, write')
  })
  syncBuiltinESMExports()
  try {
    assert.equal(file.put(room, 100), undefined)
  } finally {
    full.mock.restore()
    syncBuiltinESMExports()
  }
  assert.equal(file.works(), false)
  assert.equal(file.has(place), false)
  assert.equal(file.size(), 0, 'its room is free again')
  assert.deepEqual(said, [
    `Kept answers are in memory alone, because their file in ${folder} failed: ENOSPC: no space left on device, write`,
  ])
})

test('nobody else may open it', { skip: process.platform !== 'linux' }, () => {
  const file = makeCacheFile({ folder, bytesMax: pageBytes, report: never })
  file.put(room, 100)
  const own = readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(join(folder, 'kept-answers-')))
  assert.equal(own.length, 1)
  assert.equal(fs.fstatSync(Number(own[0])).mode & 0o777, 0o600)
  file.close()
})
