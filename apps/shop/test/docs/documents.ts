/**
 * The project's documents as data: their fenced blocks, and the comments that say how each is
 * tested (docs/decisions/0067). Readers do not see these comments. An unknown comment is an error,
 * so a misspelt one is not skipped.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../../..')

const words = ['run', 'output of', 'not run', 'compiled in', 'saved as'] as const
type Word = (typeof words)[number]
export type Note = { readonly kind: 'note'; readonly line: number; readonly word: Word; readonly text: string }
export type Block = {
  readonly kind: 'block'
  /** The line of its first line of text, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  readonly notes: readonly Note[]
}
export type Document = {
  readonly file: string
  readonly parts: readonly (Note | Block)[]
  readonly mistakes: readonly string[]
}

export function noteOf({ notes }: Block, word: Word): Note | undefined {
  return notes.find((note) => note.word === word)
}

function parseNote(text: string, line: number): Note | undefined {
  const [, word, said] = /^<!-- ([a-z ]+): ([\s\S]*?)\s*-->$/.exec(text) ?? []
  return words.includes(word as Word) ? { kind: 'note', line, word: word as Word, text: said ?? '' } : undefined
}

/** Where a comment or block that begins at this line ends: the index of its last line. */
function endOf(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  const length = lines.slice(from).findIndex(isEnd)
  return length === -1 ? lines.length - 1 : from + length
}

export function parseDocument(file: string, source: string): Document {
  const lines = source.split('\n')
  const parts: (Note | Block)[] = []
  const mistakes: string[] = []
  let notes: Note[] = []
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? ''
    if (line.startsWith('<!--')) {
      const end = endOf(lines, i, (one) => one.endsWith('-->'))
      const note = parseNote(lines.slice(i, end + 1).join('\n'), i + 1)
      if (note) parts.push(note)
      else mistakes.push(`${file}:${i + 1}: a comment says one of: ${words.join(', ')}; then a colon`)
      if (note) notes.push(note)
      i = end
    } else if (line.startsWith('```')) {
      const end = endOf(lines, i + 1, (one) => one === '```')
      const text = lines.slice(i + 1, end).join('\n')
      parts.push({ kind: 'block', line: i + 2, language: line.slice(3), text, notes })
      notes = []
      i = end
    } else {
      if (/^\s+```/.test(line))
        mistakes.push(`${file}:${i + 1}: a block begins at the start of its line, so that it is found`)
      if (line.trim() !== '') notes = []
    }
  }
  return { file, parts, mistakes }
}

/**
 * Every document of the repository that is about what there is now. Records of decisions are about
 * the day on which they were made.
 */
export function readDocuments(): readonly Document[] {
  const files = globSync(['*.md', 'docs/*.md', 'docs/!(decisions)/*.md', 'bench/*.md', '{packages,apps}/*/*.md'], {
    cwd: root,
  })
  return files.toSorted().map((file) => parseDocument(file, readFileSync(join(root, file), 'utf8')))
}

export function blocksOf({ parts }: Document): readonly Block[] {
  return parts.filter((part) => part.kind === 'block')
}
