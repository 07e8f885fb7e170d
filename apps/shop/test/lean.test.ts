/**
 * Every script that starts a server uses the settings of `lean.sh`, which keep its memory small.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'

const root = join(import.meta.dirname, '../../..')
const folder = temporaryFolder()
after(() => removeFolder(folder))

const lean = readFileSync(join(root, 'apps/shop/lean.sh'), 'utf8')
const flags = lean.match(/--[\w-]+=\d+/g) ?? []
assert.equal(flags.length, 3)
/** `MALLOC_…`, as the shell exports them. */
const allocator = Object.fromEntries([...lean.matchAll(/(MALLOC_\w+):-(\d+)/g)].map(([, name, value]) => [name, value]))
assert.equal(Object.keys(allocator).length, 2)

/**
 * Flags, allocator settings and compile cache of a program that npm starts; the program itself ends
 * at once.
 */
function started(script: string, env: Readonly<Record<string, string>> = {}) {
  const look = join(folder, 'look.cjs')
  writeFileSync(
    look,
    `if (!process.argv[1]?.endsWith('.ts')) return
    const allocator = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')))
    console.log(JSON.stringify({ flags: process.execArgv, allocator, compiled: process.env.NODE_COMPILE_CACHE }))
    process.exit()`,
  )
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^MALLOC_|^NODE_COMPILE/.test(name)))
  const out = execFileSync('npm', ['run', '-s', script], {
    cwd: root,
    encoding: 'utf8',
    env: { ...own, NODE_OPTIONS: `--require ${look}`, ...env },
  })
  return JSON.parse(out) as { flags: string[]; allocator: Record<string, string>; compiled?: string }
}

for (const script of ['start', 'demo'])
  test(`npm run ${script}`, () => {
    assert.deepEqual(started(script), { flags, allocator, compiled: 'node_modules/.cache/bindery/compiled' })
    const own = { MALLOC_ARENA_MAX: '7', MALLOC_TRIM_THRESHOLD_: '70000' }
    assert.deepEqual(started(script, own).allocator, own, 'what was set stays')
  })

/**
 * In front of a program that npm finds, only `NODE_OPTIONS` has room for flags, and it does not
 * take this one.
 */
const untaken = '--min-semi-space-size=8'

for (const file of [
  'Dockerfile',
  'deploy/bindery.service',
  'packages/server/templates/base/Dockerfile',
  'packages/server/src/create/project.ts',
])
  test(file, () => {
    const text = readFileSync(join(root, file), 'utf8')
    const expected = file.endsWith('.ts') ? flags.filter((flag) => flag !== untaken) : flags
    for (const flag of expected) assert.ok(text.includes(flag), flag)
    for (const [name, value] of Object.entries(allocator)) assert.ok(text.includes(`${name}=${value}`), name)
  })
