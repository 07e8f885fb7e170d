/** Where in its file a mistake of a declaration stands, as well as the text tells: declarations are objects, which forget their lines. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Mistake } from './mistake.ts'

/** `resources/books.ts: book: field "title": min: must be …`, as the start reports it. */
const reportPattern = /^\s*(?<file>[^:]+\.[mc]?[jt]s): (?<resource>\w+): (?<rest>.*)$/s

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The place of a word behind another place; undefined where it is not found. */
function findWord(text: string, word: string, from: number): number | undefined {
  const pattern = new RegExp(`(?<![\\w$])${escaped(word)}(?![\\w$])`, 'g')
  pattern.lastIndex = from
  return pattern.exec(text)?.index
}

/** The words that lead to the place: the members of the path, and what the problem quotes first. */
function wordsOf(rest: string): string[] {
  const parts = rest.split(': ')
  const path = parts.slice(0, -1).flatMap((part) => part.match(/"[^"]+"|[\w$]+/g) ?? [])
  const quoted = parts.at(-1)?.match(/"([^"]+)"/)?.[0]
  return [...path, ...(quoted ? [quoted] : [])]
    .map((word) => word.replaceAll('"', ''))
    .filter((word) => word !== 'field')
}

/** One line of a start's report → the mistake with its place. A line of another form stays a text. */
export function locateMistake(folder: string, reported: string): Mistake {
  const { file, resource, rest } = reportPattern.exec(reported)?.groups ?? {}
  if (file === undefined || resource === undefined || rest === undefined) return { text: reported.trim() }
  const said = `${resource}: ${rest}`
  const path = resolve(folder, file)
  if (!existsSync(path)) return { file, text: said }
  const text = readFileSync(path, 'utf8')
  let at = text.search(new RegExp(`name:\\s*['"\`]${escaped(resource)}['"\`]`))
  if (at === -1) return { file, text: said }
  for (const word of wordsOf(rest)) at = findWord(text, word, at) ?? at
  const before = text.slice(0, at).split('\n')
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, text: said }
}
