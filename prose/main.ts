/**
 * `npm run lint:prose`: holds the sentences of documents, comments and messages to the rules of
 * STYLE.md ("Plain English"). `npm run lint:prose -- docs accounts` reads the files with one of
 * these in their path. It exits with 1 when a sentence breaks a rule.
 */
import { findProse } from './find-prose.ts'
import { lintProse } from './lint-prose.ts'

const wanted = process.argv.slice(2)
let broken = 0
for (const piece of await findProse(wanted)) {
  for (const { line, rule, message } of await lintProse(piece)) {
    broken += 1
    process.stdout.write(`${piece.file}:${line}  ${message}  (${rule})\n`)
  }
}
if (broken > 0) {
  process.stderr.write(`${broken} sentences to rewrite: STYLE.md, "Plain English", has the rules with examples.\n`)
  process.exitCode = 1
}
