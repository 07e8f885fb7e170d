/**
 * The 10,000 most common passwords that are long enough, which attackers try first (NIST SP
 * 800-63B, section 3.1.1.2). `common-passwords.br` beside this file holds them;
 * `release/common-passwords.ts` makes it.
 */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

export type IsCommonPassword = (password: string) => boolean

/**
 * Case does not count: an attacker who tries `password` tries `Password` too. The file is read when
 * the first password is judged.
 */
export function makeIsCommonPassword(): IsCommonPassword {
  let list: string | undefined
  return (password) => {
    list ??= `\n${brotliDecompressSync(readFileSync(new URL('./common-passwords.br', import.meta.url))).toString()}\n`
    return !password.includes('\n') && list.includes(`\n${password.toLowerCase()}\n`)
  }
}
