/**
 * Request bodies in the smallest possible chunks, and header lines of the maximum length.
 * `ATTACK_BYTES=1000000 ATTACK_LINES=40 npm run test:timed -- attacks` runs the long form.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { adminEmail, password } from '../helpers/application.ts'
import { endAll, openMany, startVictim } from './victim.ts'

const bytes = Number(process.env.ATTACK_BYTES ?? 200_000)
const count = Number(process.env.ATTACK_LINES ?? 5)
const host = 'Host: localhost\r\n'
const victim = await startVictim()
after(victim.stop)

const { body: session } = await victim.ask('POST', '/auth/login', { body: { email: adminEmail, password } })
const { body: made } = await victim.ask('POST', '/api/v1/access-keys', {
  body: { name: 'importer' },
  token: session.accessToken,
})

function inBytes(text: string): string {
  return `${[...text].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`
}
const chunked = (path: string, type: string, more = '') =>
  `POST ${path} HTTP/1.1\r\n${host}Content-Type: ${type}\r\n${more}Transfer-Encoding: chunked\r\n\r\n`

test(`three bodies of ${bytes} bytes in chunks of one byte`, () =>
  victim.survives(async () => {
    const body = inBytes(`${' '.repeat(bytes)}{"label":"a","room":"b"}`)
    const wires = await openMany(victim.url, 3, () => chunked('/shelves', 'application/json') + body)
    for (const wire of wires) assert.equal((await wire.next()).status, 201)
    endAll(wires)
  }))

const importHead = chunked('/api/v1/editions/import', 'application/x-ndjson', `X-API-Key: ${made.key}\r\n`)
const line = (length: number) => `{"title":"${'t'.repeat(length)}","price":1}\n`

test(`${count} lines of 1 MB`, () =>
  victim.survives(async () => {
    const lines = line(1_000_000).repeat(count)
    const [wire] = await openMany(
      victim.url,
      1,
      () => `${importHead}${lines.length.toString(16)}\r\n${lines}\r\n0\r\n\r\n`,
    )
    const { status, body } = (await wire?.next()) ?? assert.fail()
    assert.equal(status, 200, body)
    assert.equal(JSON.parse(body).rejected, count)
    wire?.end()
  }))

test('60 bodies of 1 MB that stop before their end', () =>
  victim.survives(async () => {
    const wires = await openMany(victim.url, 60, () => {
      return `POST /shelves HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`
    })
    const most = ' '.repeat(990_000)
    for (const wire of wires) wire.send(most)
    await new Promise((resolve) => setTimeout(resolve, 4000))
    endAll(wires)
  }))
