/**
 * Finds the place of a declaration's error in its file, by its text: declarations are objects,
 * which do not know their lines.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BuildProblem } from './build-problem.ts'

/** `mails.ts: defineMail("welcome"): mails/welcome.en.txt:3: …`: the place is in another file. */
const otherFilePattern =
  /^\s*(?:[^:]+\.[mc]?[jt]s: \w+(?:\("[^"]*"\))?: )?(?<file>[^:]+\.(?:txt|html)):(?<line>\d+): (?<text>.*)$/s

/** `resources/books.ts: book: field "title": min: must be …`, the line of a start. */
const reportPattern = /^\s*(?<file>[^:]+\.[mc]?[jt]s): (?<resource>\w+)(?:\("(?<part>[^"]*)"\))?: (?<rest>.*)$/s

/** `resources/books.ts:2: there is no file "./boks.ts"`, of a file that cannot be loaded. */
const loadPattern = /^\s*(?<file>[^:\s]+\.[mc]?[jt]s):(?<line>\d+): (?<text>.*)$/

/** The word that such a sentence is about: `exports no "json"`, `date is not defined`. */
const wordOfLoad = /no (?:file )?"([^"]+)"|^(\w+) is not /

function locateOther(folder: string, reported: string): BuildProblem | undefined {
  const { file, line, text } = otherFilePattern.exec(reported)?.groups ?? {}
  if (file === undefined || text === undefined) return undefined
  const path = resolve(folder, file)
  const written = existsSync(path) ? readFileSync(path, 'utf8').split('\n')[Number(line) - 1] : undefined
  const at = written?.indexOf(/\{\{.*?\}\}/.exec(text)?.[0] ?? '') ?? -1
  return { file, line: Number(line), column: at === -1 ? 1 : at + 1, text }
}

function locateLoad(folder: string, reported: string): BuildProblem | undefined {
  const { file, line, text } = loadPattern.exec(reported)?.groups ?? {}
  if (file === undefined || text === undefined) return undefined
  const path = resolve(folder, file)
  const written = existsSync(path) ? readFileSync(path, 'utf8').split('\n')[Number(line) - 1] : undefined
  const [, quoted, bare] = wordOfLoad.exec(text) ?? []
  const at = written?.indexOf(quoted ?? bare ?? '') ?? -1
  return { file, line: Number(line), column: at === -1 ? 1 : at + 1, text }
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/**
 * The position of a word after another position, with the text that must follow it; undefined where
 * it is not found.
 */
function findWord(
  text: string,
  word: string,
  { from, then = '' }: { from: number; then?: string },
): number | undefined {
  const pattern = new RegExp(`(?<![\\w$])${escaped(word)}(?![\\w$])${then}`, 'g')
  pattern.lastIndex = from
  return pattern.exec(text)?.index
}

/**
 * A member of the resource, or of an object before it that its declaration uses; else the bare
 * word.
 */
function findMember(text: string, word: string, from: number): number | undefined {
  const then = '[\'"]?\\s*:'
  return (
    findWord(text, word, { from, then }) ?? findWord(text, word, { from: 0, then }) ?? findWord(text, word, { from })
  )
}

/**
 * The words that lead to the place: the members of the path, and the first quoted text of the
 * message.
 */
function wordsOf(rest: string): { readonly members: readonly string[]; readonly quoted: string | undefined } {
  const parts = rest.split(': ')
  const sentence = parts.findIndex((part) => /\s/.test(part.replace(/^field /, '')))
  const path = parts.slice(0, sentence === -1 ? -1 : sentence).flatMap((part) => part.match(/"[^"]+"|[\w$]+/g) ?? [])
  const members = path.map((word) => word.replaceAll('"', '')).filter((word) => word !== 'field')
  return { members, quoted: parts.at(-1)?.match(/"([^"]+)"/)?.[1] }
}

/** A line of a start as an error with its place. A line in another format stays a text. */
export function locateProblem(folder: string, reported: string): BuildProblem {
  const other = locateOther(folder, reported)
  if (other) return other
  const { file, resource, part, rest } = reportPattern.exec(reported)?.groups ?? {}
  if (file === undefined || resource === undefined || rest === undefined)
    return locateLoad(folder, reported) ?? { text: reported.trim() }
  const said = part === undefined ? `${resource}: ${rest}` : `${resource}("${part}"): ${rest}`
  const path = resolve(folder, file)
  if (!existsSync(path)) return { file, text: said }
  const text = readFileSync(path, 'utf8')
  let at = text.search(new RegExp(`name:\\s*['"\`]${escaped(part ?? resource)}['"\`]`))
  // Some messages are about calls such as `accounts`, and not about a resource.
  if (at === -1) at = text.search(new RegExp(`\\b${escaped(resource)}\\(`))
  if (at === -1) return { file, text: said }
  const { members, quoted } = wordsOf(rest)
  for (const member of members) at = findMember(text, member, at) ?? at
  if (quoted !== undefined) at = findWord(text, quoted, { from: at }) ?? at
  const before = text.slice(0, at).split('\n')
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, text: said }
}
