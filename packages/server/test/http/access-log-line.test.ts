/** The access log's line for a request has the same bytes as JSON.stringify of the same fields. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AccessLogEntry, requestFields, visible } from '../../src/http/logs/access-log-entry.ts'
import { makeAccessLogLine } from '../../src/http/logs/access-log-line.ts'
import { makeRequestMeasurements } from '../../src/observe/request-measurements.ts'
import { anyText } from '../helpers/any-text.ts'

type Some = Partial<Omit<AccessLogEntry, 'note'>> & { readonly note?: Partial<AccessLogEntry['note']> }

function lineOf({ note, ...rest }: Some): AccessLogEntry {
  const made = makeRequestMeasurements({
    requestId: 'abcdefgh-1z',
    traceId: undefined,
    route: '/things/:id',
    startedMs: 0,
    watch: undefined,
  })
  const asked = {
    method: 'GET',
    path: '/things/1',
    status: 200,
    ms: 0.05,
    address: '127.0.0.1',
  }
  return { ...asked, ...rest, note: { ...made, ...note } }
}

/** The line that the logger would write, with the time of `text`. */
function jsonOf(line: AccessLogEntry, text: string): string {
  const { time } = JSON.parse(text) as { time: string }
  assert.equal(new Date(time).toISOString(), time)
  return `${visible(JSON.stringify({ level: 'info', time, ...requestFields(line) }))}\n`
}

const characters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)).concat(
  '\u2028',
  '\u202e',
  '\ud83d\ude00',
  '\ud800',
)
const userId = '0192a3b4-c5d6-7e8f-9a0b-1c2d3e4f5a6b'

const lines: readonly Some[] = [
  ...characters.map((character) => ({ path: `/things/a${character}b` })),
  ...[
    'bk_secret',
    'eyJhbGciOi.x-y_z',
    'eyJhbGciOi.xyz',
    '%62k_secret',
    'bk%5fsecret',
    '%65yJab',
    'a_b',
    'J',
    'x'.repeat(500),
    'x'.repeat(501),
  ].map((id) => ({ path: `/things/${id}` })),
  ...[0, 0.001, 0.01, 0.1, 0.999, 1, 1.5, 12.034, 1000, 65_432.1].map((ms) => ({ ms })),
  ...[0, 1, 2, 99, 100, 101, 5000].map((rows) => ({ note: { rows } })),
  ...['127.0.0.1', '127.0.0.1', '2001:db8::1', '127.0.0.1', ''].map((address) => ({ address })),
  ...[undefined, '/things/:id', '/ü "x"', '/other', undefined].flatMap((route) =>
    [200, 404, 200].map((status) => ({ note: { route }, status })),
  ),
  ...['POST', 'QUERY', 'GET'].map((method) => ({ method, note: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' } })),
  { note: { userId } },
  { note: { userId, keyId: userId, operation: 'Everything' } },
  { note: { operation: 'a\n"b\u202e' } },
]

test('whatever a request was, its line is the JSON of its fields', () => {
  const requestText = makeAccessLogLine()
  for (const some of lines) {
    const line = lineOf(some)
    const text = requestText(line)
    assert.equal(text, jsonOf(line, text))
  }
})

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const hex = (length: number) => fc.string({ unit: oneOf(...'0123456789abcdef'), minLength: length, maxLength: length })
const segment = fc.oneof(
  { weight: 4, arbitrary: fc.uuid() },
  anyText({ maxLength: 40 }),
  fc.string({ unit: oneOf(...'ab_kJey%62"\\\u0000\u007fü\u2028\u202e\ud83d\ud800'), maxLength: 600 }),
  oneOf('bk_secret', 'eyJhbGciOi.x-y_z', '%62k_secret', 'x'.repeat(2000)),
)
const asked = fc.record({
  note: fc.record({
    requestId: fc.oneof(oneOf('abcdefgh-1z', 'abcdefgh-20'), fc.string({ unit: oneOf(...'aZ0_.:=@+-'), minLength: 1 })),
    traceId: fc.option(hex(32), { nil: undefined, freq: 3 }),
    route: oneOf(undefined, '/things/:id', '/things', '/ü "x"'),
    userId: fc.option(oneOf(userId, 'ü"\u202e'), { nil: undefined, freq: 2 }),
    keyId: oneOf(undefined, undefined, userId),
    operation: fc.option(anyText({ maxLength: 100 }), { nil: undefined, freq: 2 }),
    rows: fc.oneof(oneOf(0, 1), fc.nat()),
  }),
  method: oneOf('GET', 'GET', 'POST', 'QUERY'),
  path: segment.map((text) => `/things/${text}`),
  status: oneOf(200, 404, 499),
  ms: fc.oneof(fc.nat(1000), fc.nat(100_000_000)).map((us) => us / 1000),
  address: fc.oneof(oneOf('127.0.0.1', ''), fc.ipV4(), fc.ipV6()),
})

type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never

/**
 * The line, the same again, and variants that differ in one field each. A cached part of a line
 * must be used only for an equal one.
 */
function variationsOf(some: Asked, other: Asked): Asked[] {
  const names = Object.keys(some.note) as (keyof Asked['note'])[]
  const ofRest = (Object.keys(some) as (keyof Asked)[]).map((name) => ({ ...some, [name]: other[name] }))
  const ofNote = names.map((name) => ({ ...some, note: { ...some.note, [name]: other.note[name] } }))
  return [some, some, ...[...ofNote, ...ofRest].flatMap((varied) => [varied, some])]
}

test('whatever lines follow one another, each is the JSON of its fields', () => {
  fc.assert(
    fc.property(asked, asked, fc.array(fc.nat(5_000)), (one, other, laterMs) => {
      let nowMs = Date.parse('2026-11-26T23:59:58.000Z')
      const requestText = makeAccessLogLine(() => nowMs)
      for (const [i, some] of variationsOf(one, other).entries()) {
        nowMs += laterMs[i] ?? 0
        const line = lineOf(some)
        const text = requestText(line)
        assert.equal(text, jsonOf(line, text))
        assert.equal(Date.parse((JSON.parse(text) as { time: string }).time), nowMs)
      }
    }),
    { numRuns: 500 },
  )
})
