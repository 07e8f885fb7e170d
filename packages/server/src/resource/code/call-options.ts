/**
 * Checks the options of calls that code of an application makes: `jobs(x).add(input, options)`. A
 * misspelt one would pass silently where the compiler does not know the object.
 */
import { kindOf, type Members, mistakesIn } from '../members.ts'

export const anyTextKind = kindOf('a text', (value) => typeof value === 'string')

/** `call`: as the code writes it. Throws an `Error` that names the option. */
export function checkCallOptions<O extends object>(call: string, options: unknown, table: Members<O>): void {
  const [mistake] = mistakesIn(options, table, [])
  if (mistake) throw new Error(`${call}: ${mistake.path === '' ? '' : `${mistake.path} `}${mistake.problem}`)
}
