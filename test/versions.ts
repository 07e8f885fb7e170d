/**
 * `npm run test:versions`: the whole suite on each line of Node that the engine supports. The npm
 * package `node` contains them. Each runs in a copy of the repository that has no `node` package,
 * because npm's scripts would run that one first.
 * `node test/versions.ts 24 -- identity --on sqlite` runs a part of it on one of them.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const work = join(tmpdir(), 'bindery-versions')
const own = process.argv.slice(2)
const cut = own.includes('--') ? own.indexOf('--') : own.length
const lines = cut > 0 ? own.slice(0, cut) : ['24', '26']
const suite = own.slice(cut + 1)

/** Without the folders of packages, one of which has this repository's Node. */
const system = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))

/** The folder of the program `node` of this line; installed once, and kept for the next time. */
function installNode(home: string, line: string): string {
  const programs = join(home, 'node_modules/node/bin')
  if (existsSync(join(programs, 'node'))) return programs
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }))
  const args = ['install', '--no-audit', '--no-fund', `node@${line}`]
  execFileSync('npm', args, { cwd: home, stdio: 'inherit', env: { ...process.env, PATH: system.join(delimiter) } })
  return programs
}

/**
 * Its packages are links to those of this repository, but for its own and for programs called
 * `node`.
 */
function copyRepository(copy: string): void {
  rmSync(copy, { recursive: true, force: true })
  const isLeft = (path: string) => /^(?:\.git|node_modules|dist|data(?:-.*)?)$/.test(basename(path))
  cpSync(root, copy, { recursive: true, filter: (path) => !isLeft(path) })
  const modules = join(root, 'node_modules')
  mkdirSync(join(copy, 'node_modules/.bin'), { recursive: true })
  for (const name of readdirSync(modules))
    if (!name.startsWith('.') && name !== 'node') symlinkSync(join(modules, name), join(copy, 'node_modules', name))
  for (const name of readdirSync(join(modules, '.bin')))
    if (name !== 'node') symlinkSync(join(modules, '.bin', name), join(copy, 'node_modules/.bin', name))
  for (const [name, folder] of [
    ['bindery-server', 'packages/server'],
    ['create-bindery', 'packages/create-bindery'],
    ['bindery-client', 'packages/bindery-client'],
    ['bindery-shop', 'apps/shop'],
  ] as const) {
    rmSync(join(copy, 'node_modules', name))
    symlinkSync(join(copy, folder), join(copy, 'node_modules', name))
  }
}

/**
 * Whether every test passes. Programs are found by their names, by `process.execPath` and by
 * scripts of npm: all must be this Node.
 */
function passes(line: string): boolean {
  const home = join(work, line)
  const programs = installNode(home, line)
  const copy = join(home, 'repository')
  copyRepository(copy)
  const env = { ...process.env, PATH: [programs, ...system].join(delimiter) }
  const options = { cwd: copy, env, encoding: 'utf8' } as const
  const version = execFileSync(join(programs, 'node'), ['-p', 'process.version'], options)
  assert.equal(execFileSync('npm', ['exec', '-c', 'node -p process.version'], options), version, 'scripts of npm')
  process.stdout.write(`\nNode ${version}`)
  return spawnSync(join(programs, 'node'), ['test/run.ts', ...suite], { ...options, stdio: 'inherit' }).status === 0
}

const failed = lines.filter((line) => !passes(line))
if (failed.length > 0) process.stderr.write(`Not every test passes on Node ${failed.join(', ')}\n`)
process.exit(failed.length === 0 ? 0 : 1)
