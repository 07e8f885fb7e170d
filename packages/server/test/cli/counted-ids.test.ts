/**
 * Counted (integer) ids: the ids that an import may give by each interface, and a counter that
 * continues after them.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { embedded, makeBindery } from './bindery.ts'
import { type Kind, makePlace, on } from './places.ts'

const main = new URL('./tools.ts', import.meta.url).pathname
const highest = 2 ** 52
const limits = `must be from 1 to ${highest}`
const wrong = [Number.MAX_SAFE_INTEGER, highest + 1, 0, -5] as const

describe('counted ids', () => {
  it('of lines leave the counter room, and others are refused', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, main)
    const lines = [...wrong.map((id) => `{"id":${id}}`), '{"id":"7"}', '{"id":1.5}', '{"id":9007199254740993}']
    const first = await bindery.run(['import', 'tools', '-'], { input: lines.join('\n') })
    assert.deepEqual(first.stderr.split('\n').slice(0, 7), [
      ...wrong.map((_, i) => `line ${i + 1}: id ${limits}`),
      'line 5: id must be an integer',
      'line 6: id must be an integer',
      'line 7: 9007199254740993 is beyond what a JSON number holds exactly',
    ])
    const csv = await bindery.run(['import', 'tools', '-', '--format', 'csv'], { input: `id\n${wrong.join('\n')}\n` })
    assert.deepEqual(
      csv.stderr.split('\n').slice(0, 4),
      wrong.map((_, i) => `line ${i + 2}: id ${limits}`),
    )
    const { stdout } = await bindery.run(['import', 'tools', '-'], { input: `{"id":7}\n{}\n{"id":${highest}}\n{}\n{}` })
    assert.match(stdout, /^tools: 5 created, 0 updated, 0 rejected/)
    const stored = await bindery.values('export', 'tools', '--fields', 'id')
    assert.deepEqual(
      stored.map(({ id }) => id),
      [7, 8, highest, highest + 1, highest + 2],
    )
  })

  for (const kind of ['sqlite', 'postgres'] satisfies Kind[])
    it(`of a whole database in ${kind} are looked at too`, async (t: TestContext) => {
      const bindery = makeBindery(t, embedded, main)
      const source = await makePlace(t, bindery, kind)
      await bindery.run(['import', 'tools', '-'], { input: '{}\n{"name":"odd"}\n', ...on(source.url) })
      const target = await makePlace(t, bindery, kind)
      for (const id of [Number.MAX_SAFE_INTEGER, 0, -5]) {
        await source.query(`UPDATE tools SET id = ${id} WHERE name = 'odd'`)
        const copy = await bindery.run(['copy', '--from', source.url, '--to', target.url])
        const said = new RegExp(`^error: tools has a record with the id ${id}, and ids are from 1 to \\d+: nothing was`)
        assert.match(copy.stderr, said)
        const file = bindery.path(`tools${id}.ndjson`)
        await bindery.run(['export', '--all', file], on(source.url))
        const read = await bindery.run(['import', '--all', file], on(target.url))
        assert.match(read.stderr, said)
      }
      // Counted behind the highest that is given
      await source.query(`UPDATE tools SET id = ${highest + 1} WHERE name = 'odd'`)
      assert.equal((await bindery.run(['copy', '--from', source.url, '--to', target.url])).code, 0)
      assert.equal((await bindery.run(['import', 'tools', '-'], { input: '{}', ...on(target.url) })).code, 0)
    })

  it('go on in a copy where only the counter was beyond', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded, main)
    const [source, target] = [await makePlace(t, bindery, 'sqlite'), await makePlace(t, bindery, 'sqlite')]
    await bindery.run(['import', 'tools', '-'], { input: '{}\n', ...on(source.url) })
    const file = bindery.path('tools.ndjson')
    await bindery.run(['export', '--all', file], on(source.url))
    writeFileSync(file, readFileSync(file, 'utf8').replace('"lastId":1,', `"lastId":${Number.MAX_SAFE_INTEGER},`))
    assert.equal((await bindery.run(['import', '--all', file], on(target.url))).code, 0)
    assert.equal((await bindery.run(['import', 'tools', '-'], { input: '{}\n{}', ...on(target.url) })).code, 0)
    const ids = (await target.query('SELECT CAST(id AS TEXT) AS id FROM tools')).map(({ id }) => id)
    assert.equal(new Set(ids).size, 3)
  })
})
