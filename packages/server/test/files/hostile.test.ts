/**
 * Hostile uploads at one service: each is refused in words, or tamed, and leaves nothing. The
 * service answers the next one as before.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { anyone, type DeclaredResource, defineResource, file, id, image, text } from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'
import { hostileBytes, hostileForms, hostileNames } from './hostile-uploads.ts'
import { objectsOf, png } from './sample-files.ts'

const traps = defineResource({
  name: 'trap',
  path: '/traps',
  fields: {
    id: id(),
    title: text(),
    photo: image({ maxBytes: '1 MB', variants: { thumb: { width: 8 } } }),
    manual: file({ types: ['application/pdf'], maxBytes: '1 MB' }),
    note: file({ types: ['text/plain'], maxBytes: '1 MB' }),
    bait: file({ maxBytes: '1 MB' }),
  },
  list: { style: 'page' },
  access: { read: anyone, write: anyone },
})

let service: TestService
let at = ''

before(async () => {
  service = await startService([traps] as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  at = `/api/v1/traps/${(await service.ask('POST', '/api/v1/traps', { body: {} })).body.id}`
})
after(() => service.stop())

/** Nothing is stored, and the record is as it was. */
async function leavesNothing(what: string): Promise<void> {
  await service.sweep()
  assert.deepEqual(objectsOf(service), [], what)
  const { photo, manual, note, bait } = (await service.ask('GET', at)).body
  assert.deepEqual([photo, manual, note, bait], [null, null, null, null], what)
}

describe('a hostile upload', () => {
  it('of bytes', async () => {
    for (const [what, { field, bytes: raw, type = 'text/plain', headers, status, says }] of Object.entries(
      hostileBytes,
    )) {
      const answer = await service.ask('PUT', `${at}/${field}`, { raw, type, headers: headers ?? {} })
      assert.equal(answer.status, status, `${what}: ${answer.text}`)
      assert.match(answer.body.error, says, what)
    }
    await leavesNothing('bytes')
  })

  it('of a form', async () => {
    for (const [what, { raw, type = 'multipart/form-data; boundary=x', status, says }] of Object.entries(
      hostileForms,
    )) {
      const answer = await service.ask('PATCH', at, { raw, type })
      assert.equal(answer.status, status, `${what}: ${answer.text}`)
      assert.match(answer.body.error, says, what)
    }
    await leavesNothing('forms')
  })

  it('of a name', async () => {
    for (const [what, [sent, kept]] of Object.entries(hostileNames)) {
      const wide = encodeURIComponent(sent)
      const headers = { 'content-disposition': `attachment; filename*=UTF-8''${wide}` }
      const put = await service.ask('PUT', `${at}/bait`, { raw: Buffer.from('a'), type: 'text/plain', headers })
      assert.equal(put.body.bait.name, kept, what)
      const served = await service.ask('GET', `${at}/bait`)
      const shown = served.headers.get('content-disposition') ?? ''
      assert.match(shown, /^inline; filename="[^"\\]*"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/, what)
      assert.equal(served.headers.get('set-cookie'), null, what)
    }
    assert.equal((await service.ask('DELETE', `${at}/bait`)).status, 204)
    await leavesNothing('names')
  })

  it('of a request', async () => {
    const { hostname, port } = new URL(service.url)
    /** The bytes as they are, and the status of the answer. */
    async function sent(head: readonly string[], body = ''): Promise<string> {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.write([...head, `Host: ${hostname}:${port}`, 'Connection: close', '', body].join('\r\n'))
      const [, status = 'none'] = /^HTTP\/1\.1 (\d+)/.exec(await textOf(socket).catch(() => '')) ?? []
      return status
    }
    const put = `PUT ${at}/bait HTTP/1.1`
    const rows: readonly (readonly [what: string, status: string, head: readonly string[], body?: string])[] = [
      ['no length', '400', [put, 'Content-Type: text/plain']],
      ['a negative length', '400', [put, 'Content-Length: -5'], 'abcde'],
      ['a length that no number holds', '400', [put, 'Content-Length: 99999999999999999999'], 'a'],
      ['a length far beyond the limit', '413', [put, 'Content-Length: 9007199254740991'], 'a'],
      ['two lengths', '400', [put, 'Content-Length: 1', 'Content-Length: 2'], 'ab'],
      ['a length and chunks', '400', [put, 'Content-Length: 3', 'Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'],
      ['a chunk of no length', '400', [put, 'Transfer-Encoding: chunked'], 'zz\r\nabc\r\n0\r\n\r\n'],
      ['another encoding of chunks', '400', [put, 'Transfer-Encoding: gzip'], 'abc'],
      [
        'another method by a header',
        '405',
        [`POST ${at}/bait HTTP/1.1`, 'X-HTTP-Method-Override: PUT', 'Content-Length: 1'],
        'a',
      ],
      ['a path upwards', '404', [`PUT ${at}/..%2F..%2Fbait HTTP/1.1`, 'Content-Length: 1'], 'a'],
      ['NUL in the path', '404', [`PUT ${at}/bait%00 HTTP/1.1`, 'Content-Length: 1'], 'a'],
      ['a malformed path', '400', [`PUT ${at}/%zz HTTP/1.1`, 'Content-Length: 1'], 'a'],
      [
        'no such record',
        '404',
        ['PUT /api/v1/traps/0198c0de-0000-7000-8000-000000000001/bait HTTP/1.1', 'Content-Length: 1'],
        'a',
      ],
      ['another version of the record', '412', [put, 'If-Match: "999"', 'Content-Length: 1'], 'a'],
    ]
    for (const [what, status, head, body] of rows) assert.equal(await sent(head, body), status, what)

    const endless = new ReadableStream({ pull: (out) => out.enqueue(Buffer.alloc(65_536, 'a')) })
    const init = { method: 'PUT', body: endless, duplex: 'half', headers: { 'content-type': 'text/plain' } }
    const answer = await fetch(`${service.url}${at}/bait`, init as RequestInit)
    assert.equal(answer.status, 413, 'chunks without end')
    await leavesNothing('requests')
    const kinds = [hostileBytes, hostileForms, hostileNames, [...rows, endless]].map((one) => Object.keys(one).length)
    assert.ok(kinds.reduce((sum, one) => sum + one) >= 60)
  })

  it('does not keep others out', async () => {
    assert.equal((await service.ask('PUT', `${at}/photo`, { raw: png, type: 'image/png' })).status, 200)
    assert.equal((await service.ask('GET', `${at}/photo?variant=thumb`)).status, 200)
  })
})
