/** The names of the engine: one concept has one name, and one name one concept. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const source = globSync('src/**/*.ts', { cwd: root })
const textOf = new Map(source.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const commentless = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

test('a type name has one meaning: no exported type or interface is declared twice', () => {
  const declared = source.flatMap((file) =>
    [...(textOf.get(file) ?? '').matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name]) => ({
      name,
      file,
    })),
  )
  const twice = [...Map.groupBy(declared, ({ name }) => name)].filter(([, all]) => all.length > 1)
  assert.deepEqual(
    twice.map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`),
    [],
  )
})

test('old names of the engine and of declarations do not come back', () => {
  const old =
    /\b(?:Door|Court|KeptAnswers?|Sights?|Fences?|Outline|Narrowing|Told|tellAudit|Asker|Asked|Parts|Entrance|ReadyLetter|Taking|lookedUp|Moves)\b|\beither\(|\bmachine\(/
  const found = [...textOf].flatMap(([file, text]) => {
    const match =
      file === 'src/resource/words/renamed.ts' || file === 'src/index.ts' ? null : old.exec(commentless(text))
    return match ? [`${file}: ${match[0]}`] : []
  })
  assert.deepEqual(found, [])
})

test('the glossary of ARCHITECTURE.md has at most sixty terms, each once', () => {
  const text = readFileSync(join(root, '../../ARCHITECTURE.md'), 'utf8').split('## Glossary')[1]?.split('\n## ')[0]
  const terms = [...(text ?? '').matchAll(/^\| (?!Term|-)([^|]+) \|/gm)].map((match) => match[1])
  assert.ok(terms.length > 40 && terms.length <= 60, `${terms.length} terms`)
  assert.equal(new Set(terms).size, terms.length)
})
