/**
 * Turns an error into one line and an exit code: 0 done, 1 failed, 2 called wrongly, 130 stopped by
 * Ctrl-C. Only `--debug` shows stacks, because the line says what to do next.
 */
import { CommanderError } from 'commander'
import { Interrupted, UsageError } from '../command/usage-error.ts'
import { ApiError, StartError } from '../errors.ts'

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UsageError) return 2
  return error instanceof Interrupted ? 130 : 1
}

function isExpected(error: unknown): boolean {
  return (
    error instanceof UsageError ||
    error instanceof StartError ||
    error instanceof ApiError ||
    error instanceof Interrupted
  )
}

/** One sentence, for people and programs. */
export function messageOf(error: unknown, debug: boolean): string {
  if (error instanceof CommanderError) return error.message.replace(/^error: /, '')
  if (debug) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const message = error instanceof Error ? error.message : String(error)
  return isExpected(error) ? message : `${message} (unexpected; --debug shows where)`
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

/** `fileError('read', 'a.csv', error)` → `Cannot read a.csv: no such file or folder` */
export function fileError(verb: 'read' | 'write', file: string, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException
  return new StartError(`Cannot ${verb} ${file}: ${fileProblems[code ?? ''] ?? message}`)
}
