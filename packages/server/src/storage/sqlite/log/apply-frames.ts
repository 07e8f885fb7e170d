/** Brings stretches of a log into a copy of the file that is older: page by page, as a checkpoint would. */
import { open } from 'node:fs/promises'
import { StartError } from '../../../errors.ts'
import { pagesIn, readFrames, type WalPlace } from './wal-frames.ts'

/** Whether frames that begin here can follow those that ended there: later ones of the same turn of the log, or a new turn. */
function isAfter(place: WalPlace, before: WalPlace | undefined): boolean {
  if (!before) return true
  return place.salts === before.salts ? place.offset <= before.offset : place.offset === 32
}

/** Throws `StartError` for a stretch that is damaged, or does not continue the one before. */
export async function applyFrames(file: string, stretches: AsyncIterable<Buffer>): Promise<void> {
  const target = await open(file, 'r+')
  let before: WalPlace | undefined
  let size = 0
  try {
    for await (const stretch of stretches) {
      const end = stretch.indexOf(10)
      const place = JSON.parse(stretch.toString('utf8', 0, end)) as WalPlace
      const bytes = stretch.subarray(end + 1)
      const read = readFrames(bytes, place)
      if (read.bytes.length !== bytes.length) throw new StartError('A copy of the log is damaged')
      if (!isAfter(place, before)) throw new StartError('A copy of the log does not continue the one before')
      for (const page of pagesIn(bytes, place.pageBytes)) {
        await target.write(page.content, 0, place.pageBytes, (page.number - 1) * place.pageBytes)
        if (page.size > 0) size = page.size * place.pageBytes
      }
      before = read.place
    }
    if (size > 0) await target.truncate(size)
    await target.sync()
  } finally {
    await target.close()
  }
}
