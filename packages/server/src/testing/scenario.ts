/**
 * Runs tables of requests with their expected responses, and texts that must not appear. Every
 * error must be `{error: string}` alone.
 */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Ask, AskOptions, TestResponse } from './ask.ts'

export type Scenario = {
  readonly it: string
  /** `GET /books/1`. */
  readonly ask: string
  readonly send?: AskOptions
  readonly status: number
  /** The whole body. */
  readonly body?: unknown
  /** The whole message of an error. */
  readonly error?: string
  /** A text that the body, or the message of an error, must contain. */
  readonly says?: string | RegExp
  /** Texts that must not appear anywhere in the body. */
  readonly hides?: readonly string[]
}

export function checkRefusal(reply: TestResponse): void {
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  assert.deepEqual(Object.keys(reply.body), ['error'])
  assert.equal(typeof reply.body.error, 'string')
  assert.doesNotMatch(reply.text, /SQLITE|constraint|at \w+ \(|node_modules/)
}

export function checkReply(scenario: Omit<Scenario, 'it' | 'ask' | 'send'>, reply: TestResponse): void {
  const { status, body, error, says, hides = [] } = scenario
  assert.equal(reply.status, status, reply.text)
  if (body !== undefined) assert.deepEqual(reply.body, body)
  if (status >= 400 && reply.text !== '') checkRefusal(reply)
  if (error !== undefined) assert.equal(reply.body.error, error)
  if (says instanceof RegExp) assert.match(reply.text, says)
  else if (says !== undefined) assert.ok(reply.text.includes(says), `${reply.text} says ${says}`)
  for (const text of hides) assert.ok(!reply.text.includes(text), `${reply.text} hides ${text}`)
}

/** Sends the requests one by one. */
export async function check(t: TestContext, ask: Ask, scenarios: readonly Scenario[]): Promise<void> {
  for (const scenario of scenarios) {
    await t.test(`${scenario.it}: ${scenario.ask.slice(0, 80)}`, async () => {
      const [method = '', ...path] = scenario.ask.split(' ')
      checkReply(scenario, await ask(method, path.join(' '), scenario.send))
    })
  }
}

/** The ids of a list, in its order. */
export function idsOf(reply: TestResponse): string[] {
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.map((record: { id?: string; _id?: string }) => record.id ?? record._id)
}
