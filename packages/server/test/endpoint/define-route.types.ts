/**
 * Compile-time tests: a route is typed from its input to its output. `npm run check` fails when one
 * of these compiles (an unused
 * `@ts-expect-error` is an error), so this file needs no run.
 */
import { bodyShape } from '../../src/endpoint/body-shape.ts'
import { type DefinedRoute, defineRoute } from '../../src/endpoint/define-route.ts'
import { documentedResponse } from '../../src/endpoint/documented-response.ts'
import { openAccess } from '../../src/endpoint/route-access.ts'
import { sentText } from '../../src/endpoint/route-fields.ts'
import type { ServedRoute } from '../../src/http/serve-route.ts'
import { integer, owner, text } from '../../src/index.ts'

const describe = { id: 'greet', tag: { name: 'Greetings', description: 'All of them.' }, summary: 'Greet' } as const
const said = { 200: documentedResponse('A greeting.', { body: { words: text({ required: true }), count: integer() } }) }
const base = { method: 'POST', path: '/greet', describe, rule: openAccess, output: said } as const
type Needs = { readonly greeting: string }

export const right: DefinedRoute<Needs> = defineRoute({
  ...base,
  path: '/greet/:person/twice/:how',
  parameters: { person: text(), how: text() },
  query: { loud: text() },
  input: { name: sentText({ required: true }), age: integer() },
  run({ input, query, parameters }, { greeting }: Needs) {
    const name: string = input.name
    const age: number | null = input.age
    const person: string = parameters.person
    return { status: 200, body: { words: `${greeting} ${name} ${age} ${person} ${query.loud}` } }
  },
})

export const misspelt = defineRoute({
  ...base,
  input: bodyShape('', { name: sentText() }),
  // @ts-expect-error there is no field `nam`
  run: ({ input }) => ({ status: 200, body: { words: input.nam } }),
})

export const nullable = defineRoute({
  ...base,
  input: { name: sentText() },
  // @ts-expect-error `name` need not be sent
  run: ({ input }) => ({ status: 200, body: { words: input.name } }),
})

export const wrongAnswer = defineRoute({
  ...base,
  // @ts-expect-error `words` is missing
  run: () => ({ status: 200, body: { count: 1 } }),
})

export const wrongStatus = defineRoute({
  ...base,
  // @ts-expect-error 201 is no answer of this route
  run: () => ({ status: 201, body: { words: '' } }),
})

export const untold = defineRoute({
  ...base,
  path: '/greet/:person',
  // @ts-expect-error nothing is said of `person`
  parameters: {},
  run: () => ({ status: 200, body: { words: '' } }),
})

// @ts-expect-error a route describes itself
export const silent = defineRoute({
  method: 'GET',
  path: '/',
  rule: openAccess,
  output: said,
  run: () => ({ status: 200, body: { words: '' } }),
})

export const aboutRecords = defineRoute({
  ...base,
  // @ts-expect-error there is no record that a caller could own
  rule: owner('userId'),
  run: () => ({ status: 200, body: { words: '' } }),
})

export const unheardOf = defineRoute({
  ...base,
  // @ts-expect-error there is no such code
  errors: ['lost'],
  run: () => ({ status: 200, body: { words: '' } }),
})

// @ts-expect-error what is served says what it was made of
export const undescribed: ServedRoute = {
  methods: ['GET'],
  path: '/',
  answer: () => ({ status: 200, headers: {}, body: null }),
}
