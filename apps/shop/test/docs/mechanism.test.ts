/**
 * Tests the helpers of the documents' tests: how a document is read, and when an output equals the
 * one in the document.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepsOf } from './document-steps.ts'
import { parseDocument } from './documents.ts'
import { isPrinted } from './printed-output.ts'

const one = '01a20290-4184-7000-841d-414a784b6b3d'
const two = '01a20290-1389-7000-9c1e-a7d1d77a6e3e'
const key = (text: string) => `{"key":"bk_${text}"}`

const outputs: readonly (readonly [printed: string, output: string, same: boolean])[] = [
  ['{"title":"Utopia"}', '{"title":"Utopia"}', true],
  ['{"title":"Utopia"}', '{"title":"Utopia","year":1516}', false],
  ['{"title":"Utopia",…}', '{"title":"Utopia","year":1516}', true],
  [`{"id":"${one}"}`, `{"id":"${two}"}`, true],
  [`{"id":"${one}"}`, '{"id":7}', false],
  ['at 2026-11-21T12:04:07.531Z', 'at 2026-11-22T09:22:18.116Z', true],
  ['at 2026-11-21T12:04:07.531Z', 'at 2026-11-22', false],
  ['in 0s', 'in 1.5s', true],
  [key('aW95CgLsaW9oYol4VZQE33XFj'), key('Q7EjdnxpgF4Q7ss53f71rLu2Z'), true],
  [key('aW95CgLsaW9oYol4VZQE33XFj'), key('short'), false],
  ['{"total":80}', '{"total":81}', false],
  ['a+b (c) [d]', 'a+b (c) [d]', true],
]

for (const [printed, output, same] of outputs) {
  test(`${output} is ${same ? '' : 'not '}printed as ${printed}`, () => {
    assert.equal(isPrinted(printed, output, new Map()), same)
  })
}

test('an id that is printed twice is the same record both times', () => {
  const ids = new Map<string, string>()
  assert.ok(isPrinted(`made ${one}`, `made ${two}`, ids))
  assert.ok(isPrinted(`read ${one}`, `read ${two}`, ids))
  assert.ok(!isPrinted(`read ${one}`, `read ${one}`, ids))
})

const fence = '```'
const documents: readonly (readonly [name: string, text: string, mistakes: readonly string[]])[] = [
  ['a block without a language', `${fence}\nls\n${fence}`, ['a block without a language needs a comment before it']],
  ['text that nothing prints', `${fence}text\nhello\n${fence}`, ['a block of text needs a comment before it']],
  ['a comment with a misspelt word', `<!-- runs: ls -->`, ['a comment says one of: run, output of']],
  [
    'a comment that is about another block',
    `<!-- not run: art -->\nprose\n\n${fence}text\nx\n${fence}`,
    ['needs a comment'],
  ],
  [
    'an indented block',
    `- a\n\n  ${fence}sh\n  ls\n  ${fence}`,
    ['a block begins at the start of its line', 'a block begins at the start of its line'],
  ],
  ['output before any command', `${fence}console\nhello\n${fence}`, ['a console block begins with a command']],
  ['JSON that is none', `${fence}json\n{"a":1}\n{a:1}\n${fence}`, ['this is not JSON: {a:1}']],
  [
    'all of these, as they should be',
    `<!-- not run: a drawing -->\n${fence}text\n-->\n${fence}\n${fence}sh\nls\n${fence}`,
    [],
  ],
]

for (const [name, text, expected] of documents) {
  test(`a document with ${name}`, () => {
    const document = parseDocument('a.md', text)
    const problems = stepsOf(document).flatMap((step) => (step.kind === 'mistake' ? [step.problem] : []))
    const found = [...document.mistakes, ...problems]
    assert.equal(found.length, expected.length, found.join('\n'))
    for (const [i, part] of expected.entries()) assert.ok(found[i]?.includes(part), `${found[i]} says ${part}`)
  })
}

test('a command goes on to the end of its here-document, and its output to the next command', () => {
  const text = `${fence}console\n$ cat <<'END'\n$ no command\nEND\n$ no command\n\n$ true\n${fence}`
  const steps = stepsOf(parseDocument('a.md', text)).map((step) =>
    step.kind === 'run' ? [step.command, step.expected] : step,
  )
  assert.deepEqual(steps, [
    ["cat <<'END'\n$ no command\nEND", ''],
    ['no command', ''],
    ['true', ''],
  ])
})
