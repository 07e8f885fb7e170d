/** Checks the types of the application with its own TypeScript (`tsc`). */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { BuildProblem } from './build-problem.ts'

/** Undefined where types cannot be checked; `why` gives the reason. */
export type TypeCheckResult = { readonly mistakes?: readonly BuildProblem[]; readonly why?: string }

type TypeScriptCompiler = { readonly program: string; readonly version: string }

/** The compiler of this folder, or the reason why there is none. */
function findCompiler(folder: string): TypeScriptCompiler | string {
  if (!existsSync(join(folder, 'tsconfig.json'))) return 'there is no tsconfig.json'
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('typescript/package.json')
    const { bin, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { tsc: string }; version: string }
    return { program: join(dirname(manifest), bin.tsc), version }
  } catch {
    return 'TypeScript is not installed' // normal in an image that only serves
  }
}

const linePattern = /^(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): error (?<text>TS\d+: .*)$/

/** `a.ts(2,89): error TS2561: …` and the indented lines after it → one error. */
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

/** The folder of this file's package. */
const engine = realpathSync(join(import.meta.dirname, '../..'))

/**
 * Whether the error is in a file of the engine, which the application's author cannot correct. It
 * may come from the application's compiler settings, or from engine sources linked from a
 * repository. In that repository itself, errors in the engine count like any other.
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
 * Checks all files of the project's tsconfig.json, including tests. Rejects with an `AbortError`
 * when `signal` aborts.
 */
export async function checkTypes(folder: string, signal?: AbortSignal): Promise<TypeCheckResult> {
  const compiler = findCompiler(folder)
  if (typeof compiler === 'string') return { why: compiler }
  const incremental = ['--incremental', '--tsBuildInfoFile', join(folder, cacheFolder, 'types.tsbuildinfo')]
  return run(folder, compiler, { arguments: incremental, signal })
}

/** A hash of the inputs of the type check: sources, settings, engine and compiler. */
function fingerprint(folder: string, { version }: TypeScriptCompiler, engine: string): string {
  const hash = createHash('sha256').update(`${version} ${engine}`)
  const files = globSync('**/*.{ts,mts,cts,json}', { cwd: folder, exclude: ['**/node_modules', '**/.*', '**/dist'] })
  for (const file of files.toSorted()) hash.update(`\0${file}\0`).update(readFileSync(join(folder, file)))
  return hash.digest('hex')
}

/**
 * Checks the served code: the application's file and its imports. A result without errors is kept
 * until an input changes.
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
