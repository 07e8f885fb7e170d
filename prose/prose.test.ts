/**
 * The linter of sentences (`npm run lint:prose`): each rule finds its example and leaves the better
 * sentence alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lintProse } from './lint-prose.ts'
import { proseOfSource } from './prose-of-source.ts'

const long = `${Array.from({ length: 26 }, (_, index) => `word${index}`).join(' ')}.`

const examples: readonly { says: string; found: readonly string[] }[] = [
  { says: '/** Who is asked remembers few. */', found: ['opener'] },
  { says: `/** **Choice.** One ${'a b '.repeat(11)}of two. */`, found: [] },
  { says: `/** ${'a b '.repeat(8)}c 14. To ${'d e '.repeat(8)}f. */`, found: [] },
  { says: '/** Which caller may read it. Whose is this? */', found: [] },
  { says: `/** ${long} */`, found: ['columns', 'length'] },
  { says: '/** Nobody who is served waits for the disk. */', found: ['person'] },
  { says: '/** Requests never wait for fsync. */', found: [] },
  { says: '/** It was made, was kept, and is removed. */', found: ['passive'] },
  { says: '/** A very clearly exact count. */', found: ['weasel', 'weasel'] },
  { says: '/** Two `What nobody says` in code. */', found: [] },
  { says: "// What the file holds\n// nobody reads.\nconst a = ''", found: ['opener', 'person'] },
  { says: "fail('What is this value of a field')", found: ['opener'] },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
  { says: 'fail(`Nobody may set ${name} of the record`)', found: ['person'] },
  { says: "run('SELECT what FROM nobody WHERE id = 1')", found: [] },
]

for (const { says, found } of examples) {
  test(`${says.slice(0, 60)} → ${found.join(', ') || 'nothing'}`, async () => {
    const findings = (await Promise.all(proseOfSource('packages/a/src/b.ts', says).map(lintProse))).flat()
    assert.deepEqual(findings.map(({ rule }) => rule).sort(), [...found].sort())
  })
}

test('a finding names the line of the file', async () => {
  const source = "const a = 1\n\n/**\n * A first line.\n * What comes second.\n */\nconst b = 'x'\n"
  const findings = (await Promise.all(proseOfSource('packages/a/src/b.ts', source).map(lintProse))).flat()
  assert.deepEqual(
    findings.map(({ line, rule }) => [line, rule]),
    [[5, 'opener']],
  )
})

test('an application’s strings are its content: only its comments are read', () => {
  const source = "/** A note. */\nfail('Nobody may set the name of a record')"
  const kinds = (file: string) => proseOfSource(file, source).map(({ kind }) => kind)
  assert.deepEqual(kinds('apps/a/resources/b.ts'), ['comments'])
  assert.deepEqual(kinds('packages/a/src/b.ts'), ['comments', 'messages'])
})
