/**
 * The 10,000 commonest passwords that are long enough, in `common-passwords.br` beside this file
 * (`release/common-passwords.ts` makes it): what everybody who guesses tries first (NIST SP
 * 800-63B, section 3.1.1.2).
 */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

export type IsCommonPassword = (password: string) => boolean

/**
 * Case does not count: whoever tries `password` tries `Password` too. The file is read when the
 * first password is judged.
 */
export function makeIsCommonPassword(): IsCommonPassword {
  let list: string | undefined
  return (password) => {
    list ??= `\n${brotliDecompressSync(readFileSync(new URL('./common-passwords.br', import.meta.url))).toString()}\n`
    return !password.includes('\n') && list.includes(`\n${password.toLowerCase()}\n`)
  }
}
