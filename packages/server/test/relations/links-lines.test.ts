/** Links on the command line: exports have them, in both formats, and imports take them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeBindery } from '../cli/bindery.ts'

const application = new URL('./links-command.ts', import.meta.url).pathname
const idOf = (n: number) => `01926e0f-0000-7000-8000-00000000000${n}`
const [red, blue, one, two] = [idOf(1), idOf(2), idOf(3), idOf(4)] as const
const ndjson = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

it('links are exported and imported, and an import of an export changes nothing', async (t) => {
  const bindery = makeBindery(t, {}, application)
  const imported = async (input: string, ...args: string[]) => {
    const { code, stdout, stderr } = await bindery.run(['import', ...args, '--json'], { input })
    const { created, updated, rejected } = JSON.parse(stdout)
    return { code, counts: [created, updated, rejected], errors: stderr }
  }
  const shown = async () => {
    const all = await bindery.values('export', 'articles')
    return Object.fromEntries(all.map(({ title, tags, marks }) => [title, { tags, marks }]))
  }
  const tags = ndjson({ id: red, name: 'red' }, { id: blue, name: 'blue' })
  assert.deepEqual((await imported(tags, 'tags')).counts, [2, 0, 0])
  const lines = ndjson(
    { id: one, title: 'One', tags: [red, blue], marks: [{ id: blue, weight: 2 }, { id: red }] },
    { id: two, title: 'Two' },
    { title: 'Bad', tags: [idOf(9)] },
  )
  const first = await imported(lines, 'articles')
  assert.deepEqual([first.code, first.counts], [1, [2, 0, 1]])
  assert.match(first.errors, /tags refers to no tag that exists/)
  const stored = {
    One: {
      tags: [red, blue],
      marks: [
        { id: blue, weight: 2 },
        { id: red, weight: 1 },
      ],
    },
    Two: { tags: [], marks: [] },
  }
  assert.deepEqual(await shown(), stored)

  const csv = (await bindery.run(['export', 'articles', '-', '--format', 'csv'])).stdout
  const [head, ...rows] = csv.trim().split(/\r?\n/)
  assert.equal(head, 'id,title,tags,marks')
  const quoted = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`
  assert.deepEqual(rows, [`${one},One,${quoted(stored.One.tags)},${quoted(stored.One.marks)}`, `${two},Two,[],[]`])
  const plain = (await bindery.run(['export', 'articles', '-'])).stdout
  for (const [text, format] of [
    [csv, 'csv'],
    [plain, 'ndjson'],
  ] as const)
    assert.deepEqual((await imported(text, 'articles', '--format', format)).counts, [0, 2, 0])
  assert.deepEqual(await shown(), stored)

  // An empty cell has no links; a list is JSON, or a;b.
  const changed = `id,title,tags\n${one},One,\n${two},Two,${blue};${red}\n`
  assert.deepEqual((await imported(changed, 'articles', '--format', 'csv')).counts, [0, 2, 0])
  const after = await shown()
  assert.deepEqual(after.One, { ...stored.One, tags: [] })
  assert.deepEqual((after.Two?.tags as string[]).toSorted(), [red, blue])
  const few = await bindery.values('export', 'articles', '--where', `tags=${red}`, '--fields', 'tags')
  assert.deepEqual(
    few.map(({ id }) => id),
    [two],
  )

  // The whole database goes to another one with its links.
  const file = bindery.path('house.ndjson')
  assert.equal((await bindery.run(['export', '--all', file])).code, 0)
  const other = makeBindery(t, {}, application)
  const moved = await other.run(['import', '--all', file])
  assert.equal(moved.code, 0, moved.stderr)
  const there = await other.values('export', 'articles')
  assert.deepEqual(there, await bindery.values('export', 'articles'))
})
