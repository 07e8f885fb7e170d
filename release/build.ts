/**
 * `npm run build`: the engine as JavaScript and types in `packages/server/dist`, with the files that it serves and the templates of
 * `bindery init`; and `packages/create-bindery/dist`, which is a part of it.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { packagedFiles } from '../packages/server/src/graphql/graphiql.ts'
import { copyTemplates } from './templates.ts'

const root = join(import.meta.dirname, '..')
const server = join(root, 'packages/server')
const dist = join(server, 'dist')
const { resolve } = createRequire(join(server, 'package.json'))

function compile(): void {
  rmSync(dist, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/.bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(server, 'tsconfig.build.json')], { stdio: 'inherit' })
  // The compiler rewrites imports in code, not in types.
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    const path = join(dist, file)
    const text = readFileSync(path, 'utf8').replace(/((?:from |import\()["']\.{1,2}\/[^"']+)\.ts(["'])/g, '$1.js$2')
    writeFileSync(path, text)
  }
}

/** Types that no public entry leads to are of no use to anybody. */
function dropPrivateTypes(entries: readonly string[]): void {
  const reached = new Set<string>()
  const follow = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, path] of text.matchAll(/(?:from |import\()["'](\.[^"']+)\.js["']/g))
      follow(join(dirname(file), `${path}.d.ts`))
  }
  for (const entry of entries) follow(join(dist, entry))
  for (const file of globSync('**/*.d.ts', { cwd: dist })) if (!reached.has(join(dist, file))) rmSync(join(dist, file))
}

/** The files that the server takes from other packages, with the licences of those packages. */
function copyAssets(): void {
  const assets = join(dist, 'graphql/assets')
  mkdirSync(assets)
  const from = new Set<string>()
  for (const [name, { from: source, file }] of Object.entries(packagedFiles)) {
    cpSync(join(dirname(resolve(`${source}/package.json`)), file), join(assets, name))
    from.add(source)
  }
  const licences = [...from].map((name) => {
    const folder = dirname(resolve(`${name}/package.json`))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`
  })
  writeFileSync(join(assets, 'LICENSES.txt'), licences.join('\n\n'))
}

/** The list of passwords that are refused, which the engine reads, and the licences of where it comes from. */
function copyPasswords(): void {
  for (const file of ['common-passwords.br', 'common-passwords.licences.txt'])
    cpSync(join(server, 'src/identity', file), join(dist, 'identity', file))
}

/** The scaffolding program is the same code and the same templates, without the engine. */
function buildCreate(): void {
  const target = join(root, 'packages/create-bindery/dist')
  rmSync(target, { recursive: true, force: true })
  for (const part of ['create', 'templates']) cpSync(join(dist, part), join(target, part), { recursive: true })
}

compile()
const { exports } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8')) as {
  exports: Record<string, string>
}
dropPrivateTypes(Object.values(exports).map((source) => source.replace('./src/', '').replace(/\.ts$/, '.d.ts')))
copyAssets()
copyPasswords()
copyTemplates(join(dist, 'templates'))
buildCreate()
