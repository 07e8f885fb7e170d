/**
 * A costly read from request to response: its client disconnects, other requests are answered
 * meanwhile, and a timeout has its own message.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anyone, defineResource, integer, integerId, text } from '../../src/index.ts'
import {
  databaseOf,
  onPostgres,
  removeDatabase,
  removeFolder,
  runSql,
  startService,
  type TestService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { fillSql } from '../storage/costly-suite.ts'
import { keys, people } from './people.ts'

const grains = defineResource({
  name: 'grain',
  path: '/grains',
  fields: { id: integerId(), name: text({ required: true }), a: integer(), b: integer(), c: integer() },
  list: { style: 'page', sortable: ['a', 'b'], defaultSort: 'id' },
  access: { list: anyone, get: anyone },
})

const folder = temporaryFolder()
let service: TestService
before(async () => {
  service = await startService([grains, ...people, keys], { env: { DATA_DIR: folder } })
  const { DATABASE_URL: url } = await databaseOf(folder)
  if (onPostgres) await runSql(url as string, fillSql)
  else {
    const database = new DatabaseSync(join(folder, 'bindery.db'))
    database.exec(fillSql)
    database.close()
  }
})
after(async () => {
  await service.stop()
  await removeDatabase(folder)
  removeFolder(folder)
})

/** Each alias sorts all grains anew. */
const slow = `{${Array.from({ length: 15 }, (_, i) => `a${i}: grains(page: ${i + 2}, sort: "b,-a") { data { id } meta { total } }`)}}`

async function send(): Promise<ReturnType<typeof connect>> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => undefined).on('data', () => undefined)
  const body = JSON.stringify({ query: slow })
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

test('one long request does not keep others waiting', async () => {
  await service.ask('GET', '/api/v1/grains/6') // the first answer also loads what checks answers
  const socket = await send()
  let isAnswered = false
  socket.once('data', () => {
    isAnswered = true
  })
  await sleep(20)
  const { status } = await service.ask('GET', '/api/v1/grains/7')
  assert.deepEqual([status, isAnswered], [200, false])
  socket.destroy()
})

test('what a client asked for ends when it disconnects', async () => {
  service.logged.length = 0
  const socket = await send()
  await sleep(30)
  socket.destroy()
  const isLogged = () => service.logged.some((line) => line.includes('"status":499'))
  await until(isLogged, () => service.logged.join('\n'))
  assert.deepEqual(
    service.logged.filter((line) => line.startsWith('error')),
    [],
  )
})
