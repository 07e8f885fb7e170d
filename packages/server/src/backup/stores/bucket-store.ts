/**
 * Stores backups under a prefix of a bucket of any S3-compatible service, with the package
 * `s3mini`.
 */
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { S3mini } from 's3mini'
import { checkInstalled, loadOnce, type OptionalPackage } from '../../base/optional-package.ts'
import { StartError } from '../../errors.ts'
import type { OutgoingFetch } from '../../outgoing/outgoing.ts'
import type { BucketSetting } from '../../settings/backup-settings.ts'
import type { BackupStore, StoredFile } from './backup-store.ts'

const bucketPackage = { name: 's3mini' } satisfies OptionalPackage

const loadClient = loadOnce(() => import('s3mini'))
const partBytesMin = 16 * 1024 * 1024
/** The maximum of S3. */
const partsMax = 10_000
const requestMsMax = 120_000

/** S3 describes an error in an XML body with a code; the message shows the code. */
function startErrorOf(what: string, error: unknown): StartError {
  const { serviceCode, message, cause } = error as Error & { serviceCode?: string }
  const code = serviceCode === 'Unknown' ? undefined : serviceCode
  const why = code ?? (cause as Error | undefined)?.message ?? message
  return new StartError(`Cannot ${what}: ${why}`, { cause: error })
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

type Upload = { readonly key: string; readonly file: string; readonly partBytes: number }

async function uploadParts(client: S3mini, { key, file, partBytes }: Upload): Promise<void> {
  const id = await client.getMultipartUploadId(key)
  const opened = await open(file, 'r').catch(async (error) => {
    await client.abortMultipartUpload(key, id).catch(() => undefined)
    throw error
  })
  try {
    const parts = []
    const buffer = Buffer.alloc(partBytes)
    for (let part = await fill(opened, buffer); part.length > 0; part = await fill(opened, buffer))
      parts.push(await client.uploadPart(key, id, part, parts.length + 1))
    await client.completeMultipartUpload(key, id, parts)
  } catch (error) {
    await client.abortMultipartUpload(key, id).catch(() => undefined)
    throw error
  } finally {
    await opened.close()
  }
}

export async function openBucketStore(setting: BucketSetting, fetch: OutgoingFetch): Promise<BackupStore> {
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
  const exists = (key: string) => client.objectExists(key)
  return {
    name,
    workFolder: undefined,
    list: (begin) =>
      attempt(`list ${name}`, async () => {
        const found = await client.listObjects('/', `${prefix}${begin}`)
        if (found === null) throw new StartError(`There is no bucket ${bucket}`)
        const kept = found.map(({ Key, Size }): StoredFile => ({ name: Key.slice(prefix.length), bytes: Number(Size) }))
        return kept.sort((a, b) => (a.name < b.name ? -1 : 1))
      }),
    read: (file) =>
      attempt(`read ${name}/${file}`, async () => {
        const answer = await reading.getObjectResponse(`${prefix}${file}`)
        if (!answer?.body) throw new StartError(`There is no ${name}/${file}`)
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
        await uploadParts(sending, { key, file: path, partBytes })
        const written = await client.getContentLength(key)
        if (written !== size) throw new StartError(`${name}/${file} has ${written} bytes, and ${size} were sent`)
        await rm(path)
      }),
    putBytes: (file, bytes) =>
      attempt(`write ${name}/${file}`, async () => {
        await client.putObject(`${prefix}${file}`, bytes)
      }),
    remove: (file) =>
      attempt(`remove ${name}/${file}`, async () => {
        await client.deleteObject(`${prefix}${file}`)
      }),
  }
}
