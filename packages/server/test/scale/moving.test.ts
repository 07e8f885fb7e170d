/**
 * Exports and imports a large number of rows as one file, and by natural keys, in a small heap;
 * `MOVED_ROWS` sets the number.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { embedded, makeBindery } from '../cli/bindery.ts'
import { makePlace, on } from '../cli/places.ts'
import { shortOr } from '../helpers/long.ts'

const rows = Number(process.env.MOVED_ROWS ?? shortOr(1_000, 3_000))
const small = { nodeArgs: ['--max-old-space-size=48'] }

test(`${rows} rows move through a file and by keys, in a small heap`, async (t: TestContext) => {
  const bindery = makeBindery(t, embedded)
  const lines = bindery.path('editions.csv')
  const line = (i: number, more: string) => `${i},Part ${i} ${more},${(i % 1000) / 100}\n`
  const text = (more: string) => Array.from({ length: rows }, (_, i) => line(i, more)).join('')
  const house = bindery.path('house.ndjson.gz')
  for (const more of ['first', 'again']) {
    writeFileSync(lines, `isbn,title,price\n${text(more)}`)
    const { code, stdout, stderr } = await bindery.run(
      ['import', 'editions', lines, '--match', 'isbn', '--json'],
      small,
    )
    assert.equal(code, 0, stderr)
    const { created, updated } = JSON.parse(stdout) as { created: number; updated: number }
    assert.deepEqual([created, updated], more === 'first' ? [rows, 0] : [0, rows])
  }
  const out = await bindery.run(['export', '--all', house, '--json'], small)
  assert.equal(out.code, 0, out.stderr)
  const before = await bindery.run(['export', '--all', '-'])
  for (const kind of ['sqlite', 'postgres'] as const) {
    const place = await makePlace(t, bindery, kind)
    const { code, stdout, stderr } = await bindery.run(['import', '--all', house, '--json'], {
      ...small,
      ...on(place.url),
    })
    assert.equal(code, 0, stderr)
    assert.equal((JSON.parse(stdout) as { rows: number }).rows, rows)
    const after = await bindery.run(['export', '--all', '-'], on(place.url))
    assert.equal(after.stdout.replace(/"writtenAt":"[^"]+"/, ''), before.stdout.replace(/"writtenAt":"[^"]+"/, ''))
  }
})
