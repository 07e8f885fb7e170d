/** The comments of a source file as one Markdown text, and its messages as another. */
import { parse } from '@babel/parser'
import type { Prose } from './find-prose.ts'

type Comment = { type: string; value: string; loc?: { start: { line: number; column: number } } | null }

/** Of each line that a comment is on. */
const columnsMax = 100

/** Comments that speak to tools. */
const isDirective = (text: string) => /^\s*(?:biome-ignore|@ts-|c8 |node:coverage|<reference|#region)/.test(text)

/** A message has four words or more and no SQL; names, paths and patterns have fewer. */
const isMessage = (text: string) =>
  text.split(/\s+/).filter((word) => /^[“"'(]?[A-Za-z][a-z'’]*[,.:;)]?$/.test(word)).length >= 4 &&
  !/^\s*\(?(?:do(?= \$\$)|select|insert|create|delete from|update|with|alter|drop|pragma|begin|vacuum|from|where|and|or)\b/i.test(
    text,
  ) &&
  !/[{};]\s*$|=>|\n\s*\n/.test(text)

export function proseOfSource(file: string, source: string): Prose[] {
  const program = parse(source, { sourceType: 'module', plugins: ['typescript'], tokens: true })
  const comments = { file, kind: 'comments' as const, ...commentsOf(program.comments ?? [], source) }
  // Tests and measurements speak to developers alone, and quote what others must not say.
  if (/\/test\/|\.test\.ts$|^bench\//.test(file)) return [comments]
  // An application's texts are its content: sample data, and descriptions in golden documents.
  if (/^apps\/[^/]+\/(?:resources|demo)\//.test(file)) return [comments]
  return [comments, { file, kind: 'messages', ...messagesOf(program.tokens ?? []) }]
}

function commentsOf(found: readonly Comment[], source: string) {
  const rows = source.split('\n')
  const texts = writer()
  const wide: number[] = []
  let last: Comment | undefined
  for (const comment of found) {
    if (isDirective(comment.value)) continue
    if (!isContinued(last, comment)) texts.end()
    const from = comment.loc?.start.line ?? 1
    for (const [index, line] of comment.value.split('\n').entries()) {
      texts.add(bare(line), from + index)
      if ((rows[from + index - 1] ?? '').length > columnsMax) wide.push(from + index)
    }
    last = comment
  }
  return { ...texts.done(), wide }
}

function messagesOf(tokens: readonly unknown[]) {
  const texts = writer()
  for (const { text, line } of stringsOf(tokens)) {
    if (!isMessage(text)) continue
    for (const part of text.split('\n')) texts.add(part.trimStart(), line)
    texts.end()
  }
  return texts.done()
}

/** Comments of `//` on lines one after another are one paragraph. */
function isContinued(last: Comment | undefined, next: Comment): boolean {
  const [a, b] = [last?.loc?.start, next.loc?.start]
  if (a === undefined || b === undefined || last?.type !== 'CommentLine' || next.type !== 'CommentLine') return false
  return a.line + 1 === b.line && a.column === b.column
}

/**
 * A line of a comment without its star; indentation stays where it makes a list or a block of code.
 */
const bare = (line: string) => line.replace(/^\s*\*? ?|\s+$/g, '')

function writer() {
  const texts: string[] = []
  const lines: number[] = []
  return {
    add(text: string, line: number) {
      texts.push(text)
      lines.push(line)
    },
    /** Ends a paragraph. */
    end() {
      texts.push('')
      lines.push(lines.at(-1) ?? 1)
    },
    done: () => ({ text: texts.join('\n'), lines }),
  }
}

type Token = { type: { label: string }; value?: unknown; loc: { start: { line: number } } }
type Text = { text: string; line: number }

/** Each string and each template; a value that a template puts in stands as one word of code. */
function stringsOf(tokens: readonly unknown[]): Text[] {
  const found: Text[] = []
  const open: Text[] = []
  for (const { type, value, loc } of tokens as Token[]) {
    if (type.label === 'string') found.push({ text: String(value), line: loc.start.line })
    else if (type.label === '`') {
      // A backtick ends the template whose parts came last, unless a value of it has just begun.
      const last = open.at(-1)
      if (last === undefined || last.text.endsWith(hole)) open.push({ text: '', line: loc.start.line })
      else found.push(...open.splice(-1))
    } else if (type.label === 'template') {
      const last = open.at(-1)
      if (last) last.text = `${last.text.replace(hole, '`x`')}${value}`
    } else if (type.label === '${' && open.length > 0) (open.at(-1) as Text).text += hole
  }
  return found
}

/** Stands at the end of a template's text while its value is read. */
const hole = '\u0000'
