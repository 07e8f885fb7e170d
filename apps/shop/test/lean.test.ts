/** Whatever starts a server of ours starts it with the settings that keep it small: they stand in `lean.sh`. */
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
const [flag = ''] = /--max-semi-space-size=\d+/.exec(lean) ?? []
const [, arenas = ''] = /MALLOC_ARENA_MAX:-(\d+)/.exec(lean) ?? []

/** What a program of the repository finds when npm starts it; it ends there. */
function started(script: string, env: Readonly<Record<string, string>> = {}) {
  const look = join(folder, 'look.cjs')
  writeFileSync(
    look,
    `if (!process.argv[1]?.endsWith('.ts')) return
    const { MALLOC_ARENA_MAX: arenas, NODE_COMPILE_CACHE: compiled } = process.env
    console.log(JSON.stringify({ flags: process.execArgv, arenas, compiled }))
    process.exit()`,
  )
  const { MALLOC_ARENA_MAX: _, NODE_COMPILE_CACHE: __, ...own } = process.env
  const out = execFileSync('npm', ['run', '-s', script], {
    cwd: root,
    encoding: 'utf8',
    env: { ...own, NODE_OPTIONS: `--require ${look}`, ...env },
  })
  return JSON.parse(out) as { flags: string[]; arenas?: string; compiled?: string }
}

for (const script of ['start', 'demo'])
  test(`npm run ${script}`, () => {
    assert.deepEqual(started(script), { flags: [flag], arenas, compiled: 'node_modules/.cache/bindery/compiled' })
    assert.equal(started(script, { MALLOC_ARENA_MAX: '7' }).arenas, '7', 'what was set stays')
  })

for (const file of [
  'Dockerfile',
  'deploy/bindery.service',
  'packages/server/templates/base/Dockerfile',
  'packages/server/src/create/project.ts',
])
  test(file, () => {
    const text = readFileSync(join(root, file), 'utf8')
    assert.ok(text.includes(flag) && flag !== '', flag)
    assert.ok(text.includes(`MALLOC_ARENA_MAX=${arenas}`) && arenas !== '', arenas)
  })
