/**
 * The steps of one document in order: commands with their expected output, files to save, and
 * commands that cannot run, with the reason.
 */
import { type Block, type Document, type Note, noteOf } from './documents.ts'

export type Step =
  | { readonly kind: 'save'; readonly line: number; readonly file: string; readonly text: string }
  | { readonly kind: 'skip'; readonly line: number; readonly why: string }
  | {
      readonly kind: 'run'
      readonly line: number
      readonly command: string
      /** It stands in a comment, which readers do not see. */
      readonly isHidden?: boolean
      /** The output that the document shows. Without it, the command must exit with 0. */
      readonly expected?: string
    }
  | { readonly kind: 'mistake'; readonly line: number; readonly problem: string }

/**
 * A command goes on after a backslash and to the end of its here-document. Returns the index of its
 * last line.
 */
function endOfCommand(lines: readonly string[], from: number): number {
  const [, word] = /<<-?\s*['"]?(\w+)/.exec(lines[from] ?? '') ?? []
  let at = from
  if (word) while (at + 1 < lines.length && lines[at] !== word) at += 1
  else while (lines[at]?.endsWith('\\')) at += 1
  return at
}

function consoleSteps({ text, line }: Block): Step[] {
  const lines = text.split('\n')
  const steps: Step[] = []
  for (let i = 0; i < lines.length; i += 1) {
    if (!lines[i]?.startsWith('$ ')) {
      steps.push({ kind: 'mistake', line: line + i, problem: 'a console block begins with a command: `$ …`' })
      return steps
    }
    const end = endOfCommand(lines, i)
    const command = lines
      .slice(i, end + 1)
      .join('\n')
      .slice(2)
    const next = lines.findIndex((one, at) => at > end && one.startsWith('$ '))
    const after = next === -1 ? lines.length : next
    steps.push({
      kind: 'run',
      line: line + i,
      command,
      expected: lines
        .slice(end + 1, after)
        .join('\n')
        .trimEnd(),
    })
    i = after - 1
  }
  return steps
}

function shellSteps({ text, line }: Block): Step[] {
  const lines = text.split('\n')
  const steps: Step[] = []
  for (let i = 0; i < lines.length; i += 1) {
    const end = endOfCommand(lines, i)
    if (lines[i]?.trim()) steps.push({ kind: 'run', line: line + i, command: lines.slice(i, end + 1).join('\n') })
    i = end
  }
  return steps
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** One value, or one a line. */
function jsonSteps({ text, line }: Block): Step[] {
  if (isJson(text)) return []
  const wrong = text.split('\n').find((one) => !isJson(one))
  return wrong === undefined ? [] : [{ kind: 'mistake', line, problem: `this is not JSON: ${wrong}` }]
}

/** Variables that the server knows, by its own list. */
function variableSteps({ text, line }: Block): Step[] {
  return text.split('\n').map((one, i) => {
    const [, name] = /^([A-Z_]+)=\S/.exec(one) ?? []
    return name
      ? { kind: 'run', line: line + i, command: `npm run -s bindery -- serve --help | grep -w ${name}` }
      : { kind: 'mistake', line: line + i, problem: 'a block of env has lines like NAME=value' }
  })
}

/**
 * A block that a reader saves, a block that a command printed, or one that a test cannot reproduce.
 * `compiled.test.ts` has the blocks of code.
 */
function blockSteps(block: Block): Step[] {
  const { line, language, text } = block
  const skipped = noteOf(block, 'not run')
  if (skipped) return [{ kind: 'skip', line, why: skipped.text }]
  const saved = noteOf(block, 'saved as')
  if (saved) return [{ kind: 'save', line, file: saved.text, text: `${text}\n` }]
  const made = noteOf(block, 'output of')
  if (made) return [{ kind: 'run', line, command: made.text, expected: text }]
  if (language === 'console') return consoleSteps(block)
  if (language === 'sh') return shellSteps(block)
  if (language === 'json') return jsonSteps(block)
  if (language === 'env') return variableSteps(block)
  if (language === 'ts') return []
  const what = language === '' ? 'a block without a language' : `a block of ${language}`
  return [{ kind: 'mistake', line, problem: `${what} needs a comment before it: saved as, output of, or not run` }]
}

export function stepsOf({ parts }: Document): readonly Step[] {
  const hidden = ({ word, line, text }: Note): Step[] =>
    word === 'run' ? [{ kind: 'run', line, command: text, isHidden: true }] : []
  return parts.flatMap((part) => (part.kind === 'note' ? hidden(part) : blockSteps(part)))
}
