/**
 * The beginning of a live stream: until the client has all records, no position resumes it. Streams
 * are opened without a connection, so that a client reads when the test wants.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../src/errors.ts'
import { makeFeedRoom } from '../../../src/events/feed-room.ts'
import { follow } from '../../../src/events/followed.ts'
import { makeLiveRoom } from '../../../src/events/live/live-room.ts'
import { type AskedPage, type LiveRequest, openStream } from '../../../src/events/live/open-stream.ts'
import { pageStateOf } from '../../../src/events/live/page-state.ts'
import { plainForm } from '../../../src/events/live/print-live.ts'
import type { TextSink } from '../../../src/http/messages/exchange.ts'
import { consolePrincipal } from '../../../src/resource/principal.ts'
import { until } from '../../helpers/until.ts'
import { openLibrary } from './live-library.ts'

const { own, api, admin } = await openLibrary()
const { engine } = own.service
const note = engine.catalog.get('note')

/** More than are sent at once. */
const records = 250

function openRoom() {
  const state = { isEnding: false, asked: 0 }
  const room = makeFeedRoom(engine, () => state.isEnding)
  assert.ok(room)
  const live = makeLiveRoom(room, engine, (error) => assert.fail(String(error)))
  const principal = consolePrincipal(engine.catalog)
  const caller = {
    principal,
    sender: 'test',
    readClient: { client: 'test' },
    callerNow() {
      state.asked += 1
      return principal
    },
  } as unknown as LiveRequest['caller']
  async function open(asked: LiveRequest['asked']) {
    const request = { method: 'GET', headers: {} } as LiveRequest['request']
    return openStream(live, { request, caller, place: (await room?.log.end()) as string, asked, form: plainForm })
  }
  return { state, open }
}

/** A client that reads nothing until it is told to. */
function makeClient() {
  const read: string[] = []
  let isOver = false
  const sink: TextSink = {
    write(piece) {
      read.push(piece)
      return false
    },
    end(last) {
      read.push(last)
      isOver = true
    },
  }
  return { sink, text: () => read.join(''), isOver: () => isOver }
}

function pageOf(name: string, length: number): AskedPage {
  const text = JSON.stringify([{ id: 1, text: 'x'.repeat(length) }])
  const read = async () => pageStateOf(text, { idField: 'id', total: undefined })
  return { kind: 'page', name, restsOn: () => undefined, key: () => name, read }
}

describe('A live stream that has not sent all its records', () => {
  it('ends without a position, so that the client begins anew', async () => {
    const operations = Array.from({ length: 50 }, () => ({ method: 'POST', path: '/notes', body: { state: 'OPEN' } }))
    for (let made = 0; made < records; made += operations.length) {
      const { status, text } = await api('POST', '/batch', { body: { operations }, token: admin.token })
      assert.equal(status, 200, text)
    }
    const { state, open } = openRoom()
    const followed = follow(engine, { resource: note, parameters: new Map(), tenant: undefined })
    const { lasting } = await open([{ kind: 'set', name: undefined, followed }])
    const client = makeClient()
    const source = lasting?.(client.sink)
    const reads = () => {
      if (!client.text().includes('event: record')) source?.drained()
      return client.text().includes('event: record')
    }
    await until(reads, 'the first records')
    state.isEnding = true
    await until(client.isOver, 'the end')
    assert.match(client.text(), /event: end/)
    assert.doesNotMatch(client.text(), /event: ready/)
    assert.doesNotMatch(client.text(), /^id: ./m)
    assert.doesNotMatch(client.text(), /"position"/)
  })
})

describe('The pages of a stream', () => {
  it('may be as long together as one may be', async () => {
    const { open } = openRoom()
    const { lasting } = await open([pageOf('one', 900_000), pageOf('other', 900_000)])
    const client = makeClient()
    const source = lasting?.(client.sink)
    await until(() => client.text().length > 1_800_000, 'both pages')
    assert.doesNotMatch(client.text(), /event: lost/)
    source?.closed()
  })

  it('are refused where they are too long together, and nothing stays of the stream', async () => {
    const { state, open } = openRoom()
    await assert.rejects(
      open([pageOf('one', 1_100_000), pageOf('other', 1_100_000)]),
      (error) => error instanceof ApiError && error.code === 'bad-request' && /too long together/.test(error.message),
    )
    const { asked } = state
    await sleep(2_500)
    assert.equal(state.asked, asked, 'its caller is asked for no more')
  })
})
