/**
 * Compresses bytes (Zstandard, RFC 8878, with a checksum), encrypts them (age) where recipients are
 * named, and reverses both.
 */
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { StartError } from '../errors.ts'
import { loadEncryption } from './age-package.ts'
import { wholeFrames } from './whole-frames.ts'

/** Public keys of age that may decrypt the backup: `age1…`. Empty: no encryption. */
export type Recipients = readonly string[]

type ByteStream = AsyncIterable<Buffer>

/**
 * Web streams sometimes yield views of larger buffers. Callers that write them on may use those.
 */
async function* buffersOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/** When a stream ends early or fails, the other one ends as well. */
function throughStream(chunks: ByteStream, transform: NodeJS.ReadWriteStream): ByteStream {
  // its error is that of the returned stream
  pipeline(Readable.from(chunks), transform, () => undefined)
  return transform as unknown as ByteStream
}

export async function pack(chunks: ByteStream, recipients: Recipients): Promise<ByteStream> {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 }
  const packed = throughStream(chunks, createZstdCompress({ params }))
  if (recipients.length === 0) return packed
  const { Encrypter } = await loadEncryption('BACKUP_TO')
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  const web = Readable.toWeb(Readable.from(packed)) as unknown as globalThis.ReadableStream<Uint8Array>
  return buffersOf((await encrypter.encrypt(web)) as unknown as ReadableStream<Uint8Array>)
}

const ageHead = Buffer.from('age-encryption.org/')
const zstdHead = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

type PeekedStream = {
  readonly head: Buffer
  readonly all: ByteStream
  /** Ends the stream without reading it. */
  drop(): Promise<void>
}

/** The first bytes, and a stream of all bytes including them. */
async function peek(chunks: ByteStream, bytes: number): Promise<PeekedStream> {
  const iterator = chunks[Symbol.asyncIterator]()
  const drop = async () => void (await iterator.return?.())
  let head = Buffer.alloc(0)
  while (head.length < bytes) {
    const next = await iterator.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield head
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await drop()
    }
  }
  return { head, all: all(), drop }
}

async function decrypt(chunks: ByteStream, identities: Recipients): Promise<ByteStream> {
  if (identities.length === 0)
    throw new StartError('The backup is encrypted: say which file has the key for it, with --identity <file>')
  const { Decrypter } = await loadEncryption('--identity')
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
    const web = Readable.toWeb(Readable.from(chunks)) as unknown as globalThis.ReadableStream<Uint8Array>
    return buffersOf((await decrypter.decrypt(web)) as unknown as ReadableStream<Uint8Array>)
  } catch (cause) {
    throw new StartError('The key of --identity does not open this backup', { cause })
  }
}

/** Rewords errors of a stream that cannot be unpacked. */
async function* guarded(chunks: ByteStream): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The backup is damaged or cut off: ${(error as Error).message}`, { cause: error })
  }
}

/** `identities`: secret keys of age. Throws `StartError` for bytes that cannot be unpacked. */
export async function unpack(chunks: ByteStream, identities: Recipients): Promise<ByteStream> {
  let peeked = await peek(chunks, ageHead.length)
  try {
    if (peeked.head.subarray(0, ageHead.length).equals(ageHead))
      peeked = await peek(guarded(await decrypt(peeked.all, identities)), zstdHead.length)
    if (!peeked.head.subarray(0, zstdHead.length).equals(zstdHead)) throw new StartError('This is no backup of Bindery')
  } catch (error) {
    await peeked.drop()
    throw error
  }
  return guarded(throughStream(wholeFrames(peeked.all), createZstdDecompress()))
}
