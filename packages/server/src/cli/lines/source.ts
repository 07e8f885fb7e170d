/**
 * The input of an import: a file or standard input. It counts the bytes that were read, knows the
 * size of a file, and can be stopped. It decompresses files named `.gz`.
 */
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { addAbortSignal, pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { fileError } from '../failure.ts'
import { isCompressed, isStandard } from './format.ts'

export type InputSource = {
  readonly name: string
  /** Undefined where the size is unknown until the end. */
  readonly bytesTotal: number | undefined
  /** Bytes read so far, as they are on the disk. */
  bytesRead(): number
  readonly chunks: AsyncIterable<Buffer>
}

async function openFile(file: string): Promise<{ stream: Readable; bytesTotal: number | undefined }> {
  try {
    const stats = statSync(file)
    const stream = createReadStream(file)
    await once(stream, 'open')
    return { stream, bytesTotal: stats.isFile() ? stats.size : undefined }
  } catch (error) {
    throw fileError('read', file, error)
  }
}

/**
 * Ends without an error when the signal stops it. Throws `StartError` when the input cannot be
 * read.
 */
export async function openSource(file: string | undefined, stop: AbortSignal): Promise<InputSource> {
  const standard = isStandard(file)
  const { stream, bytesTotal } = standard ? { stream: process.stdin, bytesTotal: undefined } : await openFile(file)
  const name = standard ? 'standard input' : file
  addAbortSignal(stop, stream)
  let bytes = 0

  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      yield chunk
    }
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      // An error of either stream surfaces in the loop
      if (isCompressed(name)) yield* pipeline(counted(), createGunzip(), () => undefined) as AsyncIterable<Buffer>
      else yield* counted()
    } catch (error) {
      if (!stop.aborted) throw fileError('read', name, error)
    }
  }
  return { name, bytesTotal, bytesRead: () => bytes, chunks: chunks() }
}
