/**
 * Finds the texts that people read: documents, and the comments and messages of source files. Each
 * text is Markdown with a table that maps its lines to lines of the file.
 */
import { glob, readFile } from 'node:fs/promises'
import { proseOfSource } from './prose-of-source.ts'

/** `lines[i]` is the line of the file, from 1 on, that line i of `text` comes from. */
export type Prose = {
  readonly file: string
  readonly kind: 'document' | 'comments' | 'messages'
  readonly text: string
  readonly lines: readonly number[]
  /** Lines of the file that hold a comment and are wider than `columnsMax`. */
  readonly wide?: readonly number[]
}

const documents = [
  '*.md',
  'bench/*.md',
  'docs/**/*.md',
  'deploy/**/*.md',
  'packages/*/*.md',
  'packages/*/templates/**/*.md',
]
const sources = [
  '{packages,apps}/*/{src,test,resources,demo,templates}/**/*.ts',
  '{bench,prose,release,site,test}/**/*.ts',
]

/**
 * Pages that a program writes from texts that are linted where they stand, and lists that quote
 * other people's words.
 */
const isMade = (file: string) => /(?:^|\/)(?:node_modules|dist|\.vitepress)\//.test(file)

/** All texts of the files with one of `wanted` in their path; of all files when it is empty. */
export async function findProse(wanted: readonly string[]): Promise<Prose[]> {
  const isWanted = (file: string) =>
    !isMade(file) && (wanted.length === 0 || wanted.some((part) => file.includes(part)))
  const found: Prose[] = []
  for await (const file of glob(documents)) {
    if (isWanted(file)) found.push(proseOfDocument(file, await readFile(file, 'utf8')))
  }
  for await (const file of glob(sources)) {
    if (isWanted(file)) found.push(...proseOfSource(file, await readFile(file, 'utf8')))
  }
  return found.sort((a, b) => a.file.localeCompare(b.file))
}

function proseOfDocument(file: string, text: string): Prose {
  // Front matter is data. It keeps its lines, so that all others keep their numbers.
  const front = /^---\n[\s\S]*?\n---\n/.exec(text)?.[0] ?? ''
  const blanks = '\n'.repeat(front.split('\n').length - 1)
  return {
    file,
    kind: 'document',
    text: blanks + text.slice(front.length),
    lines: text.split('\n').map((_, index) => index + 1),
  }
}
