/**
 * `npm run lock`: writes package-lock.json anew, without the `engines` of its packages. npm
 * compares those with its own Node, which may be older than the one that it installs here for all
 * commands. This program runs npm on the installed one, and checks them once.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Lock = { packages: Record<string, { engines?: unknown }> }

const file = join(import.meta.dirname, '../package-lock.json')
const read = (): Lock => JSON.parse(readFileSync(file, 'utf8'))

const args = [
  'install',
  '--package-lock-only',
  '--engine-strict',
  '--omit-lockfile-registry-resolved',
  '--no-audit',
  '--no-fund',
]
execFileSync('npm', args, { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' })
const lock = read()
for (const [path, entry] of Object.entries(lock.packages)) if (path !== '') delete entry.engines
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
