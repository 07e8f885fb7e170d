/**
 * The output of a command: data goes to stdout, messages to stderr, so that a pipe carries only
 * data. `--json` makes both readable by programs. Control characters in data never reach a
 * terminal.
 */
import { once } from 'node:events'
import { styleText } from 'node:util'

export type Output = {
  readonly json: boolean
  readonly debug: boolean
  /** Text to stdout; resolves when more may come. */
  write(text: string): Promise<void>
  /** One JSON value and a line break to stdout. */
  value(value: unknown): Promise<void>
  /** A line to stderr for people; nothing with `--json`. */
  note(line: string): void
  /** A problem: a line to stderr, or `{"error": …}` with `--json`. */
  problem(message: string, more?: Readonly<Record<string, unknown>>): void
}

type Style = Parameters<typeof styleText>[0]

/** Colours only on a terminal, and without NO_COLOR. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream })
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}

/** Escapes control and format characters, which a terminal would obey or hide: `a\u{202e}b` */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, escaped)
}

/** The same for a text of several lines. */
export function plainLines(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, escaped)
}

/** The same JSON value with such characters escaped, by UTF-16 units (RFC 8259, section 7). */
export function plainJson(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** A reader that closes the pipe (`| head`) has what it wanted, so this is not an error. */
export function endQuietlyWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      process.exit(error.code === 'EPIPE' ? Number(process.exitCode ?? 0) : 1)
    })
  }
}

export function makeOutput({ json, debug }: { json: boolean; debug: boolean }): Output {
  async function write(text: string): Promise<void> {
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain')
  }
  return {
    json,
    debug,
    write,
    value: (value) => write(`${plainJson(JSON.stringify(value))}\n`),
    note(line) {
      if (!json) process.stderr.write(`${plainLines(line)}\n`)
    },
    problem(message, more = {}) {
      if (json) process.stderr.write(`${plainJson(JSON.stringify({ error: message, ...more }))}\n`)
      else process.stderr.write(`${paint('red', 'error:', process.stderr)} ${plainLines(message)}\n`)
    },
  }
}
