/**
 * The documented error messages equal those in the sources, both ways. The messages of 400 are
 * many, so the document shows examples.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ErrorCode, errorCodes, factsOfError } from '../../src/errors.ts'

const root = join(import.meta.dirname, '../../../..')
const document = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')
const sources = globSync('{packages/server/src,apps/shop/resources}/**/*.ts', { cwd: root })
  // Its refusals are answers of tools, and the command line is no server.
  .filter((file) => !/\/(?:mcp\/(?:mcp|tool-offers)|cli|client)\b|-commands\.ts$|\/named-user\.ts$/.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'))

/** No client reads these: it has disconnected, or the sentence is for the log. */
const unseen = [
  'The client has disconnected',
  'Internal server error',
  'A fault rejected line … of an import',
  'The console is not built: run npm run console, and load the page again',
]

type Said = { readonly code: ErrorCode; readonly sentence: string }
const text = /(?<quote>['`"])(?<sentence>(?:\\.|(?!\k<quote>).)*)\k<quote>/.source
/** Functions that make errors of one code. */
const made: Readonly<Record<string, ErrorCode>> = { unavailable: 'unavailable', tooManyRequests: 'too-many-requests' }

const said: Said[] = sources.flatMap((source) => [
  ...[...source.matchAll(new RegExp(`ApiError\\(\\s*'(?<code>[a-z-]+)',\\s*${text}`, 'g'))].map(
    ({ groups }) => groups as Said,
  ),
  ...[...source.matchAll(new RegExp(`\\b(?<name>\\w+)\\(\\s*${text}`, 'g'))].flatMap(({ groups }) => {
    const { name = '', sentence = '' } = groups ?? {}
    return made[name] ? [{ code: made[name], sentence }] : []
  }),
])
const withGaps = (sentence: string) => sentence.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '…').replaceAll("\\'", "'")

/** The messages in the document's tables; a gap is `…` or an example. */
const documented = [...document.matchAll(/^\|.*$/gm)].flatMap(([row]) =>
  [...row.matchAll(/`([^`]+)`/g)].map(([, sentence]) => sentence as string),
)

function fits(sentence: string, known: string): boolean {
  const parts = sentence.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`).test(known)
}

test('every sentence of the sources is documented', () => {
  assert.ok(said.length > 60, `${said.length} sentences`)
  const missing = said
    .filter(
      ({ code, sentence }) =>
        code in errorCodes && factsOfError(code).status !== 400 && !unseen.includes(withGaps(sentence)),
    )
    .map(({ code, sentence }) => ({ code, sentence: withGaps(sentence) }))
    .filter(({ sentence }) => sentence !== '…' && !documented.some((known) => fits(sentence, known)))
  assert.deepEqual(missing, [])
})

test('every sentence of the table of statuses is in the sources', () => {
  const table = document.slice(document.indexOf('## Statuses and their sentences'), document.indexOf('### 400'))
  const rows = [...table.matchAll(/^\| \d{3} \| ([^|]*) \|/gm)].map(([, sentences]) => sentences as string)
  assert.ok(rows.length > 20)
  const all = sources.join('\n').replaceAll("\\'", "'")
  const templates = said.map(({ sentence }) => withGaps(sentence)).filter((one) => one.includes('…'))
  const strange = rows
    .flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, sentence]) => sentence as string))
    .filter((sentence) => !all.includes(sentence) && !templates.some((one) => fits(one, sentence)))
    // `Book not found` is made of the name of a resource.
    .filter((sentence) => !/^\w+ not found$/.test(sentence))
  assert.deepEqual(strange, [])
})
