/** An error in a file of the application, and how it is printed. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export type BuildProblem = {
  /** Relative to the folder of the application; absent where the error is in no file. */
  readonly file?: string
  /** Both count from 1. */
  readonly line?: number
  readonly column?: number
  readonly text: string
}

const wordPattern = /[\p{L}\p{N}_$]+|"[^"]*"|'[^']*'|./uy

/** The length of the word, the quoted text or the sign at this position. */
function lengthAt(line: string, column: number): number {
  wordPattern.lastIndex = column - 1
  return wordPattern.exec(line)?.[0].length ?? 1
}

/** The line of the error with marks under the word, where the file can be read. */
function excerpt(folder: string, { file, line, column = 1 }: BuildProblem): string[] {
  const path = file === undefined ? undefined : resolve(folder, file)
  if (path === undefined || line === undefined || !existsSync(path)) return []
  const text = readFileSync(path, 'utf8').split('\n')[line - 1]
  if (text === undefined) return []
  const number = String(line)
  const before = text.slice(0, column - 1).replace(/[^\t]/g, ' ')
  return [`  ${number} | ${text}`, `  ${' '.repeat(number.length)} | ${before}${'^'.repeat(lengthAt(text, column))}`]
}

/** `resources/books.ts:12:5 …`, then the line of the error. */
export function printBuildProblem(folder: string, mistake: BuildProblem): string {
  const { file, line, column, text } = mistake
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  return [place === '' ? text : `${place} ${text}`, ...excerpt(folder, mistake)].join('\n')
}
