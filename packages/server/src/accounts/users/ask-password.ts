/**
 * Reads a password for the command line: from an option, standard input or a prompt, or generates
 * one. It reads none from a place that keeps it.
 */
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Interrupted, UsageError } from '../../command/usage-error.ts'

export type PasswordOptions = { readonly password?: string; readonly passwordStdin?: boolean }
export type EnteredPassword = {
  readonly text: string
  /** Generated here, so the command must show it once. */
  readonly generated: boolean
}

/** Without the line break at the end, which `echo` and editors write. */
async function readFromStdin(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password === '') throw new UsageError('--password-stdin: standard input is empty')
  return password
}

async function prompt(): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts')
  const answer = await password({ message: 'Password (empty: one is made and shown once)', output: process.stderr })
  if (isCancel(answer)) throw new Interrupted()
  return answer ?? ''
}

/** The password that was given; undefined when none was. */
export async function passwordFromOptions({ password, passwordStdin }: PasswordOptions): Promise<string | undefined> {
  if (password !== undefined && passwordStdin)
    throw new UsageError('--password and --password-stdin exclude each other')
  return passwordStdin ? readFromStdin() : password
}

/** Always a password: the given one, else one typed at the terminal, else a generated one. */
export async function passwordOrGenerated(options: PasswordOptions, mayAsk: boolean): Promise<EnteredPassword> {
  const given = await passwordFromOptions(options)
  if (given !== undefined) return { text: given, generated: false }
  const asked = mayAsk && process.stdin.isTTY && process.stderr.isTTY ? await prompt() : ''
  if (asked !== '') return { text: asked, generated: false }
  return { text: randomBytes(15).toString('base64url'), generated: true }
}
