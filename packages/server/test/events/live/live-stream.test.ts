/** Text for a client that reads slowly is bounded, and the client is told of the loss. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type LiveStream, makeLiveStream } from '../../../src/events/live/live-stream.ts'
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

/** A client that has room for one text at a time, until it reads. */
function readerOf({ text }: LiveStream) {
  const read: string[] = []
  const ends: string[] = []
  const source = text({
    write(piece) {
      read.push(piece)
      return false
    },
    end: (last) => void ends.push(last),
  })
  return { read, ends, ...source }
}

describe('The text of a live stream', () => {
  it('waits for the client, and comes together', async () => {
    const { stream } = streamOf(10)
    stream.send('one ')
    stream.send('two ')
    const reader = readerOf(stream)
    await turn()
    assert.deepEqual(reader.read, ['one two '])
    stream.send('three ')
    await turn()
    assert.equal(reader.read.length, 1)
    stream.send('4')
    reader.drained()
    assert.deepEqual(reader.read, ['one two ', 'three 4'])
    stream.end('bye')
    await turn()
    assert.deepEqual(reader.ends, ['bye'])
  })

  it('is dropped beyond the bound: the client is told, and the stream ends', async () => {
    const { stream, ends } = streamOf(10)
    const reader = readerOf(stream)
    stream.send('first')
    await turn()
    stream.send('123456')
    const space = stream.space()
    stream.send('789012')
    stream.send('more')
    await space
    assert.equal(stream.isOpen(), false)
    await turn()
    assert.deepEqual([reader.read, reader.ends], [['first'], ['lost']])
    assert.equal(ends(), 1)
  })

  it('may be longer than the bound where the client has read all before it', async () => {
    const { stream } = streamOf(10)
    stream.send('1234567890')
    stream.send('before the client can read')
    assert.equal(stream.length(), 36)
    const reader = readerOf(stream)
    await turn()
    reader.drained()
    stream.send('longer than the bound')
    await turn()
    assert.deepEqual(reader.read, ['1234567890before the client can read', 'longer than the bound'])
    assert.equal(stream.isOpen(), true)
  })

  it('ends once where the client goes', async () => {
    const { stream, ends } = streamOf(10)
    const reader = readerOf(stream)
    stream.send('first')
    await turn()
    stream.send('waits')
    const space = stream.space()
    reader.closed()
    await space
    stream.end('bye')
    stream.send('more')
    await turn()
    assert.deepEqual([ends(), reader.ends], [1, []])
  })
})
