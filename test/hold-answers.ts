/**
 * Loaded before each test file: compares every response that the file's `ask` receives with the
 * OpenAPI document of its service. A response that does not match the document fails the test that
 * made the request.
 */
import { subscribe } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'
import type { checkAnswer } from './answer-check.ts'

type Answered = Parameters<typeof checkAnswer>[0] & { problem?: Error }

// Loaded with the first answer: many files never ask, and a validator takes a tenth of a second to
// load.
const load = createRequire(import.meta.url)

subscribe('bindery-server.test.answers', (message) => {
  const answered = message as Answered
  try {
    ;(load('./answer-check.ts') as { checkAnswer: typeof checkAnswer }).checkAnswer(answered)
  } catch (error) {
    answered.problem = error as Error
  }
})
