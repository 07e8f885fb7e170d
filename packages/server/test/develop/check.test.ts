/** `bindery check` finds mistakes, and `bindery start` refuses the same applications. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { cups, makeProject, type Project } from './project.ts'

let project: Project
before(async () => {
  project = await makeProject()
})
beforeEach(() => project.write('cups.ts', cups))
after(() => project.remove())

const misspelt = cups.replace('required: true', 'reqired: true')

describe('bindery check', () => {
  test('finds nothing, and makes nothing', async () => {
    const { code, stderr } = await project.run('check')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /A start would take \d+ steps[\s\S]*Nothing to mend\./)
    assert.equal(existsSync(join(project.folder, 'data')), false)
  })

  const wrong = misspelt.replace("path: '/cups'", "path: '/Cups'")

  test('each mistake has its file, its line, the line itself and what was meant', async () => {
    project.write('cups.ts', wrong)
    const { code, stdout } = await project.run('check')
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^cups\.ts:8:\d+ cup: field "glaze": no option "reqired"; did you mean "required"\?\n {2}8 \| {5}glaze: text\(\{ reqired: true \}\),\n {4}\| +\^{7}$/m,
    )
    assert.doesNotMatch(stdout, /TS\d+/, 'a start says it, and better')
    assert.match(stdout, /^cups\.ts:5:10 cup: path: "\/Cups" must be.*\n {2}5 | {3}path: '\/Cups',\n {4}| +\^$/m)
  })

  test('programs get the same as JSON', async () => {
    project.write('cups.ts', wrong)
    const { code, stdout } = await project.run('check', '--json')
    const found = JSON.parse(stdout)
    assert.deepEqual([code, found.ok], [1, false])
    assert.deepEqual([found.types[0].file, found.types[0].line, found.types[0].column], ['cups.ts', 8, 19])
    assert.deepEqual(found.declarations.map(({ line }: { line: number }) => line).toSorted(), [5, 8])
  })

  test('a document that is kept must be what the declarations say', async () => {
    project.write('schema.graphql', 'type Cup\n')
    const wrong = await project.run('check')
    assert.equal(wrong.code, 1)
    assert.match(wrong.stdout, /^schema\.graphql is not what the declarations say \(first at line 1\)/m)
    assert.equal((await project.run('check', '--write')).code, 0)
    assert.match(readFileSync(join(project.folder, 'schema.graphql'), 'utf8'), /type Cup /)
  })
})

test('what is wrong with the engine in the eyes of an application is not shown to it', async () => {
  const strict = await makeProject()
  try {
    const file = join(strict.folder, 'tsconfig.json')
    const { compilerOptions } = JSON.parse(readFileSync(file, 'utf8'))
    // Its types are looked at too, and what they need is not there
    const settings = { compilerOptions: { ...compilerOptions, lib: ['es5'], skipLibCheck: false } }
    strict.write('tsconfig.json', JSON.stringify(settings))
    const { code, stdout } = await strict.run('check', '--json')
    assert.deepEqual([code, JSON.parse(stdout).types], [0, []])
    strict.write('cups.ts', misspelt)
    const { types } = JSON.parse((await strict.run('check', '--json')).stdout)
    assert.deepEqual(
      types.map(({ file }: { file: string }) => file),
      ['cups.ts'],
    )
  } finally {
    strict.remove()
  }
})

test('where nothing says how to compile, the rest is checked', async () => {
  const plain = await makeProject()
  try {
    rmSync(join(plain.folder, 'tsconfig.json'))
    const { code, stdout } = await plain.run('check', '--json')
    assert.deepEqual([code, JSON.parse(stdout).skipped], [0, ['types: there is no tsconfig.json']])
  } finally {
    plain.remove()
  }
})

test('what does not compile is not started, unless it is asked for', async () => {
  project.write('cups.ts', misspelt.replace('volume: integer()', 'volume: integer({ nim: 1 })'))
  const { code, stderr } = await project.run('start')
  assert.equal(code, 1)
  assert.match(stderr, /The application does not compile:\ncups\.ts:8:19/)
  assert.equal(existsSync(join(project.folder, 'data')), false)
})
