/**
 * Limits of GraphQL responses: long texts count by their maximum length and are refused before they
 * are read. A response that is too large ends with an error.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { graphqlLimits } from '../../src/graphql/documents/limit.ts'
import { type Endpoint, openEndpoint, type TestPerson } from './endpoint.ts'

describe('the size of answers', () => {
  let endpoint: Endpoint
  let writer: TestPerson
  before(async () => {
    endpoint = await openEndpoint()
    writer = await endpoint.person('USER')
    const create = 'mutation ($text: String!) { createLetter(input: { recipientId: "ID", text: $text }) { _id } }'
    for (const text of [...Array.from({ length: 99 }, () => '😀'.repeat(4000)), '\u0001'.repeat(4000)]) {
      const query = create.replace('ID', writer.id)
      const answer = await endpoint.ask(query, { token: writer.token, variables: { text } })
      assert.equal(answer.errors, undefined)
    }
  })
  after(() => endpoint.stop())

  const texts = (count: number, limit = 100) =>
    `{ letters(limit: ${limit}) { data { ${Array.from({ length: count }, (_, i) => `t${i}: text`).join(' ')} } } }`
  async function outcome(query: string, bytesMax: number): Promise<string> {
    const response = await fetch(endpoint.address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${writer.token}` },
      body: JSON.stringify({ query }),
    })
    assert.equal(response.status, 200)
    const body = await response.text()
    assert.ok(body.length < bytesMax, `${body.length} bytes`)
    const { data, errors } = JSON.parse(body)
    if (!errors) return 'answered'
    assert.equal(errors.length, 1)
    assert.ok(data === null || data === undefined)
    return `${errors[0].extensions.code}: ${errors[0].message}`
  }

  it('a whole page of the longest text is answered', async () => {
    assert.equal(await outcome(texts(1), graphqlLimits.answerBytesMax), 'answered')
    assert.equal(await outcome(texts(2, 50), graphqlLimits.answerBytesMax), 'answered')
  })

  it('more texts than are ever read at once are refused before they are read', async () => {
    const refused =
      'GRAPHQL_VALIDATION_FAILED: The operation may read more than 3000000 characters; ask for fewer records or fields'
    assert.equal(await outcome(texts(8), 1000), refused)
    const fragment = `{ letters(limit: 100) { data { ...F ...G } } } fragment F on Letter { ${'abcd'
      .split('')
      .map((name) => `${name}: text`)
      .join(' ')} } fragment G on Letter { ${'efgh'
      .split('')
      .map((name) => `${name}: text`)
      .join(' ')} }`
    assert.equal(await outcome(fragment, 1000), refused)
  })

  it('an answer ends where it is too large, compiled or not', async () => {
    const refused = 'BAD_USER_INPUT: The answer has more than 2097152 bytes; ask for fewer records or fields'
    for (let use = 1; use <= 4; use += 1) assert.equal(await outcome(texts(2), 1000), refused)
    // 4,000 control characters are 24,000 bytes of JSON.
    assert.equal(await outcome(texts(15, 1), 400_000), 'answered')
  })
})
