/** All requests to other services leave by `outgoing/`: no other file sends one. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/**
 * Files that ask a server of this application, run in browsers and other programs, or wrap the
 * functions of Node.
 */
const elsewhere = new Set([
  'src/record/guard/guard-node.ts',
  'src/cli/running/top.ts',
  'src/client/make-connection.ts',
  'src/graphql/graphiql.ts',
  'src/accounts/sessions/log-in-form.ts',
  'src/accounts/recovery/account-script.ts',
  'src/service/mails/preview-routes.ts',
])
const client = /from '(?:node:https|undici)'|\brequest\b[^\n]*from 'node:http'|globalThis\.fetch/
const call = /(?<![.\w])fetch\(/
/** A `fetch` that the file is given. */
const given = /\bfetch[:}, ]/

function sends(text: string): boolean {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
  return client.test(code) || (call.test(code) && !given.test(code))
}

test('requests to other services leave by one door', () => {
  const found = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !/^src\/(outgoing|testing)\//.test(file) && sends(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(
    found.filter((file) => !elsewhere.has(file)),
    [],
  )
  assert.equal(found.length, elsewhere.size)
})
