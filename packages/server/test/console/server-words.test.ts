/** Sentences of the server in a German console: common ones have words, others stay as they are. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { germanSentence } from '../../../console/src/words/de-server.ts'

it('says the common problems in German, and others behind the word of their status', () => {
  const cases: readonly (readonly [string, number | undefined, string])[] = [
    ['name is required', undefined, 'name fehlt'],
    ['name and price are required', 400, 'name und price fehlen'],
    ['title must be at most 200 characters', 400, 'title darf höchstens 200 Zeichen haben'],
    ['price must be from 1 to 5', 400, 'price muss zwischen 1 und 5 liegen'],
    ['email is already taken', 409, 'email ist schon vergeben'],
    ['Forbidden', 403, 'Das ist nicht erlaubt'],
    ['Only editors may do that', 403, 'Das ist nicht erlaubt: „Only editors may do that“'],
    [
      'Too many log-ins; wait 30 seconds',
      429,
      'Zu viele Anfragen, bitte kurz warten: „Too many log-ins; wait 30 seconds“',
    ],
    ['must be even', undefined, 'must be even'],
    ['I am a teapot', 418, 'I am a teapot'],
  ]
  for (const [english, status, german] of cases) assert.equal(germanSentence(english, status), german)
})
