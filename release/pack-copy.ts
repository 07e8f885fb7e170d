/**
 * Packs the packages as npm does before publishing, in a copy of the repository. Packing changes
 * package.json for a moment, and other programs may be running from it. They are built once, where
 * npm would build for each.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const documents = ['LICENSE', 'CHANGELOG.md', 'docs', 'deploy', 'Dockerfile', 'compose.yaml']
const parts = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'release',
  'site',
  'packages',
  'apps',
  ...documents,
]

export type Packed = {
  /** The copy of the repository, with what was built. */
  readonly copy: string
  /** The tarball of `bindery-server`. */
  readonly server: string
  /** The tarball of `create-bindery`. */
  readonly create: string
  /** The tarball of `bindery-client`. */
  readonly client: string
}

/** `folder` is empty. `isQuick`: as a test may have it, see `build.ts`. */
export function packCopy(folder: string, isQuick = false): Packed {
  const copy = join(folder, 'repository')
  const isSource = (path: string) =>
    !['node_modules', 'dist', 'test'].includes(basename(path)) || path.includes('/templates/')
  const filter = (path: string) => isSource(path) || path.includes('/apps/shop/test')
  for (const part of parts.filter((one) => existsSync(join(root, one))))
    cpSync(join(root, part), join(copy, part), { recursive: true, filter })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // The build of the console is kept where its sources are those of the build.
  const built = 'packages/console/dist'
  if (existsSync(join(root, built))) cpSync(join(root, built), join(copy, built), { recursive: true })
  // The console has a React of its own.
  const ofConsole = 'packages/console/node_modules'
  symlinkSync(join(root, ofConsole), join(copy, ofConsole))
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs)
  const workspaces = ['bindery-server', 'create-bindery', 'bindery-client'].flatMap((name) => ['-w', name])
  const args = ['pack', '--silent', ...workspaces, '--pack-destination', tarballs]
  const build = [join(copy, 'release/build.ts'), ...(isQuick ? ['--quick'] : [])]
  execFileSync(process.execPath, build, { cwd: copy, stdio: 'inherit' })
  const env = { ...process.env, BINDERY_BUILT: 'yes' }
  const names = execFileSync('npm', args, { cwd: copy, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const find = (start: string) => join(tarballs, names.split('\n').find((name) => name.startsWith(start)) as string)
  return { copy, server: find('bindery-server'), create: find('create-bindery'), client: find('bindery-client') }
}
