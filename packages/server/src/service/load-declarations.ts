/**
 * Loads an application's declarations. An error while loading (a missing import, an unknown name, a
 * syntax error) becomes one line with the file, the line and a suggestion.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { StartError } from '../errors.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { meantElsewhere, meantEntry } from '../resource/words/entry-names.ts'
import { findMeant, nearest } from '../resource/words/nearest.ts'

type SourceLocation = { readonly file: string; readonly line: number | undefined }

const engineFolder = dirname(import.meta.dirname)
const sources = /\.(ts|mts|js|mjs)$/

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** The line of the file that has this text, from 1. */
function lineOf(file: string, isThere: (line: string) => boolean): number | undefined {
  const at = textOf(file).split('\n').findIndex(isThere)
  return at === -1 ? undefined : at + 1
}

/** The exported names of a file, as far as its text shows them. */
function exportsOf(file: string): string[] {
  const text = textOf(file)
  const made = text.matchAll(/\bexport\s+(?:async\s+)?(?:const|let|function|class|type|interface)\s+(\w+)/g)
  const listed = text.matchAll(/\bexport\s+(?:type\s+)?\{([^}]*)\}/g)
  const names = [...listed].flatMap(([, inside = '']) =>
    inside.split(',').map((name) => name.replace(/^\s*type\s|.*\sas\s/, '').trim()),
  )
  return [...[...made].map(([, name = '']) => name), ...names].filter((name) => name !== '')
}

/** The exports of the engine's own entry, for names that a declaration uses. */
function engineExports(): string[] {
  return ['index.ts', 'index.js'].flatMap((name) => exportsOf(join(engineFolder, name)))
}

/** The specifier for an import statement: `./books.ts`. */
function specifierOf(importer: string, file: string): string {
  const path = relative(dirname(importer), file)
  return path.startsWith('.') ? path : `./${path}`
}

/**
 * The source file that a wrong path probably means: the same with another extension, or the closest
 * name in its folder.
 */
function meantFile(importer: string, missing: string): string {
  const folder = dirname(missing)
  const found = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => sources.test(name))
  const stem = (name: string) => name.replace(sources, '')
  const same = found.find((name) => stem(name) === stem(basename(missing)))
  const near = nearest(stem(basename(missing)), found.map(stem))
  const file = same ?? found.find((name) => stem(name) === near)
  const index = join(missing, 'index.ts')
  if (existsSync(index)) return `; did you mean "${specifierOf(importer, index)}"?`
  return file === undefined ? '' : `; did you mean "${specifierOf(importer, join(folder, file))}"?`
}

function dependenciesOf(importer: string): string[] {
  for (let folder = dirname(importer); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) return Object.keys(JSON.parse(textOf(file)).dependencies ?? {})
  }
  return []
}

type ExplainedProblem = SourceLocation & { readonly problem: string }

/** `Cannot find module '/app/boks.ts' imported from /app/index.ts` */
function explainMissing({ message }: Error): ExplainedProblem | undefined {
  const found = /^Cannot find (module|package) '([^']+)' imported from (\S+)/.exec(message)
  if (!found) return undefined
  const [, kind, missing = '', importer = ''] = found
  const file = importer.startsWith('file:') ? fileURLToPath(importer) : importer
  const written = /['"]([^'"]+)['"]/g
  const isMissing = (name: string) =>
    kind === 'package' ? name === missing || name.startsWith(`${missing}/`) : join(dirname(file), name) === missing
  const specifiers = (line: string) => [...line.matchAll(written)].map(([, name = '']) => name)
  const line = lineOf(file, (one) => specifiers(one).some(isMissing))
  const name = line && specifiers(textOf(file).split('\n')[line - 1] ?? '').find(isMissing)
  const near = kind === 'package' ? findMeant(missing, dependenciesOf(file)) : meantFile(file, missing)
  return { file, line, problem: `there is no ${kind === 'package' ? 'package' : 'file'} "${name ?? missing}"${near}` }
}

/** The place in the first line of a stack: `/app/books.ts:2`, before the message. */
function placeAbove(stack: string): SourceLocation | undefined {
  const [, url, path, line] =
    /^(?:(file:\/\/\S+)|(\/\S+|[A-Za-z]:\\\S+)):(\d+)$/m.exec(stack.split('\n')[0] ?? '') ?? []
  const file = url === undefined ? path : fileURLToPath(url)
  return file === undefined ? undefined : { file, line: Number(line) }
}

/** The place of the first frame in a file outside of the engine. */
function placeBelow(stack: string): SourceLocation | undefined {
  for (const [, url = '', line] of stack.matchAll(/^\s+at (?:.*\()?(file:\/\/\S+?):(\d+):\d+\)?$/gm)) {
    const file = fileURLToPath(url)
    if (!file.startsWith(engineFolder)) return { file, line: Number(line) }
  }
  return undefined
}

/** Earlier exports of the entry, for tables that `accounts` declares now. */
const gone = ['auditEventNames', 'currentSession', 'deviceName', 'endOtherSessions', 'hash', 'rotateKey', 'sealed']

/** `The requested module './books.ts' does not provide an export named 'boks'` */
function explainExport(message: string, file: string): string {
  const found = /^The requested module '([^']+)' does not provide an export named '([^']+)'/.exec(message)
  if (!found) return message
  const [, from = '', name = ''] = found
  if (!from.startsWith('.') && gone.includes(name))
    return `"${name}" is gone: the engine declares sessions, keys, factors and the like itself; delete this resource, and write accounts({ … })`
  const target = from.startsWith('.') ? join(dirname(file), from) : createRequire(pathToFileURL(file)).resolve(from)
  if (dirname(target) === engineFolder) return `"${from}" exports no "${name}"${meantEntry(name, exportsOf(target))}`
  return `"${from}" exports no "${name}"${findMeant(name, exportsOf(target))}`
}

/** `text is not defined`, `anyone is not a function` */
function explainName(message: string): string {
  const [, name, problem] = /^(\w+) is not (defined|a function)$/.exec(message) ?? []
  if (name === undefined) return message
  const names = engineExports()
  if (problem === 'a function') return names.includes(name) ? `${message}; write it without brackets` : message
  if (names.includes(name)) return `${message}; import it from 'bindery-server'`
  return `${message}${
    findMeant(
      name,
      names.filter((one) => /^[a-z]/.test(one)),
    ) || meantElsewhere(name)
  }`
}

function explain(error: unknown): ExplainedProblem | undefined {
  if (!(error instanceof Error)) return undefined
  const missing = explainMissing(error)
  if (missing) return missing
  const stack = error.stack ?? ''
  const place = error instanceof SyntaxError ? (placeAbove(stack) ?? placeBelow(stack)) : placeBelow(stack)
  if (!place) return undefined
  const problem = error instanceof SyntaxError ? explainExport(error.message, place.file) : explainName(error.message)
  return { ...place, problem }
}

/**
 * Returns the result of `load`. Throws a `StartError` that names file and line when a file of the
 * application cannot be loaded.
 */
export async function loadDeclarations(load: () => Promise<readonly Declared[]>): Promise<readonly Declared[]> {
  try {
    return await load()
  } catch (error) {
    const found = error instanceof StartError ? undefined : explain(error)
    if (!found) throw error
    const { file, line, problem } = found
    const here = `${process.cwd()}/`
    const place = file.startsWith(here) ? file.slice(here.length) : file
    throw new StartError(`The declarations cannot be loaded:\n  ${place}${line ? `:${line}` : ''}: ${problem}`, {
      cause: error,
    })
  }
}
