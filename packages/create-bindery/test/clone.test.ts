/**
 * Creates an application from a clone: `npm run create` and `bindery init` pack the engine of this
 * repository. Nothing is downloaded: links to this repository's packages and the packed file
 * replace npm's install. `npm run test:package` installs for real.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeAsk, program, removeFolder, spawnServer, temporaryFolder } from 'bindery-server/test'
import { packOnce } from '../../../release/pack-once.ts'

const root = join(import.meta.dirname, '../../..')
const folder = temporaryFolder()
after(() => removeFolder(folder))
const { modules } = await packOnce()
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Installs what package.json names as the engine, and links everything else. */
const npm = `#!/bin/sh
set -e
[ "$1" = install ]
mkdir node_modules && cd node_modules
for one in ${modules}/* ${modules}/.bin; do [ "$(basename $one)" = bindery-server ] || ln -s $one .; done
mkdir bindery-server && tar xzf ../bindery-server-*.tgz -C bindery-server --strip-components=1
`
const bin = join(folder, 'bin')
mkdirSync(bin)
writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })

type Ended = { readonly code: number; readonly out: string; readonly err: string }
const run = (command: string): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
    execFile('sh', ['-c', command], { cwd: root, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
const manifestIn = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))

// `creating.test.ts` looks at what else `bindery init` does.
const isLong = process.env.TEST_LONG !== undefined
for (const [name, command, isOfBoth] of [
  ['npm run create', scripts.create, true],
  ['bindery init', `exec node ${program} init`, isLong],
])
  test(`${name} makes an application that stands alone and answers`, {
    skip: !isOfBoth && 'npm run test:long runs it',
  }, async (t) => {
    const target = join(folder, name.replaceAll(' ', '-'))
    const { code, out, err } = await run(`${command} ${target} --kind open`)
    assert.equal(code, 0, err)
    assert.match(err, /^Packing the engine of this clone …\nInstalling …\n$/m)
    assert.match(out, new RegExp(`^Made ${target}\n\n {2}cd \\S+\n {2}npm start\n`))
    const spec = manifestIn(target).dependencies['bindery-server']
    assert.match(spec, /^file:bindery-server-[\d.]+\.tgz$/)
    const file = spec.slice('file:'.length)
    assert.ok(existsSync(join(target, file)))
    assert.ok(
      readFileSync(join(target, 'Dockerfile'), 'utf8').includes(`COPY package.json package-lock.json ${file} ./`),
    )
    assert.ok(readFileSync(join(target, 'README.md'), 'utf8').includes(file))
    const start = [
      process.execPath,
      join(target, 'node_modules/bindery-server/dist/bindery.js'),
      'start',
      '--unchecked',
    ]
    const running = spawnServer({ command: start as [string], cwd: target })
    t.after(() => running.stop())
    const made = await makeAsk(await running.ready())('POST', '/api/v1/projects', { body: { name: 'Garden' } })
    assert.equal(made.status, 201, made.text)
  })

test('what cannot be made is refused before anything is packed', async () => {
  for (const [args, told] of [
    [folder, /is not empty: it has /],
    [
      'packages/mine',
      /packages\/mine is in packages of Bindery's own repository: name a folder beside it, as \.\.\/my-app/,
    ],
    [`${folder}/blog --kind blog`, /--kind must be one of /],
  ] as const) {
    const { code, out, err } = await run(`${scripts.create} ${args}`)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, told)
    assert.doesNotMatch(err, /Packing/)
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('blog')),
    [],
  )
})
