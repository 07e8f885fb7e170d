/**
 * `npm run build`: the engine as JavaScript and types in `packages/server/dist`, with the files
 * that it serves and the templates of `bindery init`. It also builds the parts of it that are
 * `packages/create-bindery/dist` and `packages/bindery-client/dist`. `--quick`, for tests: the same
 * files without a type check, in the compiler's own form, and compressed less.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { buildConsole, builtFolder } from '../packages/console/build.ts'
import { folderOf, packagedFiles, readPackaged } from '../packages/server/src/http/pages/page-files.ts'
import { copyTemplates } from './templates.ts'

const root = join(import.meta.dirname, '..')
const server = join(root, 'packages/server')
const dist = join(server, 'dist')
/** Packages are looked for from here. */
const from = join(server, 'package.json')
const isQuick = process.argv.includes('--quick')

function emit(...args: readonly string[]): void {
  const tsc = join(root, 'node_modules/.bin/tsc')
  // One thread does less in all, and the other tests have the other cores.
  const all = ['-p', join(server, 'tsconfig.build.json'), ...args, ...(isQuick ? ['--singleThreaded'] : [])]
  execFileSync(process.execPath, [tsc, ...all], { stdio: 'inherit' })
}

/**
 * Comments stand in the types, where editors show them, and not in the code, of which they are a
 * fifth. `bare`: for the types without comments.
 */
function compile(bare: string): void {
  rmSync(dist, { recursive: true, force: true })
  emit('--emitDeclarationOnly', ...(isQuick ? ['--noCheck'] : []))
  emit('--declarationDir', bare, '--removeComments', '--noCheck')
  for (const folder of [dist, bare]) rewriteImports(folder)
}

/** The compiler rewrites imports in code, not in types. */
function rewriteImports(folder: string): void {
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8').replace(/((?:from |import\()["']\.{1,2}\/[^"']+)\.ts(["'])/g, '$1.js$2')
    writeFileSync(path, text)
  }
}

/**
 * With tabs, in long lines and without what need not be there: the compiler's own form is a
 * hundredth of the package.
 */
function format(): void {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const config = `--config-path=${join(import.meta.dirname, 'dist-format.json')}`
  execFileSync(process.execPath, [biome, 'format', '--write', config, dist], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The files of types that these entries lead to, by their paths in `dist`. */
function typesFrom(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const follow = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    const text = readFileSync(join(dist, file), 'utf8')
    for (const [, path] of text.matchAll(/(?:from |import\()["'](\.[^"']+)\.js["']/g))
      follow(join(dirname(file), `${path}.d.ts`))
  }
  for (const entry of entries) follow(entry)
  return reached
}

/**
 * Removes types that no public entry leads to, since no application can import them. Internal types
 * remain only where a type of the entry for tests refers to them. Their comments are removed: they
 * were 32 KB of the package.
 */
function dropPrivateTypes(entries: readonly string[], bare: string): void {
  const reached = typesFrom(entries)
  const read = typesFrom(entries.filter((entry) => !entry.startsWith('testing/')))
  for (const file of globSync('**/*.d.ts', { cwd: dist }))
    if (!reached.has(file)) rmSync(join(dist, file))
    else if (!read.has(file) && !file.startsWith('testing/')) cpSync(join(bare, file), join(dist, file))
}

/** As small as they can be: they are compressed here once, and sent so to most browsers. */
function compressed(bytes: Buffer): Buffer {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  const quality = isQuick ? 9 : 11
  return brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
}

/** The licence of a package: its file, or what its package.json says where it has none. */
function licenceOf(name: string): string {
  const folder = folderOf(name, from)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = join(folder, 'LICENSE')
  return `${name} ${version}\n\n${existsSync(file) ? readFileSync(file, 'utf8') : `License: ${license}\n`}`
}

/** The files that the server takes from other packages, with the licences of those packages. */
function copyAssets(): void {
  const assets = join(dist, 'http/pages/assets')
  mkdirSync(assets)
  for (const name of Object.keys(packagedFiles))
    writeFileSync(join(assets, `${name}.br`), compressed(readPackaged(name, from)))
  const sources = new Set(Object.values(packagedFiles).map(({ from }) => from))
  writeFileSync(join(assets, 'LICENSES.txt'), [...sources].map(licenceOf).join('\n\n'))
}

/**
 * The list of passwords that are refused, which the engine reads, and the licences of where it
 * comes from.
 */
function copyPasswords(): void {
  for (const file of ['common-passwords.br', 'common-passwords.licences.txt'])
    cpSync(join(server, 'src/accounts/passwords', file), join(dist, 'accounts/passwords', file))
}

/** The words of mails. */
function copyTexts(): void {
  cpSync(join(server, 'src/mail/texts'), join(dist, 'mail/texts'), { recursive: true })
}

/** The built console, compressed, with the licences of its packages. */
async function copyConsole(): Promise<void> {
  await buildConsole()
  const target = join(dist, 'console/assets')
  mkdirSync(target, { recursive: true })
  for (const file of readdirSync(builtFolder)) {
    const bytes = readFileSync(join(builtFolder, file))
    if (file.endsWith('.json') || file.endsWith('.txt')) writeFileSync(join(target, file), bytes)
    else writeFileSync(join(target, `${file}.br`), compressed(bytes))
  }
}

/** The scaffolding program is the same code and the same templates, without the engine. */
function buildCreate(): void {
  const target = join(root, 'packages/create-bindery/dist')
  rmSync(target, { recursive: true, force: true })
  for (const part of ['create', 'templates']) cpSync(join(dist, part), join(target, part), { recursive: true })
}

/** The client is the same code, without the engine. */
function buildClient(): void {
  const target = join(root, 'packages/bindery-client/dist')
  rmSync(target, { recursive: true, force: true })
  cpSync(join(dist, 'client'), target, { recursive: true })
}

const bare = mkdtempSync(join(tmpdir(), 'bindery-types-'))
compile(bare)
if (!isQuick) format()
const { exports } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8')) as {
  exports: Record<string, string>
}
const entries = Object.values(exports).map((source) => source.replace('./src/', '').replace(/\.ts$/, '.d.ts'))
dropPrivateTypes(entries, bare)
rmSync(bare, { recursive: true })
copyAssets()
await copyConsole()
copyPasswords()
copyTexts()
copyTemplates(join(dist, 'templates'))
buildCreate()
buildClient()
