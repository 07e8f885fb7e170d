/**
 * Creating an application: invalid arguments are refused, missing ones are asked for, and a failure
 * leaves no half-made folder.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { program, removeFolder, temporaryFolder } from 'bindery-server/test'

const folder = temporaryFolder()
after(() => removeFolder(folder))

/** A folder of programs, and behind it those of the system. */
function programs(name: string, script: string, about = ''): string {
  const bin = join(folder, `with-${about}${name}`)
  mkdirSync(bin)
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return `${bin}:/usr/bin:/bin`
}
const usual = programs('node', `exec ${process.execPath} "$@"`)

/** `path`: where programs are looked for. */
async function init(args: readonly string[], path = usual): Promise<{ code: number; out: string; err: string }> {
  // clone.test.ts is about the one that a clone packs.
  const child = spawn(process.execPath, [program, 'init', ...args, '--engine', '^0.1.0'], {
    cwd: folder,
    env: { PATH: path, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })
  child.stdin.end()
  const code = new Promise<number>((resolve) => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, out, err }
}

test('without a terminal nothing is asked, and the next steps are printed', async () => {
  const { code, out } = await init(['My App', '--kind', 'open', '--no-install'])
  assert.equal(code, 0)
  assert.match(out, /cd My App\n {2}npm install\n {2}npm start/)
  const made = join(folder, 'My App')
  const files = [
    '.dockerignore',
    '.env.example',
    '.gitignore',
    'Dockerfile',
    'README.md',
    'access.ts',
    'app.ts',
    'package.json',
  ]
  assert.deepEqual(readdirSync(made).toSorted(), [...files, 'resources', 'test', 'tsconfig.json'].toSorted())
  const manifest = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8'))
  assert.equal(manifest.name, 'my-app')
  assert.equal(manifest.devDependencies.node, undefined, 'the Node that is there will do')
  assert.doesNotMatch(readFileSync(join(made, 'README.md'), 'utf8'), /\{\{|undefined/)
})

test('an application brings a Node where the one that is there is too old, whichever runs this command', async () => {
  const path = `${dirname(process.execPath)}:${programs('node', 'echo 20.20.2', 'old-')}`
  assert.match(path, /node_modules/, 'npm puts it first')
  assert.equal((await init(['on-old', '--no-install'], path)).code, 0)
  const { devDependencies, allowScripts } = JSON.parse(readFileSync(join(folder, 'on-old/package.json'), 'utf8'))
  assert.deepEqual([devDependencies.node, allowScripts], ['^24.15.0', { node: true }])
})

test('a folder that exists and is empty is used', async () => {
  mkdirSync(join(folder, 'empty'))
  assert.equal((await init(['empty', '--no-install'])).code, 0)
  assert.ok(existsSync(join(folder, 'empty/app.ts')))
  assert.deepEqual(
    readdirSync(join(folder, 'empty')).filter((name) => name.startsWith('.making')),
    [],
  )
})

test('a folder that is not empty is refused, and stays as it is', async () => {
  mkdirSync(join(folder, 'full'))
  writeFileSync(join(folder, 'full/letter.txt'), 'Dear Ann')
  const { code, err } = await init(['full', '--no-install'])
  assert.equal(code, 2)
  assert.match(err, /full is not empty: it has letter\.txt/)
  assert.deepEqual(readdirSync(join(folder, 'full')), ['letter.txt'])
})

test('a kind that does not exist is refused with those that do', async () => {
  const { code, err } = await init(['other', '--kind', 'blog'])
  assert.equal(code, 2)
  assert.match(err, /--kind must be one of users, keys, open, shop, not blog/)
})

test('when npm fails nothing is made, and when it is stopped either', async () => {
  const failed = await init(['offline'], programs('npm', 'echo no network >&2; exit 1'))
  assert.equal(failed.code, 2)
  assert.match(failed.err, /npm install failed, so nothing was made; --no-install makes the files alone\.\nno network/)

  assert.equal((await init(['stopped'], programs('npm', 'kill -TERM $PPID; sleep 5', 'stopping-'))).code, 130)
  assert.deepEqual(
    readdirSync(folder).filter((name) => /^(offline|stopped)/.test(name)),
    [],
  )
})
