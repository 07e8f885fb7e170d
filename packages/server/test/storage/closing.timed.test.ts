/**
 * A storage that closes while another process reads an older state of its file does not wait for
 * that.
 */
import { type TestContext, test } from 'node:test'
import { inLessThan } from '../helpers/least-time.ts'
import { heldUp } from './held-log.ts'

test('a storage closes without waiting for the reader', async (t: TestContext) => {
  // A connection that waits for another does so for five seconds.
  const held = await heldUp(t)
  await held.add('while it is held')
  await inLessThan(1_000, held.close, 1)
})
