/**
 * `bindery doctor` about the secret and key pair that sign access tokens and seal stored secrets:
 * one of them, or both.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { findingsOf, textOf } from './ward.ts'

const strong = 'kJ8#nR2$vB6^mQ9&xL4*wT7!zP3@cF5%'
const guessable = 'a'.repeat(48)
const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const pair = { JWT_ALG: 'EdDSA' }

type Case = {
  readonly name: string
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** One line each, in this order. */
  readonly says: readonly RegExp[]
}

const cases: readonly Case[] = [
  { name: 'a good secret', files: { 'jwt-secret': strong }, says: [/^ok secret .*jwt-secret \| 32 bytes/] },
  { name: 'none', says: [/^warn secret .*every access token ends/] },
  {
    name: 'a good secret and no key pair',
    files: { 'jwt-secret': strong },
    env: pair,
    says: [/^ok /, /^warn secret .*jwt-key \| the key pair of access tokens is gone.*Put the file back/],
  },
  {
    name: 'a good key pair and no secret',
    files: { 'jwt-key': JSON.stringify(key) },
    env: pair,
    says: [/^warn secret .*jwt-secret \| it is gone.*what it seals \(authenticators\) is set up anew/, /^ok .*jwt-key/],
  },
  {
    name: 'a damaged key pair beside a secret that others guess',
    files: { 'jwt-secret': guessable, 'jwt-key': guessable },
    env: pair,
    says: [
      /^bad secret .*others can guess it: whoever does opens what it seals.* Move .*jwt-secret aside/,
      /^bad secret .*jwt-key \| it holds no Ed25519 key.*delete .*jwt-key and start/,
    ],
  },
  {
    name: 'a key pair of the configuration',
    files: { 'jwt-secret': strong },
    env: { ...pair, JWT_PRIVATE_KEY: JSON.stringify(key) },
    says: [/^ok /, /^ok secret \| JWT_PRIVATE_KEY \| an Ed25519 key pair/],
  },
  {
    name: 'what PostgreSQL keeps',
    env: { ...pair, DATABASE_URL: 'postgres://bindery:hidden@127.0.0.1:9/bindery' },
    says: [/^warn secret \| JWT_SECRET \| it is not set/, /^warn secret \| JWT_PRIVATE_KEY \| it is not set/],
  },
]

for (const { name, files = {}, env = {}, says } of cases)
  test(name, async (t) => {
    const folder = temporaryFolder()
    t.after(() => removeFolder(folder))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), `${text}\n`)
    const found = await findingsOf({ env: { DATA_DIR: folder, ...env } })
    const lines = found.filter(({ check }) => check === 'secret').map(textOf)
    assert.equal(lines.length, says.length, lines.join('\n'))
    for (const [i, pattern] of says.entries()) assert.match(lines[i] ?? '', pattern)
    assert.ok(!lines.join().includes(guessable) && !lines.join().includes(strong), 'nothing is shown')
  })
