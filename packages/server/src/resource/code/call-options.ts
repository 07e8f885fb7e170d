/**
 * Checks the options of calls that code of an application makes: `jobs(x).add(input, options)`. A
 * misspelt one would pass silently where the compiler does not know the object.
 */
import { kindOf, type Members, mistakesIn } from '../members.ts'

export const anyTextKind = kindOf('a text', (value) => typeof value === 'string')

/** A call of the engine that code got wrong: it is the code's fault, and no error of the engine. */
export class WrongCallError extends Error {}

/** `call`: as the code writes it. Throws `WrongCallError`, which names the option. */
export function checkCallOptions<O extends object>(call: string, options: unknown, table: Members<O>): void {
  const [mistake] = mistakesIn(options, table, [])
  if (mistake) throw new WrongCallError(`${call}: ${mistake.path === '' ? '' : `${mistake.path} `}${mistake.problem}`)
}
