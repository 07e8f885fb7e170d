/** The line of a request is joined of texts that are kept from line to line: it is, to the byte, what JSON has for the same fields. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRequestText, type RequestLine, requestFields, visible } from '../../src/http/request-line.ts'
import { makeNote } from '../../src/observe/request-note.ts'

type Some = Partial<Omit<RequestLine, 'note'>> & { readonly note?: Partial<RequestLine['note']> }

function lineOf({ note, ...rest }: Some): RequestLine {
  const made = makeNote({
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
    endedMs: performance.now(),
    address: '127.0.0.1',
  }
  return { ...asked, ...rest, note: { ...made, ...note } }
}

/** What the logger would write, at the time that the line says. */
function jsonOf(line: RequestLine, text: string): string {
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
  const requestText = makeRequestText()
  for (const some of lines) {
    const line = lineOf(some)
    const text = requestText(line)
    assert.equal(text, jsonOf(line, text))
  }
})

test('the time of a line is the time at which its request ended', () => {
  const requestText = makeRequestText()
  const began = performance.now()
  const beganMs = Date.now()
  for (const laterMs of [0, 1, 1, 30, 999, 1000, 1001, 60_000, 61_000]) {
    const { time } = JSON.parse(requestText(lineOf({ endedMs: began + laterMs }))) as { time: string }
    const offMs = Date.parse(time) - beganMs - laterMs
    assert.ok(Math.abs(offMs) <= 2, `${laterMs}: ${offMs} ms off`)
  }
})
