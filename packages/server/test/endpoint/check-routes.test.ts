/** Mistakes in defined routes that the compiler does not see: the start finds all of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkRoutes } from '../../src/endpoint/check-routes.ts'
import { defineRoute } from '../../src/endpoint/define-route.ts'
import { documentedResponse } from '../../src/endpoint/documented-response.ts'
import { openAccess } from '../../src/endpoint/route-access.ts'
import { sentText } from '../../src/endpoint/route-fields.ts'
import { integer } from '../../src/index.ts'

const tag = { name: 'Greetings', description: 'All of them.' }
const describeAs = (id: string) => ({ id, tag, summary: 'Greet' })
const output = { 204: documentedResponse('It is done.') }
const done = () => ({ status: 204 }) as const
const usual = { method: 'POST', path: '/greet', describe: describeAs('greet'), rule: openAccess, output } as const
const foundIn = (...routes: readonly object[]) => {
  try {
    checkRoutes([{ routes: routes as never }])
    return []
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
}

describe('mistakes of routes', () => {
  const right = defineRoute({
    ...usual,
    input: { name: sentText({ required: true }) },
    example: { name: 'Ada' },
    run: done,
  })
  it('are none where all is right', () => assert.deepEqual(foundIn(right), []))

  const wrong: Readonly<Record<string, readonly [routes: readonly object[], mistakes: readonly string[]]>> = {
    'two at one path': [
      [right, { ...right, describe: describeAs('greetAgain') }],
      ['POST /greet: there are two routes'],
    ],
    'the same path beside its own': [[{ ...right, alsoAt: ['/greet'] }], ['POST /greet: there are two routes']],
    'two of one id': [[right, { ...right, path: '/hail' }], ['describe: two routes have the id greet']],
    'a GET with a body': [[{ ...right, method: 'GET' }], ['GET /greet: input: a GET has no body; use query']],
    'no answer': [[{ ...right, output: {} }], ['POST /greet: output: there must be one answer at least']],
    'no status': [[{ ...right, output: { 99: documentedResponse('?') } }], ['POST /greet: output: 99 is no status']],
    'an untold parameter': [
      [{ ...right, path: '/greet/:person' }],
      ['POST /greet/:person: parameters: person of the path is missing'],
    ],
    'a parameter of no path': [
      [{ ...right, parameters: { person: sentText() } }],
      ['POST /greet: parameters: person is not in the path'],
    ],
    'an example that it refuses': [
      [{ ...right, example: { nam: 'Ada' } }],
      ['POST /greet: example: Unknown field nam'],
    ],
    'an option that there is not': [
      [{ ...right, query: { loud: integer({ maximum: 3 } as never) } }],
      ['POST /greet: query: loud: no option "maximum"'],
    ],
  }
  for (const [what, [routes, mistakes]] of Object.entries(wrong))
    it(what, () => {
      const found = foundIn(...routes)
      assert.equal(found.length, mistakes.length, found.join('\n'))
      for (const mistake of mistakes) assert.ok(found[0]?.startsWith(mistake), String(found))
    })

  it('are told all at once', () => {
    assert.deepEqual(foundIn(right, { ...right, output: {} }), [
      'POST /greet: output: there must be one answer at least',
      'POST /greet: there are two routes',
      'describe: two routes have the id greet',
    ])
  })
})
