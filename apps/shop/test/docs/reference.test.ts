/** docs/reference.md is what the comments in the sources say: `npm run golden` writes it anew. What is public and has no comment fails. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { root } from './documents.ts'

const run = promisify(execFile)

test('the reference is what the sources say', async () => {
  const { stdout } = await run(process.execPath, [join(root, 'release/reference.ts')])
  assert.equal(readFileSync(join(root, 'docs/reference.md'), 'utf8'), stdout, 'npm run golden')
})
