/**
 * `npm run console`: builds the console into hashed files in `packages/console/dist`, with
 * `index.json`, which names the entry, the style sheet and the files of the first load. A build
 * whose sources have not changed is kept. `--if-possible`: does nothing where esbuild is missing.
 */
import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

const own = import.meta.dirname
export const builtFolder = join(own, 'dist')
/** The first load: log-in, the shell and a list, compressed by gzip. */
export const firstLoadBytesMax = 250_000

/** React Aria brings its texts in 34 languages; the console speaks these. */
const languages = ['en-US', 'de-DE']
const fewLanguages: Plugin = {
  name: 'few-languages',
  setup(build) {
    build.onLoad({ filter: /[\\/]intl[\\/].*[a-z]{2,3}-[A-Z]{2}\.m?js$/ }, ({ path }) =>
      languages.includes(/([\w-]+)\.m?js$/.exec(path)?.[1] ?? '') ? undefined : { contents: 'export default {}' },
    )
  },
}

/**
 * The scroll lock of React Aria adds a style element on iOS, which the policy of the page refuses.
 * It sets an attribute instead, for which base.css has the same rule. Throws when its text changes.
 */
const scrollLock: Plugin = {
  name: 'scroll-lock',
  setup(build) {
    build.onLoad({ filter: /[\\/]usePreventScroll\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const added = /let style = document\.createElement\('style'\);[\s\S]*?document\.head\.prepend\(style\);/
      if (!added.test(text) || text.split('style.remove();').length !== 2)
        throw new Error(`${path} adds its style element in another way now: read it, and change this plugin`)
      const set = "document.documentElement.dataset.scrollLocked = '';"
      const contents = text
        .replace(added, set)
        .replace('style.remove();', 'delete document.documentElement.dataset.scrollLocked;')
      return { contents }
    })
  },
}

/** The files that an output loads at once, itself included. */
function loadedWith(metafile: Metafile, file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const { path, kind } of metafile.outputs[file]?.imports ?? [])
    if (kind === 'import-statement') loadedWith(metafile, path, found)
  return found
}

function outputOf({ outputs }: Metafile, source: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(source))
  if (!found) throw new Error(`${source} has no output of its own`)
  return found[0]
}

/**
 * React 18, which GraphiQL needs, stands beside the console's own. Throws where the build has it, or
 * both.
 */
function checkReact({ inputs }: Metafile): void {
  const copies = Object.keys(inputs).filter((file) => /node_modules\/react\/cjs\/react\.production/.test(file))
  if (copies.length !== 1) throw new Error(`${copies.length} copies of React: ${copies.join(', ')}`)
  const { version } = JSON.parse(readFileSync(join(folderOf('react'), 'package.json'), 'utf8'))
  if (!version.startsWith('19.')) throw new Error(`React ${version} is not the console's: npm ci installs that`)
}

function folderOf(name: string): string {
  return dirname(createRequire(join(own, 'package.json')).resolve(`${name}/package.json`))
}

function optionsFor(target: string): BuildOptions & { metafile: true } {
  return {
    entryPoints: [join(own, 'src/main.tsx'), join(own, 'src/style/console.css')],
    bundle: true,
    minify: true,
    metafile: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    target: 'es2022',
    outdir: target,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
    alias: { react: folderOf('react'), 'react-dom': folderOf('react-dom') },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [fewLanguages, scrollLock],
  }
}

/** Throws when the first load is larger than it may be. */
function indexOf(metafile: Metafile, inputs: string) {
  const entry = outputOf(metafile, 'src/main.tsx')
  const parts = ['src/shell/shell.tsx'].map((part) => outputOf(metafile, part))
  const first = new Set([entry, ...parts].flatMap((part) => [...loadedWith(metafile, part)]))
  const style = outputOf(metafile, 'src/style/console.css')
  const firstBytes = [...first, style].reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)
  if (firstBytes > firstLoadBytesMax)
    throw new Error(`The first load has ${firstBytes} bytes, ${firstLoadBytesMax} at most: load a part of it later`)
  return {
    inputs,
    firstBytes,
    entry: basename(entry),
    style: basename(style),
    preload: [...first].filter((file) => file !== entry).map((file) => basename(file)),
    files: Object.keys(metafile.outputs).map((file) => basename(file)),
  }
}

/** The licences of the packages whose code is in the build. */
function licencesOf({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
  const packages = [...new Set(folders.filter((folder) => folder !== undefined))]
  const texts = packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = ['LICENSE', 'LICENSE.md', 'license'].map((one) => join(folder, one)).find((one) => existsSync(one))
    return `${name} ${version}\n\n${file ? readFileSync(file, 'utf8') : `License: ${license}\n`}`
  })
  return [...new Set(texts)].sort().join('\n\n')
}

/**
 * The bytes of all that the build is made of: the sources, and the versions of packages where they
 * are known.
 */
function inputsDigest(): string {
  const root = join(own, '../..')
  const files = [
    ...globSync('src/**/*.{ts,tsx,css}', { cwd: own }).map((file) => join(own, file)),
    ...globSync('packages/server/src/client/**/*.ts', { cwd: root }).map((file) => join(root, file)),
    join(own, 'build.ts'),
    join(root, 'package-lock.json'),
  ]
  return hash(
    'sha256',
    files
      .filter((file) => existsSync(file))
      .sort()
      .map((file) => readFileSync(file))
      .join('\0'),
  )
}

/** The index of the build that there is. Another process may put one there at any time. */
function builtOf(): { readonly inputs: string; readonly firstBytes: number } | undefined {
  const index = join(builtFolder, 'index.json')
  return existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')) : undefined
}

/** Builds unless the build there is of these sources. Returns the bytes of the first load. */
export async function buildConsole(): Promise<number> {
  const inputs = inputsDigest()
  const kept = builtOf()
  if (kept?.inputs === inputs) return kept.firstBytes
  const { build } = await import('esbuild')
  mkdirSync(join(own, 'dist-parts'), { recursive: true })
  const made = mkdtempSync(join(own, 'dist-parts/'))
  try {
    const { metafile } = await build(optionsFor(made))
    checkReact(metafile)
    const found = indexOf(metafile, inputs)
    writeFileSync(join(made, 'index.json'), JSON.stringify(found))
    writeFileSync(join(made, 'LICENSES.txt'), licencesOf(metafile))
    if (builtOf()?.inputs !== inputs) putInPlace(made)
    return found.firstBytes
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Another process may build the same at the same time: one of the two is kept. */
function putInPlace(made: string): void {
  rmSync(builtFolder, { recursive: true, force: true })
  try {
    renameSync(made, builtFolder)
  } catch (error) {
    if (!/ENOTEMPTY|EEXIST/.test(String(error))) throw error
  }
}

if (import.meta.main) {
  const isPossible =
    existsSync(join(own, 'node_modules/react')) && createRequire(import.meta.url).resolve.paths('esbuild')
  if (isPossible || !process.argv.includes('--if-possible')) {
    const bytes = await buildConsole()
    process.stdout.write(`The console is built: its first load has ${Math.round(bytes / 1000)} kB\n`)
  }
}
