/** The application's own TypeScript, run over it: `tsc` alone knows what its types say. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { BuildProblem } from './build-problem.ts'

/** Undefined where types cannot be checked, which `why` says. */
export type TypeCheckResult = { readonly mistakes?: readonly BuildProblem[]; readonly why?: string }

type TypeScriptCompiler = { readonly program: string; readonly version: string }

/** What checks the types of this folder, or why nothing does. */
function findCompiler(folder: string): TypeScriptCompiler | string {
  if (!existsSync(join(folder, 'tsconfig.json'))) return 'there is no tsconfig.json'
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('typescript/package.json')
    const { bin, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { tsc: string }; version: string }
    return { program: join(dirname(manifest), bin.tsc), version }
  } catch {
    return 'TypeScript is not installed' // as in an image that only serves
  }
}

const linePattern = /^(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): error (?<text>TS\d+: .*)$/

/**
 * `a.ts(2,89): error TS2561: …` and the indented lines after it, which say more → one mistake each.
 */
function readMistakes(printed: string): BuildProblem[] {
  const mistakes: BuildProblem[] = []
  for (const printedLine of printed.split('\n')) {
    const { file, line, column, text } = linePattern.exec(printedLine)?.groups ?? {}
    const last = mistakes.at(-1)
    if (text !== undefined) mistakes.push({ file: file as string, line: Number(line), column: Number(column), text })
    else if (/^error TS/.test(printedLine)) mistakes.push({ text: printedLine.slice('error '.length) })
    else if (last && /^\s+\S/.test(printedLine))
      mistakes[mistakes.length - 1] = { ...last, text: `${last.text}\n${printedLine}` }
  }
  return mistakes
}

/** The folder of the package that this file is a part of. */
const engine = realpathSync(join(import.meta.dirname, '../..'))

/**
 * Whether it stands in a file of the engine, which whoever writes an application cannot mend: its
 * types by the application's settings, or its sources, where the application has it as a link to a
 * repository. In that repository itself they are as much its own as the rest.
 */
function isOfEngine(folder: string, { file }: BuildProblem): boolean {
  const own = realpathSync(folder) + sep
  if (file === undefined || !resolve(own, file).startsWith(engine + sep)) return false
  return !engine.startsWith(own) || engine.includes(`${sep}node_modules${sep}`)
}

type CompilerRun = { readonly arguments: readonly string[]; readonly signal?: AbortSignal | undefined }

function run(
  folder: string,
  { program }: TypeScriptCompiler,
  { arguments: given, signal }: CompilerRun,
): Promise<TypeCheckResult> {
  return new Promise((resolveCheck, reject) => {
    const child = spawn(process.execPath, [program, '--noEmit', '--pretty', 'false', ...given], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    child.on('error', reject)
    child.on('close', (code) => {
      const mistakes = readMistakes(printed)
      if (code === 0 || mistakes.length > 0)
        resolveCheck({ mistakes: mistakes.filter((one) => !isOfEngine(folder, one)) })
      else resolveCheck({ mistakes: [{ text: printed.trim() || `the compiler ended with ${code}` }] })
    })
  })
}

const cacheFolder = 'node_modules/.cache/bindery'

/**
 * Everything that the project's tsconfig.json takes in, its tests as well. Rejects with an
 * `AbortError` when `signal` says so.
 */
export async function checkTypes(folder: string, signal?: AbortSignal): Promise<TypeCheckResult> {
  const compiler = findCompiler(folder)
  if (typeof compiler === 'string') return { why: compiler }
  const incremental = ['--incremental', '--tsBuildInfoFile', join(folder, cacheFolder, 'types.tsbuildinfo')]
  return run(folder, compiler, { arguments: incremental, signal })
}

/**
 * What the types of the application depend on, as a hash: its sources, its settings, its engine and
 * its compiler.
 */
function fingerprint(folder: string, { version }: TypeScriptCompiler, engine: string): string {
  const hash = createHash('sha256').update(`${version} ${engine}`)
  const files = globSync('**/*.{ts,mts,cts,json}', { cwd: folder, exclude: ['**/node_modules', '**/.*', '**/dist'] })
  for (const file of files.toSorted()) hash.update(`\0${file}\0`).update(readFileSync(join(folder, file)))
  return hash.digest('hex')
}

/**
 * What is served: the application's file and whatever it imports. What was right is not checked
 * again until something changes.
 */
export async function checkServed(folder: string, app: string, engine: string): Promise<TypeCheckResult> {
  const compiler = findCompiler(folder)
  if (typeof compiler === 'string') return { why: compiler }
  if (!/\.[mc]?ts$/.test(app)) return { why: `${app} is no TypeScript` }
  const cache = join(folder, cacheFolder)
  const stamp = join(cache, 'checked')
  const own = fingerprint(folder, compiler, engine)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === own) return { mistakes: [] }
  try {
    mkdirSync(cache, { recursive: true })
    const settings = {
      extends: relative(cache, join(folder, 'tsconfig.json')),
      files: [relative(cache, app)],
      include: [],
    }
    writeFileSync(join(cache, 'tsconfig.json'), JSON.stringify(settings))
  } catch {
    return { why: `${cache} cannot be written` }
  }
  const found = await run(folder, compiler, { arguments: ['-p', join(cache, 'tsconfig.json')] })
  if (found.mistakes?.length === 0) writeFileSync(stamp, own)
  return found
}
