/** Creating an application: what is refused, what is asked, and that nothing is ever half made. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { program, removeFolder, temporaryFolder } from 'bindery-server/test'

const folder = temporaryFolder()
after(() => removeFolder(folder))

/** `path`: where programs are looked for. */
async function init(
  args: readonly string[],
  path = process.env.PATH,
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [program, 'init', ...args], {
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
  assert.equal(manifest.devDependencies.node, undefined, 'this Node will do')
  assert.doesNotMatch(readFileSync(join(made, 'README.md'), 'utf8'), /\{\{|undefined/)
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
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const npm = (script: string) => writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  npm('echo no network >&2; exit 1')
  const failed = await init(['offline'], `${bin}:/usr/bin:/bin`)
  assert.equal(failed.code, 2)
  assert.match(failed.err, /npm install failed, so nothing was made; --no-install makes the files alone\.\nno network/)

  npm('kill -TERM $PPID; sleep 5')
  assert.equal((await init(['stopped'], `${bin}:/usr/bin:/bin`)).code, 130)
  assert.deepEqual(
    readdirSync(folder).filter((name) => /^(offline|stopped)/.test(name)),
    [],
  )
})
