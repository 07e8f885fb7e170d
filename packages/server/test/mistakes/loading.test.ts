/**
 * Application files that cannot be loaded: one line with the file and line of the mistake, and a
 * suggestion.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { StartError } from '../../src/errors.ts'
import * as exported from '../../src/index.ts'
import { fieldTypeNames, ruleNames } from '../../src/resource/words/entry-names.ts'
import { loadDeclarations } from '../../src/service/load-declarations.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/folder.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))
const entry = join(import.meta.dirname, '../../src/index.ts')
const program = (call: string) => `import { ${call} } from '${entry}'
await ${call}(async () => (await import('./resources/index.ts')).resources)
`

function write(place: string, index: string, books: string): void {
  mkdirSync(join(place, 'resources'), { recursive: true })
  writeFileSync(join(place, 'package.json'), '{ "type": "module", "dependencies": { "bindery-server": "*" } }')
  writeFileSync(join(place, 'resources/index.ts'), index)
  writeFileSync(join(place, 'resources/books.ts'), books)
}

/** The lines that a program prints about an application with these resources, and its exit code. */
function failureOf(index: string, books: string, call = 'runService'): readonly [number | null, string[]] {
  write(folder, index, books)
  writeFileSync(join(folder, 'main.ts'), program(call))
  const args = call === 'runService' ? ['main.ts'] : ['main.ts', 'routes']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  return [status, stderr.split('\n').filter((line) => line !== '')]
}

const index = "import { books } from './books.ts'\nexport const resources = [books]\n"
const books = (fields: string, imports = 'defineResource, id') =>
  `import { ${imports} } from '${entry}'\n\nexport const books = defineResource({\n  name: 'book',\n  fields: { id: id(), ${fields} },\n  access: {},\n})\n`

type Row = readonly [mistake: string, index: string, books: string, says: string]
const rows: readonly Row[] = [
  [
    'an import without its ending',
    index.replace('.ts', ''),
    books(''),
    'resources/index.ts:1: there is no file "./books"; did you mean "./books.ts"?',
  ],
  [
    'an import of the ending of JavaScript',
    index.replace('.ts', '.js'),
    books(''),
    'resources/index.ts:1: there is no file "./books.js"; did you mean "./books.ts"?',
  ],
  [
    'an import of a misspelt file',
    index.replace('./books', './boosk'),
    books(''),
    'resources/index.ts:1: there is no file "./boosk.ts"; did you mean "./books.ts"?',
  ],
  [
    'an import of a misspelt package',
    `\nimport 'bindery-sever'\n${index}`,
    books(''),
    'resources/index.ts:2: there is no package "bindery-sever"; did you mean "bindery-server"?',
  ],
  [
    'an import of a misspelt name',
    index.replace('{ books', '{ boks'),
    books(''),
    'resources/index.ts:1: "./books.ts" exports no "boks"; did you mean "books"?',
  ],
  [
    'a copy of a table that the engine declares',
    index,
    books('now: currentSession()', 'currentSession, defineResource, id'),
    'resources/books.ts:1: "currentSession" is gone: the engine declares sessions, keys, factors and the like itself; delete this resource, and write accounts({ … })',
  ],
  [
    'a field type that does not exist',
    index,
    books('more: datetime()', 'datetime, defineResource, id'),
    `resources/books.ts:1: "${entry}" exports no "datetime"; write timestamp`,
  ],
  [
    'a field type without any like it',
    index,
    books('place: geometry()', 'geometry, defineResource, id'),
    `resources/books.ts:1: "${entry}" exports no "geometry"; the field types are ${fieldTypeNames.join(', ')}`,
  ],
  [
    'a field type of another framework that is not imported',
    index,
    books('due: datetime()'),
    'resources/books.ts:5: datetime is not defined; write timestamp',
  ],
  [
    'a function that is not imported',
    index,
    books('title: text()'),
    "resources/books.ts:5: text is not defined; import it from 'bindery-server'",
  ],
  [
    'a misspelt function',
    index,
    books('title: txet()'),
    'resources/books.ts:5: txet is not defined; did you mean "text"?',
  ],
  [
    'a rule that is called and is none to call',
    index,
    books('title: text({ read: anyone() })', 'anyone, defineResource, id, text'),
    'resources/books.ts:5: anyone is not a function; write it without brackets',
  ],
  ['a syntax error', index, books('title: text( }'), 'resources/books.ts:5: Expression expected'],
  [
    'TypeScript that is not types alone',
    index,
    `${books('')}export enum Kind { A }\n`,
    'resources/books.ts:8: TypeScript enum is not supported in strip-only mode',
  ],
]

describe('a file that cannot be loaded', () => {
  for (const [mistake, indexText, booksText, says] of rows) {
    it(mistake, async () => {
      const place = join(folder, mistake.replaceAll(' ', '-'))
      write(place, indexText, booksText)
      const load = async () => (await import(join(place, 'resources/index.ts'))).resources
      const error: unknown = await loadDeclarations(load).then(
        () => undefined,
        (one: unknown) => one,
      )
      assert.ok(error instanceof StartError, String(error))
      assert.equal(error.message.replace(`${place}/`, ''), `The declarations cannot be loaded:\n  ${says}`)
    })
  }

  it('is told of by a service that starts', () => {
    const [status, lines] = failureOf(index.replace('.ts', ''), books(''))
    const says = 'resources/index.ts:1: there is no file "./books"; did you mean "./books.ts"?'
    assert.deepEqual([status, lines], [1, ['The declarations cannot be loaded:', `  ${says}`]])
  })

  it('is told of by the command line too', () => {
    const [status, lines] = failureOf(index, books('title: text()'), 'runCommandLine')
    assert.equal(status, 1)
    assert.match(lines.join('\n'), /resources\/books\.ts:5: text is not defined; import it from 'bindery-server'/)
  })
})

it('names of field types and rules in sentences are those of the entry', () => {
  const known: Record<string, unknown> = { ...exported }
  const missing = [...fieldTypeNames, ...ruleNames].filter((name) => known[name] === undefined)
  assert.deepEqual(missing, [])
  const lines = readFileSync(entry, 'utf8').matchAll(
    /^export \{ ([^}]+) \} from '.*\/(?:rules\/(?!where\/rule-values)|tenancy\/member)/gm,
  )
  const rules = [...lines].flatMap(([, names = '']) => names.split(', ').filter((name) => !name.startsWith('type ')))
  assert.deepEqual([...ruleNames].sort(), rules.sort(), 'the sentence names every rule')
})
