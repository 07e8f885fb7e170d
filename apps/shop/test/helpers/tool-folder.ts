/**
 * Installs external tools that check our documents, on first use, without scripts and outside of
 * the repository. They are no dependencies: some are hundreds of packages, or report installs.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `packages`: with their versions. Returns how to load them, from that folder. */
export function installTools(name: string, packages: readonly string[]): { load: NodeJS.Require; folder: string } {
  const folder = join(tmpdir(), name)
  mkdirSync(folder, { recursive: true })
  const manifest = join(folder, 'package.json')
  const wanted = JSON.stringify({ private: true, description: packages.join(' ') })
  if (!existsSync(join(folder, 'node_modules')) || readFileSync(manifest, 'utf8') !== wanted) {
    writeFileSync(manifest, '{"private":true}')
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--legacy-peer-deps']
    execFileSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    writeFileSync(manifest, wanted)
  }
  return { load: createRequire(manifest), folder }
}
