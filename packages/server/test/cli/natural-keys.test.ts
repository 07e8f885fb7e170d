/**
 * Imports that identify records by unique fields: updates by key, references, circles, refusals,
 * and dry runs.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { long } from '../helpers/long.ts'
import { type Bindery, makeBindery } from './bindery.ts'

const club = new URL('./club.ts', import.meta.url).pathname
type Told = { created: number; updated: number; rejected: number; lastLine: number }

const ndjson = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

async function imported(bindery: Bindery, args: readonly string[], input: string) {
  const { code, stdout, stderr } = await bindery.run(['import', ...args, '--json'], { input })
  const errors = stderr
    .split('\n')
    .filter((line) => line.includes('"line"'))
    .map((line) => JSON.parse(line) as { error: string; line: number })
  const { created, updated, rejected } = JSON.parse(stdout) as Told
  return { code, counts: [created, updated, rejected], errors: errors.map(({ line, error }) => `${line}: ${error}`) }
}

/** People with the codes of their bosses and the names of their branches. */
async function people(bindery: Bindery) {
  const all = await bindery.values('export', 'people')
  const branches = await bindery.values('export', 'branches')
  const codeOf = (id: unknown) => all.find((one) => one.id === id)?.code ?? null
  const nameOf = (id: unknown) => branches.find((one) => one.id === id)?.name ?? null
  const shown = all.map(({ code, nick, bossId, branchId }) => [code, nick, codeOf(bossId), nameOf(branchId)])
  return shown.sort((a, b) => String(a[0]).localeCompare(String(b[0])))
}

const branches = ndjson({ name: 'Main', city: 'Bern' }, { name: 'East' })

describe('natural keys', { concurrency: 3 }, () => {
  it('update the record that has the key, and create the others', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, club)
    await imported(bindery, ['branches'], branches)
    const first = ndjson({ code: 'a1', nick: 'Ann' }, { code: 'b2', nick: 'Bob', fee: 2.5 })
    assert.deepEqual((await imported(bindery, ['people', '--match', 'code'], first)).counts, [2, 0, 0])
    const before = await bindery.values('export', 'people')
    const second = 'code,nick,branch.name\nA1,Anna,main\nc3,Cid,East\nb2,,\n'
    const told = await imported(bindery, ['people', '--match', 'code', '--format', 'csv'], second)
    assert.deepEqual(told, { code: 0, counts: [1, 2, 0], errors: [] })
    assert.deepEqual(await people(bindery), [
      ['A1', 'Anna', null, 'Main'],
      ['b2', null, null, null],
      ['c3', 'Cid', null, 'East'],
    ])
    const after = await bindery.values('export', 'people')
    assert.deepEqual(
      after.slice(0, 2).map(({ id }) => id),
      before.map(({ id }) => id),
    )
    assert.equal(after[1]?.fee, 2.5)
  })

  it('take later lines with one key after earlier ones, also of one batch', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, club)
    const lines = ndjson(
      { code: 'a', nick: 'one', 'boss.code': 'z' },
      { code: 'a', nick: 'two' },
      { code: 'A', nick: 'three' },
      { code: 'z', nick: 'boss' },
    )
    const { counts } = await imported(bindery, ['people', '--match', 'code'], lines)
    assert.deepEqual(counts, [2, 2, 0])
    assert.deepEqual(await people(bindery), [
      ['A', 'three', 'z', null],
      ['z', 'boss', null, null],
    ])
  })

  it('of several fields find records, and name references in NDJSON in two ways', long, async (t: TestContext) => {
    const bindery = makeBindery(t, {}, club)
    const { counts } = await imported(bindery, ['branches', '--match', 'city,name'], branches)
    assert.deepEqual(counts, [1, 0, 1]) // the second has no city
    const again = ndjson({ name: 'main', city: 'BERN' }, { name: 'East', city: 'Basel' })
    assert.deepEqual((await imported(bindery, ['branches', '--match', 'name,city'], again)).counts, [1, 1, 0])
    const lines = ndjson(
      { code: 'a', branch: { name: 'East' } },
      { code: 'b', 'branch.name': 'EAST' },
      { code: 'c', branch: { name: 'main', city: 'bern' } },
      { code: 'd', branch: null },
    )
    const told = await imported(bindery, ['people'], lines)
    assert.deepEqual(told, { code: 0, counts: [4, 0, 0], errors: [] })
    assert.deepEqual(
      (await people(bindery)).map(([code, , , branch]) => [code, branch]),
      [
        ['a', 'East'],
        ['b', 'East'],
        ['c', 'main'],
        ['d', null],
      ],
    )
  })

  it('reject the line that names nothing, or not one record', long, async (t: TestContext) => {
    const bindery = makeBindery(t, {}, club)
    await imported(bindery, ['branches'], branches)
    const lines = ndjson(
      { code: 'a', 'branch.name': 'Moon' },
      { code: 'b', 'branch.city': 'Bern' },
      { code: 'c', 'branch.name': 7 },
      { code: 'd', branchId: 1, 'branch.name': 'Main' },
      { code: 'e', 'boss.code': 'nobody' },
      { code: 'f', 'boss.code': 'e' },
      { code: 'g', 'ship.name': 'x' },
      { nick: 'h' },
      { code: 'i', branch: { name: 'Main', colour: 'red' } },
    )
    const told = await imported(bindery, ['people', '--match', 'code'], lines)
    assert.deepEqual([told.code, told.counts], [1, [0, 0, 9]])
    assert.deepEqual(told.errors.sort(), [
      '1: branchId: there is no branch with the name "Moon"',
      '2: branch.city does not name one branch; name or name,city would',
      '3: branch.name must be a string',
      '4: branchId and branch are both given',
      '5: bossId: there is no person with the code "nobody"',
      '6: bossId: there is no person with the code "e"',
      '7: Unknown field ship.name',
      '8: --match finds the record by code, and the line has none',
      '9: branch.name and branch.colour does not name one branch; name or name,city would',
    ])
    assert.deepEqual(await bindery.values('export', 'people'), [])
  })

  it(
    'refuse --match on what is not unique, and unknown columns, before anything is read',
    long,
    async (t: TestContext) => {
      const bindery = makeBindery(t, {}, club)
      for (const [args, says] of [
        [['people', '--match', 'nick'], /--match needs what is unique, and nick of people is not: unique are code/],
        [['branches', '--match', 'city'], /unique are name or name,city/],
        [['people', '--match', 'colour'], /--match names colour, which people do not have$/m],
        [['people', '--match', 'cdoe'], /--match names cdoe, which people do not have; did you mean "code"\?$/m],
        [['seats', '--match', 'label'], /seats have nothing unique besides their id/],
      ] as const) {
        const { code, stderr } = await bindery.run(['import', ...args], { input: '{}\n' })
        assert.equal(code, 2)
        assert.match(stderr, says)
      }
      const header = await bindery.run(['import', 'people', '--format', 'csv'], { input: 'code,branch.colour\na,b\n' })
      assert.deepEqual([header.code, header.stdout], [1, ''])
      assert.match(header.stderr, /^error: The header names branch\.colour;/)
    },
  )

  it('let lines refer to later ones and in circles', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, club)
    const lines = ndjson(
      { code: 'leaf', 'boss.code': 'twig' },
      { code: 'twig', 'boss.code': 'root' },
      { code: 'root' },
      { code: 'x', 'boss.code': 'y' },
      { code: 'y', 'boss.code': 'z' },
      { code: 'z', 'boss.code': 'X' },
      { code: 'of-x', 'boss.code': 'x' },
      { code: 'self', 'boss.code': 'self' },
      { code: 'p', 'boss.code': 'q' },
      { code: 'q', 'boss.code': 'p', fee: 0.001 },
    )
    const told = await imported(bindery, ['people'], lines)
    assert.deepEqual(told.counts, [8, 0, 2])
    assert.deepEqual(told.errors.sort(), [
      '10: fee must have at most two decimals',
      '9: It was stored without bossId: bossId: there is no person with the code "q"',
    ])
    assert.deepEqual(
      (await people(bindery)).map(([code, , boss]) => `${code}>${boss}`),
      ['leaf>twig', 'of-x>x', 'p>null', 'root>null', 'self>self', 'twig>root', 'x>y', 'y>z', 'z>x'],
    )
    const again = await imported(bindery, ['people', '--match', 'code'], lines.replace('0.001', '1'))
    assert.deepEqual([again.counts, again.errors], [[1, 9, 0], []])
    assert.ok((await people(bindery)).some(([code, , boss]) => code === 'p' && boss === 'q'))
  })

  it('go through a file in reverse, larger than a batch, with few queries', long, async (t: TestContext) => {
    const bindery = makeBindery(t, {}, club)
    const count = 1200
    const lines = Array.from({ length: count }, (_, i) => ({
      code: `p${i}`,
      ...(i < count - 1 && { 'boss.code': `p${Math.min(count - 1, i + 600)}` }),
    }))
    assert.deepEqual((await imported(bindery, ['people'], ndjson(...lines))).counts, [count, 0, 0])
    const all = await people(bindery)
    assert.deepEqual(
      all.filter(([, , boss]) => boss === null).map(([code]) => code),
      [`p${count - 1}`],
    )
  })

  it('dry runs tell what a run would do, and write nothing', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, club)
    await imported(bindery, ['branches'], branches)
    await imported(bindery, ['people'], ndjson({ code: 'a', nick: 'Ann' }))
    const file = bindery.path('people.ndjson')
    const lines = ndjson(
      { code: 'a', nick: 'Anna', 'boss.code': 'b' },
      { code: 'b', 'branch.name': 'Main' },
      { code: 'c', 'branch.name': 'Moon' },
      { code: 'B', nick: 'again' },
    )
    writeFileSync(file, lines)
    const before = await bindery.values('export', 'people')
    const dry = await bindery.run(['import', 'people', file, '--match', 'code', '--dry-run'])
    assert.equal(dry.code, 1)
    assert.equal(dry.stdout, 'people: 1 created, 2 updated, 1 rejected, if it were no dry run; nothing was written\n')
    assert.match(
      dry.stderr,
      /^line 3: branchId: there is no branch with the name "Moon"\nerror: 1 of 4 lines were rejected\n$/,
    )
    assert.deepEqual(await bindery.values('export', 'people'), before)
    assert.ok(!existsSync(`${file}.rejects.ndjson`))
    assert.deepEqual(
      readdirSync(bindery.folder).filter((name) => name.includes('rehearsal')),
      [],
    )
    const shelf = await imported(bindery, ['branches', '--dry-run'], ndjson({ name: 'West' }, { name: 'EAST' }))
    assert.deepEqual([shelf.counts, shelf.errors], [[1, 0, 1], ['2: name must be unique']])
    const real = await bindery.run(['import', 'people', file, '--match', 'code'])
    assert.equal(real.code, dry.code)
    assert.match(real.stdout, /^people: 1 created, 2 updated, 1 rejected/)
    assert.match(readFileSync(`${file}.rejects.ndjson`, 'utf8'), /"line":3/)
    await imported(bindery, ['branches'], ndjson({ name: 'West' }))
    assert.deepEqual(
      (await bindery.values('export', 'branches')).map(({ id }) => id),
      [1, 2, 3],
    )
  })
})
