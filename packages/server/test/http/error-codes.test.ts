/**
 * Each error code is one row of the table in the sources, and the documentation has the same row.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ApiError, badKey, badToken, type ErrorCode, errorCodes } from '../../src/errors.ts'
import { errorHeaders } from '../../src/http/messages/error-response.ts'

const document = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8')

describe('error codes', () => {
  it('are the table of docs/reference/errors.md, row by row', () => {
    const rows = Object.entries(errorCodes).map(
      ([code, { status, title, graphql, about }]) =>
        `| \`${code}\` | ${status} | ${title} | \`${graphql}\` | ${about} |`,
    )
    assert.deepEqual(document.match(/^\| `[a-z-]+` \| \d{3} \|.*$/gm), rows)
  })

  it('have a GraphQL code each, and stand in the order of their statuses', () => {
    const rows = Object.values(errorCodes)
    assert.equal(new Set(rows.map(({ graphql }) => graphql)).size, rows.length)
    const statuses = rows.map(({ status }) => status)
    assert.deepEqual(
      statuses,
      statuses.toSorted((a, b) => a - b),
    )
  })
})

describe('WWW-Authenticate', () => {
  const challengeOf = (error: ApiError) => errorHeaders(error)['www-authenticate']

  it('is for a 401, by what would let the caller in', () => {
    const bearer = 'Bearer realm="bindery"'
    assert.equal(challengeOf(new ApiError('unauthenticated', 'Token required')), bearer)
    assert.equal(challengeOf(new ApiError('unauthenticated', 'Invalid credentials')), bearer)
    assert.equal(challengeOf(badToken('Token expired')), `${bearer}, error="invalid_token"`)
    assert.equal(challengeOf(badKey('missing')), 'ApiKey realm="bindery"')
  })

  it('does not depend on the words of the sentence', () =>
    assert.equal(challengeOf(new ApiError('unauthenticated', 'No API key')), 'Bearer realm="bindery"'))

  for (const code of (Object.keys(errorCodes) as ErrorCode[]).filter((one) => one !== 'unauthenticated'))
    it(`is not for ${code}`, () => assert.equal(challengeOf(new ApiError(code, 'x')), undefined))
})
