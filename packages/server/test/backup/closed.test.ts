/** A reader that stops or abandons a backup leaves no open file behind. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { pack, unpack } from '../../src/backup/pack.ts'

/** Yields these pieces; `isClosed` tells whether the consumer has ended it. */
function source(pieces: Iterable<Buffer>) {
  let isClosed = false
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield* pieces
    } finally {
      isClosed = true
    }
  }
  return {
    chunks: all(),
    async closed() {
      for (let tries = 0; tries < 20_000 && !isClosed; tries += 1) await sleep(10)
      return isClosed
    },
  }
}
const pieces = () => Array.from({ length: 200 }, () => randomBytes(20_000))

async function readFirst(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks) {
    assert.ok(chunk.length > 0)
    return
  }
}

const identity = await generateX25519Identity()
for (const [how, recipients, identities] of [
  ['plain', [], []],
  ['encrypted', [await identityToRecipient(identity)], [identity]],
] as const) {
  test(`a ${how} backup that is packed and given up`, async () => {
    const { chunks, closed } = source(pieces())
    await readFirst(await pack(chunks, recipients))
    assert.ok(await closed())
  })
  test(`a ${how} backup that is read in part`, async () => {
    const packed = await Array.fromAsync(await pack(source(pieces()).chunks, recipients))
    const { chunks, closed } = source(packed)
    await readFirst(await unpack(chunks, identities))
    assert.ok(await closed())
  })
}

test('what is no backup, or cannot be opened', async () => {
  const nonsense = source([randomBytes(1_000), randomBytes(1_000)])
  await assert.rejects(unpack(nonsense.chunks, []), /This is no backup/)
  assert.ok(await nonsense.closed())
  const packed = await Array.fromAsync(await pack(source(pieces()).chunks, [await identityToRecipient(identity)]))
  const locked = source(packed)
  await assert.rejects(unpack(locked.chunks, []), /The backup is encrypted/)
  assert.ok(await locked.closed())
})

test('an error of the source is told to whoever reads', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield randomBytes(20_000)
    throw new Error('the disk is gone')
  }
  await assert.rejects(Array.fromAsync(await pack(failing(), [])), /the disk is gone/)
})
