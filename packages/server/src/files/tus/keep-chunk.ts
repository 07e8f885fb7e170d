/**
 * Keeps the pieces of an upload, each an object of its own. A request takes a turn before it stores
 * its piece, and the piece counts when the row says so. Where two requests send the same bytes,
 * through different instances too, the later turn counts, and the other one is refused.
 */
import { timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import { prependFirst } from '../../http/messages/pieces.ts'
import { all, type Condition, equal } from '../../resource/condition.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import { chunkOf } from '../../stores/file-objects.ts'
import type { FileRoom } from '../file-room.ts'
import { changeUpload, inStates } from '../uploads/upload-rows.ts'

/** Requests that send pieces of one upload: as many as parts of an object in a bucket. */
const turnsMax = 10_000

const notThere = () =>
  new ApiError('conflict', 'The upload has not as many bytes as Upload-Offset says; ask for its offset with HEAD')

function whileArriving({ engine }: FileRoom, offset: number): Condition {
  const now = timestampOf(engine.clock())
  return all(inStates('arriving'), equal(names.received, offset), {
    kind: 'compare',
    field: names.dueAt,
    operator: 'gt',
    value: now,
  })
}

/** Throws `conflict` unless the upload has exactly the bytes before this offset. */
async function takeTurn(room: FileRoom, id: string, offset: number): Promise<number> {
  let turn = 0
  const isTaken = await changeUpload(room, { id, when: whileArriving(room, offset) }, (row) => {
    turn = Number(row[names.turn]) + 1
    if (turn > turnsMax)
      throw new ApiError(
        'bad-request',
        `An upload comes in at most ${turnsMax} pieces; begin it again with larger ones`,
      )
    return { [names.turn]: turn }
  })
  if (!isTaken) throw notThere()
  return turn
}

/** The same bytes, without a first chunk that has none. Undefined where there are none. */
async function nonEmpty(source: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer> | undefined> {
  const pieces = source[Symbol.asyncIterator]()
  let first = await pieces.next()
  while (!first.done && first.value.length === 0) first = await pieces.next()
  if (first.done) return undefined
  return prependFirst([first.value], pieces)
}

/**
 * Stores the bytes from this offset on. Returns the offset after them. Throws `conflict`,
 * `bad-request`, and what the source throws; then none of them are stored.
 */
export async function keepChunk(
  room: FileRoom,
  { id, offset }: { readonly id: string; readonly offset: number },
  source: AsyncIterable<Buffer>,
): Promise<number> {
  const turn = await takeTurn(room, id, offset)
  const bytes = await nonEmpty(source)
  if (!bytes) return offset
  let end = offset
  const counted = async function* () {
    for await (const chunk of bytes) {
      end += chunk.length
      yield chunk
    }
  }
  const store = await room.store()
  const name = chunkOf(id, { offset, turn })
  await store.write(name, counted())
  const when = all(whileArriving(room, offset), equal(names.turn, turn))
  if (await changeUpload(room, { id, when }, () => ({ [names.received]: end }))) return end
  await store.remove(name)
  throw notThere()
}
