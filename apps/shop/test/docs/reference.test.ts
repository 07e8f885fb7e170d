/**
 * The pages of reference are generated from the sources: `npm run golden` writes them. A public
 * name without a comment fails.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from 'bindery-server/client'
import { readDocuments, root } from './documents.ts'

const run = promisify(execFile)

const pages = [
  ['release/reference.ts', 'docs/reference/declarations.md'],
  ['release/configuration.ts', 'docs/reference/configuration.md'],
  ['release/command-line.ts', 'docs/reference/command-line.md'],
  ['release/reserved-words.ts', 'docs/reference/reserved-words.md'],
] as const

for (const [program, page] of pages) {
  test(`${page} is what the sources say`, async () => {
    const { stdout } = await run(process.execPath, [join(root, program)])
    assert.equal(readFileSync(join(root, page), 'utf8'), stdout, 'npm run golden')
  })
}

/** Blocks are compiled; this is about code within sentences. */
test('methods of the client that sentences name exist', () => {
  const client = createClient({ url: 'http://127.0.0.1' })
  const wrong = readDocuments().flatMap(({ file }) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/`[^`\n]*\b(api|client)\.(\w+)\([^`\n]*`/g)]
      .filter(([, name, method]) => name === 'api' || !Object.hasOwn(client, String(method)))
      .map(([code]) => `${file}: ${code}`),
  )
  assert.deepEqual(wrong, [])
})
