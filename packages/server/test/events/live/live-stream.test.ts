/** Text for a client that reads slowly is bounded, and the client is told of the loss. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeLiveStream } from '../../../src/events/live/live-stream.ts'
import { plainForm } from '../../../src/events/live/print-live.ts'

function streamOf(unreadMax: number) {
  let ends = 0
  const stream = makeLiveStream({
    form: plainForm,
    overflow: () => 'lost',
    onEnd: () => {
      ends += 1
    },
    unreadMax,
  })
  return { stream, ends: () => ends }
}

describe('The text of a live stream', () => {
  it('waits for the client, and comes together', async () => {
    const { stream } = streamOf(10)
    stream.send('one ')
    stream.send('two ')
    const reader = stream.pieces[Symbol.asyncIterator]()
    assert.deepEqual(await reader.next(), { done: false, value: 'one two ' })
    const next = reader.next()
    stream.send('three')
    assert.deepEqual(await next, { done: false, value: 'three' })
    stream.end('bye')
    assert.deepEqual(await reader.next(), { done: false, value: 'bye' })
    assert.deepEqual(await reader.next(), { done: true, value: undefined })
  })

  it('is dropped beyond the bound: the client is told, and the stream ends', async () => {
    const { stream, ends } = streamOf(10)
    const reader = stream.pieces[Symbol.asyncIterator]()
    stream.send('first')
    assert.equal((await reader.next()).value, 'first')
    stream.send('123456')
    const space = stream.space()
    stream.send('789012')
    stream.send('more')
    await space
    assert.equal(stream.isOpen(), false)
    assert.equal((await reader.next()).value, 'lost')
    assert.equal((await reader.next()).done, true)
    assert.equal(ends(), 1)
  })

  it('ends once where the client goes', async () => {
    const { stream, ends } = streamOf(10)
    const reader = stream.pieces[Symbol.asyncIterator]()
    stream.send('first')
    await reader.next()
    await reader.return?.()
    stream.end('bye')
    stream.send('more')
    assert.equal(ends(), 1)
  })
})
