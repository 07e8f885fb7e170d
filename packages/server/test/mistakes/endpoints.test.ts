/** Wrong endpoints: the start refuses each with its file, the endpoint and what was meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StartError } from '../../src/errors.ts'
import {
  accounts,
  anyone,
  bytes,
  defineEndpoint,
  derived,
  integer,
  json,
  lines,
  member,
  object,
  owner,
  password,
  role,
  text,
  textList,
  user,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { checkEndpointPaths } from '../../src/service/engine-routes.ts'
import { declare, loosely, mistakesOf, part, thing } from './declaring.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const things = thing({
  actions: { mend: { run: () => undefined } },
  access: { list: user, get: user, mend: user },
  children: { parts: { resource: 'part', by: 'thingId' } },
})
const hidden = declare({ name: 'note', fields: thing().fields, access: {} })
const base = { name: 'count', method: 'POST', rule: user, run: () => undefined }
const endpoint = (change: object) => loosely(defineEndpoint, { ...base, ...change })
const right = endpoint({})
const place = (name: unknown) => `defineEndpoint(${JSON.stringify(name)}): `
const found = (change: object) => mistakesOf([...people, things, part(), endpoint(change)])

const rows: readonly (readonly [mistake: string, change: object, says: string | RegExp])[] = [
  ['a misspelt member', { outpt: {} }, 'no member "outpt"; did you mean "output"?'],
  ['no rule', { rule: undefined }, 'needs rule'],
  ['no code', { run: undefined }, 'needs run'],
  ['another method', { method: 'PUT' }, 'method: cannot be "PUT"; there are GET, POST'],
  ['a rule that is a word', { rule: 'user' }, /rule: must be one of the rules .*; rules are written without quotes$/],
  ['a rule about a record', { rule: owner('id') }, /rule: owner\("id"\) is about the record/],
  ['a role that there is not', { rule: role('ADMN') }, /rule: .*ADMN/],
  ['members without tenants', { rule: member() }, /rule: member\(\) is about the record/],
  [
    'a rule of a collection about a record',
    { on: { collection: things }, rule: owner('id') },
    /rule: owner\("id"\) is about the record/,
  ],
  ['a rule about no field', { on: { record: things }, rule: owner('userId' as never) }, /rule: .*"userId"/],
  ['nothing that it is on', { on: {} }, 'on: must be { record: … } or { collection: … }'],
  ['both', { on: { record: things, collection: things } }, 'on: must be { record: … } or { collection: … }'],
  ['a name in place of a resource', { on: { record: 'thing' } }, /on.record: must be a resource/],
  ['a resource that is not listed', { on: { record: hidden } }, 'on: "note" is not in the list of resources'],
  ['the name of an action', { on: { record: things }, name: 'mend' }, 'name: "thing" has an operation of this name'],
  ['the name of an operation', { on: { collection: things }, name: 'list' }, /name: "thing" has an operation/],
  ['a word of scopes', { name: 'write' }, 'name: stands for several operations in scopes; take another name'],
  ['a name with a hyphen', { name: 'price-list' }, 'name: a name is camelCase letters and digits'],
  ['the name of the engine', { name: '_count' }, /name: names that begin with _ are the engine's/],
  ['a body of a GET', { method: 'GET', input: { a: text() } }, 'input: a GET has no body; use query'],
  ['a raw body of a GET', { method: 'GET', body: 'raw' }, 'body: a GET has no body'],
  ['once of a GET', { method: 'GET', once: () => 'a' }, 'once: a GET has no body'],
  ['fields of a raw body', { body: 'raw', input: { a: text() } }, 'input: a raw body is not read into fields'],
  [
    'a signature of fields',
    { verify: () => true, rule: anyone },
    "verify: checks the bytes of a body: write body: 'raw'",
  ],
  [
    'a rule beside a signature',
    { body: 'raw', verify: () => true },
    'rule: must be anyone beside verify, which decides who may send it',
  ],
  ['a stream that is kept', { once: () => 'a', output: lines({ a: text() }) }, /once: keeps the answer, and cannot/],
  ['another form of body', { body: 'json' }, 'body: cannot be "json"; there are raw'],
  ['a field that is none', { input: { a: 'text' } }, /input.a: must be a field, such as text\(\)/],
  ['a wrong option of a field', { input: { a: text({ max: 5 } as never) } }, /input.a: no option "max"/],
  ['a secret', { output: { a: password() } }, 'output.a: is a field of records that code neither takes nor gives'],
  ['a derived field', { output: { a: derived(text(), () => 'x') } }, /output.a: is a field of records/],
  ['an object in a query', { query: { a: object({ b: text() }) } }, /query.a: cannot be a query parameter/],
  ['JSON in a query', { query: { a: json() } }, /query.a: cannot be a query parameter/],
  ['a list in a query', { query: { a: textList() } }, /query.a: cannot be a query parameter/],
  ['a wrong field within', { input: { a: object({ _b: text() }) } }, /input.a._b: names that begin with _/],
  ['a media type that is none', { output: bytes('csv') }, /output.mediaType: must be a media type, such as text\/csv/],
  ['an error that there is not', { errors: { gone: 'It is gone' } }, /errors: cannot be "gone"; there are bad-request/],
  ['an error without a sentence', { errors: { conflict: '' } }, /errors.conflict: must be a text/],
  ['a rate that is none', { limits: { rate: '10' } }, 'limits.rate: must be such as 600/1m, in s, m or h, and is "10"'],
  ['too much time', { limits: { seconds: 601 } }, /limits.seconds: must be a whole number from 1 to 600/],
  ['too large a body', { limits: { bodyBytes: 5e9 } }, /limits.bodyBytes: must be a whole number from 1 to 33554432/],
  ['a misspelt limit', { limits: { second: 5 } }, 'limits: no member "second"; did you mean "seconds"?'],
]

describe('mistakes in endpoints', () => {
  it('are none where all is right', () => {
    assert.deepEqual(
      found({ on: { record: things }, input: { a: integer() }, output: { b: object({ c: text() }) } }),
      [],
    )
  })
  for (const [mistake, change, says] of rows)
    it(mistake, () => {
      const name = (change as { name?: string }).name ?? base.name
      const said = found(change).map((line) => {
        assert.ok(line.startsWith(place(name)), line)
        return line.slice(place(name).length)
      })
      assert.equal(said.length, 1, said.join('\n'))
      if (typeof says === 'string') assert.equal(said[0], says)
      else assert.match(String(said[0]), says)
    })

  it('are told of two of one name', () => {
    assert.match(String(mistakesOf([...people, right, endpoint({})])), /has an endpoint of this name already/)
  })

  it('are fields that no record stores', () => {
    const said = mistakesOf([thing({ fields: { place: object({ street: text() }) } })])
    assert.match(String(said), /field "place": is of object\(\), which only input and output have/)
  })
})

describe('the path of an endpoint', () => {
  const settings = { currency: 'USD', signUp: 'open' } as const
  const pathMistake = (change: object) => {
    try {
      checkEndpointPaths({ catalog: makeCatalog([...people, things, part(), endpoint(change)] as never), settings })
      return undefined
    } catch (error) {
      assert.ok(error instanceof StartError)
      return error.message.split('\n')[1]?.trim()
    }
  }
  const taken: readonly (readonly [string, object, string | undefined])[] = [
    ['is free', {}, undefined],
    ['is that of a resource', { name: 'things' }, '/api/v1/things is that of GET /api/v1/things'],
    ['is that of a batch', { name: 'batch' }, '/api/v1/batch is that of POST /api/v1/batch'],
    ['is that of a summary', { on: { collection: things }, name: 'summary' }, '/api/v1/things/summary is that of GET'],
    ['is that of children', { on: { record: things }, name: 'parts' }, '/api/v1/things/:id/parts is that of GET'],
    ['is that of the caller', { name: 'me' }, undefined],
  ]
  for (const [what, change, says] of taken)
    it(what, () => {
      const said = pathMistake(change)
      if (says === undefined) assert.equal(said, undefined)
      else assert.ok(said?.includes(`its path ${says}`), said ?? '')
    })
})
