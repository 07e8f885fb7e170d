/**
 * Stores objects under a prefix of a bucket of any S3-compatible service, with the package
 * `s3mini`.
 */
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import type { S3mini } from 's3mini'
import { checkInstalled, loadOnce } from '../base/optional-package.ts'
import { StartError } from '../errors.ts'
import type { OutgoingFetch } from '../outgoing/outgoing.ts'
import type { BucketSetting } from '../settings/store-settings.ts'
import { type Piece, piecesOf } from './bucket-pieces.ts'
import {
  type ByteSource,
  bucketPackage,
  type DirectPlace,
  MissingObject,
  type ObjectStore,
  type StoredObject,
} from './object-store.ts'
import { passOn } from './pass-on.ts'
import { signGet } from './sign-get.ts'

const loadClient = loadOnce(() => import('s3mini'))
const partBytesMin = 16 * 1024 * 1024
/** The maximum of S3. */
const partsMax = 10_000
/** Of a stream, whose size is not known: the least that S3 takes, twice. */
const streamPartBytes = 10 * 1024 * 1024
const requestMsMax = 120_000

/** Before a request that S3 could not answer is sent once more. */
const retryWaitsMs = [100, 500]

/** S3 answers 500 and 503 at times, and wants such a request once more. The others are errors. */
async function again<T>(request: () => Promise<T>): Promise<T> {
  for (const waitMs of retryWaitsMs)
    try {
      return await request()
    } catch (error) {
      const { status } = error as { readonly status?: number }
      if (status === undefined || status < 500) throw error
      await sleep(waitMs)
    }
  return request()
}

/** S3 describes an error in an XML body with a code; the message shows the code. */
function startErrorOf(what: string, error: unknown): StartError {
  const { serviceCode, message, cause } = error as Error & { serviceCode?: string }
  const code = serviceCode === 'Unknown' ? undefined : serviceCode
  const why = code ?? (cause as Error | undefined)?.message ?? message
  return new StartError(`Cannot ${what}: ${why}`, { cause: error })
}

function nullWhereMissing(error: unknown): null {
  if ((error as { readonly serviceCode?: string }).serviceCode === 'NoSuchKey') return null
  throw error
}

/** The size of all parts but the last, for a file of so many bytes. */
export function partBytesOf(fileBytes: number): number {
  return Math.max(partBytesMin, Math.ceil(fileBytes / partsMax))
}

/** The time limit of a request with a part, for a slow connection. */
function partMsMax(bytes: number): number {
  return Math.round((requestMsMax * bytes) / partBytesMin)
}

async function fill(opened: FileHandle, buffer: Buffer): Promise<Buffer> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await opened.read(buffer, filled, buffer.length - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** An object in parts. It is aborted where a part fails, so that nothing of it is left. */
async function sendParts(client: S3mini, key: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const id = await client.getMultipartUploadId(key)
  try {
    const parts = []
    for await (const piece of pieces) parts.push(await again(() => client.uploadPart(key, id, piece, parts.length + 1)))
    await client.completeMultipartUpload(key, id, parts)
  } catch (error) {
    await client.abortMultipartUpload(key, id).catch(() => undefined)
    throw error
  }
}

/** The pieces of a file, each in the same memory. */
async function* filePieces(file: string, partBytes: number): AsyncGenerator<Buffer> {
  const opened = await open(file, 'r')
  try {
    const buffer = Buffer.alloc(partBytes)
    for (let part = await fill(opened, buffer); part.length > 0; part = await fill(opened, buffer)) yield part
  } finally {
    await opened.close()
  }
}

/** A small object is one request. */
async function sendPieces(client: S3mini, key: string, pieces: AsyncIterator<Piece>): Promise<void> {
  const first = await pieces.next()
  if (first.done || first.value.isLast) {
    await again(() => client.putObject(key, first.done ? Buffer.alloc(0) : first.value.bytes))
    return
  }
  const all = async function* () {
    yield first.value.bytes
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value.bytes
  }
  await sendParts(client, key, all())
}

/** The source is closed also where a request fails in the middle of it. */
async function sendStream(client: S3mini, key: string, source: ByteSource): Promise<void> {
  const pieces = piecesOf(source, streamPartBytes)
  try {
    await sendPieces(client, key, pieces)
  } finally {
    await pieces.return(undefined)
  }
}

/** S3 answers 200 also where it keeps some of them, such as those that the keys may not remove. */
async function removeKeys(client: S3mini, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const isRemoved = await client.deleteObjects([...keys])
  const kept = keys.filter((_, at) => isRemoved[at] !== true)
  if (kept.length > 0) throw new Error(`the bucket keeps ${kept.length} objects, such as ${kept[0]}`)
}

function directPlace(client: S3mini, setting: BucketSetting): DirectPlace {
  const { prefix } = setting
  return {
    async signPut(file, { bytes, sha256, seconds }) {
      const headers = { 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') }
      const signed = { ...headers, 'content-length': String(bytes) }
      return { url: await client.getPresignedUrl('PUT', `${prefix}${file}`, seconds, {}, signed), headers }
    },
    async signGet(file, { seconds, type, disposition }) {
      const parameters = {
        'response-content-type': type,
        'response-content-disposition': disposition,
        'response-cache-control': 'private, no-store',
      }
      return signGet(setting, { key: `${prefix}${file}`, seconds, parameters, nowMs: Date.now() })
    },
  }
}

export async function openBucketStore(setting: BucketSetting, fetch: OutgoingFetch): Promise<ObjectStore> {
  checkInstalled(bucketPackage, 's3://')
  const { S3mini: Client } = await loadClient()
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = setting
  const address = { endpoint: `${endpoint}/${bucket}`, region, accessKeyId, secretAccessKey, fetch }
  const client = new Client({ ...address, requestAbortTimeout: requestMsMax })
  const reading = new Client(address) // reads may take long
  const name = `s3://${bucket}/${prefix}`.replace(/\/$/, '')
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof StartError ? error : startErrorOf(what, error)
    }
  }
  const retried = <T>(what: string, work: () => Promise<T>) => attempt(what, () => again(work))
  const exists = (key: string) => client.objectExists(key)
  const putBytes = (file: string, bytes: Buffer) =>
    retried(`write ${name}/${file}`, async () => {
      await client.putObject(`${prefix}${file}`, bytes)
    })
  return {
    name,
    workFolder: undefined,
    direct: directPlace(client, setting),
    list: (begin) =>
      retried(`list ${name}`, async () => {
        const found = await client.listObjects('/', `${prefix}${begin}`)
        if (found === null) throw new StartError(`There is no bucket ${bucket}`)
        const kept = found.map(
          ({ Key, Size }): StoredObject => ({ name: Key.slice(prefix.length), bytes: Number(Size) }),
        )
        return kept.sort((a, b) => (a.name < b.name ? -1 : 1))
      }),
    read: (file, range) =>
      retried(`read ${name}/${file}`, async () => {
        const key = `${prefix}${file}`
        const answer = range
          ? await reading.getObjectRaw(key, false, range.first, range.last + 1).catch(nullWhereMissing)
          : await reading.getObjectResponse(key)
        if (!answer?.ok || !answer.body) throw new MissingObject(`There is no ${name}/${file}`)
        return Readable.fromWeb(answer.body as ReadableStream<Uint8Array>) as AsyncIterable<Buffer>
      }),
    put: (file, path, replace = false) =>
      attempt(`write ${name}/${file}`, async () => {
        const key = `${prefix}${file}`
        if (!replace && (await exists(key)))
          throw new StartError(`${name}/${file} is there already; --force replaces it`)
        const { size } = await stat(path)
        const partBytes = partBytesOf(size)
        const sending = new Client({ ...address, requestAbortTimeout: partMsMax(partBytes) })
        await sendParts(sending, key, filePieces(path, partBytes))
        const written = await client.getContentLength(key)
        if (written !== size) throw new StartError(`${name}/${file} has ${written} bytes, and ${size} were sent`)
        await rm(path)
      }),
    putBytes,
    async write(file, source, beside) {
      const failure = await passOn(source, (bytes) =>
        attempt(`write ${name}/${file}`, () => sendStream(client, `${prefix}${file}`, bytes)),
      )
      if (failure) throw failure
      if (!beside) return
      const { name: other, bytes } = beside()
      await putBytes(`${file.slice(0, file.lastIndexOf('/') + 1)}${other}`, bytes)
    },
    remove: (file) =>
      retried(`remove ${name}/${file}`, async () => {
        await client.deleteObject(`${prefix}${file}`)
      }),
    removeAll: (folder) =>
      retried(`remove ${name}/${folder}`, async () => {
        const found = await client.listObjects('/', `${prefix}${folder}/`)
        await removeKeys(client, found?.map(({ Key }) => Key) ?? [])
      }),
  }
}
