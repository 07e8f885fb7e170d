/**
 * Both packages as they would be published, and an application that the packed program creates.
 * Nothing is downloaded: dependencies come from this repository. `npm run test:package` installs
 * for real, on each line of Node.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { makeAsk, spawnServer } from 'bindery-server/test'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { namesOfEntries } from '../../../release/api-names.ts'
import { packOnce } from '../../../release/pack-once.ts'

const root = join(import.meta.dirname, '../../..')
const { copy, server, client, modules } = await packOnce()
const unpacked = {
  server: join(modules, 'bindery-server'),
  create: join(modules, 'create-bindery'),
  client: join(modules, 'bindery-client'),
}
type Manifest = Record<string, Record<string, string> | undefined>
const manifestIn = (path: string): Manifest => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))

test('the tarballs are small and hold what runs, no sources, no scripts, and few dependencies', () => {
  // The console may have a megabyte of it. A quick build is a tenth of one larger.
  assert.ok(statSync(server).size < 3_400_000, `${statSync(server).size}`)
  for (const path of Object.values(unpacked)) {
    const { scripts, devDependencies, dependencies = {} } = manifestIn(path)
    assert.deepEqual([scripts, devDependencies], [undefined, undefined])
    assert.ok(Object.keys(dependencies).length <= 20, Object.keys(dependencies).join())
    assert.ok(existsSync(join(path, 'LICENSE')) && existsSync(join(path, 'README.md')))
    const sources = globSync('**/*.ts', { cwd: path }).filter((file) => !/\.d\.ts$|dist\/templates\//.test(file))
    assert.deepEqual(sources, [])
  }
  assert.deepEqual(Object.keys(manifestIn(unpacked.client).dependencies ?? {}), ['openapi-fetch'])
  const left = ['packages/server', 'packages/create-bindery', 'packages/bindery-client'].flatMap((name) =>
    readdirSync(join(copy, name)).filter((file) => /^(LICENSE|CHANGELOG\.md|docs)$|\.kept$/.test(file)),
  )
  assert.deepEqual(left, [], 'what packing changes, it takes back')
})

test('the documentation comes with the package, and its links lead to what is there', () => {
  const readme = readFileSync(join(unpacked.server, 'README.md'), 'utf8')
  assert.match(readme, /\(docs\/tutorial\/library\.md\)/)
  const broken = globSync(['*.md', 'docs/**/*.md'], { cwd: unpacked.server }).flatMap((file) => {
    const text = readFileSync(join(unpacked.server, file), 'utf8')
    const links = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, link = '']) => link)
    return links
      .filter((link) => !existsSync(join(unpacked.server, dirname(file), link)))
      .map((link) => `${file}: ${link}`)
  })
  assert.deepEqual(broken, [])
})

test('the published engines are those that the program asks for', async () => {
  const { nodeRange } = await import('../../server/src/create/node-version.ts')
  assert.equal(manifestIn(unpacked.server).engines?.node, nodeRange)
  assert.equal(manifestIn(unpacked.create).version, manifestIn(unpacked.server).version)
})

test('npm says nothing of engines and addresses when it installs this repository: npm run lock', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const entries = Object.entries(
    lock.packages as Record<string, { engines?: unknown; resolved?: string; link?: boolean }>,
  )
  const wrong = entries.filter(([path, { engines, resolved, link }]) => path !== '' && (engines || (resolved && !link)))
  assert.deepEqual(wrong, [])
})

test('publint finds nothing', async () => {
  for (const path of Object.values(unpacked)) {
    const { messages, pkg } = await publint({ pkgDir: path, pack: false })
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    )
  }
})

test('the types are found by whatever imports ES modules', async () => {
  for (const tarball of [server, client]) {
    const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
    assert.ok(checked.types)
    // These packages have no CommonJS build, and Node 10's resolution ignores `exports`.
    const notHere = ['node10', 'node16-cjs']
    const isHere = (one: (typeof checked.problems)[number]) =>
      !('resolutionKind' in one) || !notHere.includes(one.resolutionKind)
    assert.deepEqual(checked.problems.filter(isHere), [])
  }
})

test('the report of the public interface has the names that the entries export: npm run api writes it', () => {
  for (const [name, { source, report }] of Object.entries(namesOfEntries())) {
    assert.ok(source.length > 0)
    assert.deepEqual(report, source, name)
  }
})

const long = { skip: !process.env.TEST_LONG && 'npm run test:long runs it' }
test('the report of the public interface has their types too', long, async () => {
  const { apiReports } = await import('../../../release/api-report.ts')
  for (const [file, text] of apiReports(join(copy, 'packages/server')))
    assert.equal(text, readFileSync(file, 'utf8'), file)
})

/** A program beside the client alone asks a service. */
async function namesByClient(url: string): Promise<unknown> {
  const script = `
    import { createClient } from 'bindery-client'
    import { makeDataProvider } from 'bindery-client/react-admin'
    import { makeDataProvider as forRefine } from 'bindery-client/refine'
    const client = createClient({ url: '${url}' })
    const { data } = await client.get('/api/v1/projects')
    if (!makeDataProvider(client).getList || !forRefine(client).getList) throw new Error('no providers')
    console.log(JSON.stringify(data.map(({ name }) => name)))`
  const file = join(modules, '../by-client.mjs')
  writeFileSync(file, script)
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  return JSON.parse(stdout)
}

const kinds = ['users', 'keys', 'open', 'shop']
/**
 * Applications beside a node_modules with the unpacked engine, where Node and the compiler find it.
 */
const folder = join(modules, '../created')
mkdirSync(folder)
symlinkSync(modules, join(folder, 'node_modules'))
for (const kind of kinds) {
  const program = join(unpacked.create, 'dist/create/main.js')
  execFileSync(process.execPath, [program, kind, '--kind', kind, '--no-install'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

test('created applications compile against the published types, which compile themselves', () => {
  const settings = { extends: './open/tsconfig.json', include: kinds, compilerOptions: { skipLibCheck: false } }
  for (const kind of kinds)
    assert.deepEqual(
      readFileSync(join(folder, kind, 'tsconfig.json'), 'utf8'),
      readFileSync(join(folder, 'open/tsconfig.json'), 'utf8'),
    )
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const args = [join(root, 'node_modules/.bin/tsc'), '-p', folder, '--singleThreaded']
  execFileSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
})

// `npm run test:long` starts those of all kinds.
for (const kind of process.env.TEST_LONG ? kinds : ['users', 'open']) {
  test(`a created application (${kind}) answers`, async (t) => {
    const program = join(unpacked.server, 'dist/bindery.js')
    // One of them looks at its types before it starts, as all do by themselves; the test above has
    // looked at those of all.
    const start = ['start', ...(kind === 'open' ? [] : ['--unchecked'])]
    const running = spawnServer({ command: [process.execPath, program, ...start], cwd: join(folder, kind) })
    t.after(() => running.stop())
    const ask = makeAsk(await running.ready())
    assert.equal((await ask('GET', '/readyz')).status, 200)
    const page = await ask('GET', '/graphql', { headers: { accept: 'text/html' } })
    for (const [, asset] of page.text.matchAll(/(?:src|href)="(\/graphql\/assets\/[^"]+)"/g))
      assert.equal((await ask('GET', asset as string)).status, 200, String(asset))
    if (kind !== 'open') return
    const made = await ask('POST', '/api/v1/projects', { body: { name: 'Garden' } })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(await namesByClient(await running.ready()), ['Garden'])
    // Reads in a thread, whose file the built package has under another name.
    assert.equal((await ask('GET', '/api/v1/projects?q=gar&createdAt[gt]=2020-01-01')).body.meta.total, 1)
  })
}
