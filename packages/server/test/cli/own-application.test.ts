/**
 * The program `bindery`: the application that it finds, the error when there is none, and the Node
 * that it runs on.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findNodeProblem } from '../../src/create/node-version.ts'
import { program, removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { runInProcess } from './in-process.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))
symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'))

const app = `import { anyone, defineResource, id, text } from 'bindery-server'
const notes = defineResource({ name: 'note', path: '/notes', fields: { id: id(), title: text() }, access: { get: anyone } })
export const resources = [notes]
`

/** A new folder with these files. */
function makeFolder(files: Readonly<Record<string, string>>): string {
  const cwd = join(folder, String(Math.random()))
  mkdirSync(cwd, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), content)
  }
  return cwd
}

const { PATH, NODE_COMPILE_CACHE } = process.env
/** Runs `bindery …` in a folder with these files. */
const run = (files: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  runInProcess({ main: program, args, env: { PATH }, cwd: makeFolder(files) })

/** The same as a process. */
function runAlone(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const options = { cwd: makeFolder(files), env: { PATH, NODE_COMPILE_CACHE }, encoding: 'utf8' } as const
  return spawnSync(process.execPath, [program, ...args], options)
}

const named = JSON.stringify({ type: 'module', bindery: { app: './server/all.ts' } })

const found: readonly Readonly<Record<string, string>>[] = [
  { 'app.ts': app },
  { 'package.json': named, 'server/all.ts': app, 'app.ts': 'throw 1' },
]

test('it is app.ts, or what package.json names', () => {
  for (const files of found) {
    const { status, stdout, stderr } = runAlone({ 'package.json': '{"type":"module"}', ...files }, 'routes')
    assert.equal(status, 0, stderr)
    assert.match(stdout, /GET +\/api\/v1\/notes\/:id/)
  }
})

const refused: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['without a file', {}, /No application in .*: neither app\.ts nor .* bindery init/],
  [
    'with a name of nothing',
    { 'package.json': named },
    /names \.\/server\/all\.ts as bindery\.app, and there is no such file/,
  ],
  ['with a name that is none', { 'package.json': '{"bindery":{"app":1}}' }, /bindery\.app must be the path of a file/],
  ['with a package.json that is none', { 'package.json': '{' }, /Cannot read .*package\.json/],
  ['without resources', { 'app.ts': 'export const other = 1' }, /error: app\.ts must export resources, .*, …\]$/m],
  [
    'with misspelt resources',
    { 'app.ts': 'export const resource = []' },
    /error: app\.ts must export resources, .*; did you mean "resource"\?$/m,
  ],
  ['with resources that are no list', { 'app.ts': "export const resources = 'books'" }, /app\.ts .*; it is "books"$/m],
]
for (const [what, files, sentence] of refused)
  test(`a folder ${what} is refused in one line`, async () => {
    const { code, stdout, stderr } = await run(files, 'routes')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, sentence)
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
  })

test('the variables of .env count where the environment has none', () => {
  const { status, stderr } = runAlone(
    { 'app.ts': app, 'package.json': '{"type":"module"}', '.env': 'PORT=none' },
    'start',
  )
  assert.equal(status, 1)
  assert.match(stderr, /PORT must be/)
})

test('what Node compiled is kept with the application, and nowhere else', () => {
  const kept = (files: Readonly<Record<string, string>>) => {
    const cwd = makeFolder({ 'app.ts': app, 'package.json': '{"type":"module"}', ...files })
    const { status, stderr } = spawnSync(process.execPath, [program, 'routes'], {
      cwd,
      env: { PATH },
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    return [existsSync(join(cwd, 'node_modules')), existsSync(join(cwd, 'node_modules/.cache/bindery/compiled'))]
  }
  assert.deepEqual(kept({ 'node_modules/.package-lock.json': '{}' }), [true, true])
  assert.deepEqual(kept({}), [false, false])
})

test('an older Node is told which ones will do', () => {
  for (const version of ['24.15.0', '24.30.0', '26.0.0', '28.1.0']) assert.equal(findNodeProblem(version), undefined)
  for (const version of ['20.20.2', '22.22.3', '23.11.0', '24.14.1', '25.9.0'])
    assert.match(findNodeProblem(version) ?? '', /needs Node \^24\.15\.0 or .* this is [\d.]+\. .* npm install node@24/)
})
