/**
 * The interface of a place for objects, such as backups and the files of records: bytes by name,
 * each written whole or not at all. A name may contain slashes.
 */
import { checkInstalled, type OptionalPackage } from '../base/optional-package.ts'
import { StartError } from '../errors.ts'
import type { StoreSetting } from '../settings/store-settings.ts'
import type { MakeBucketFetch } from './bucket-fetch.ts'

export type StoredObject = { readonly name: string; readonly bytes: number }

/** From `first` to `last`, both included, counted from 0. */
export type ByteRange = { readonly first: number; readonly last: number }

export type ByteSource = AsyncIterable<Buffer> | Iterable<Buffer>

/** A small object in the folder of another, asked for when that one's source has ended. */
export type BesideObject = () => { readonly name: string; readonly bytes: Buffer }

/** There is no object of this name; the store itself can be reached. */
export class MissingObject extends StartError {}

/** `headers`: the request must have exactly these, besides those that every client sets. */
export type SignedPut = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** How the place answers a read of an object, whatever is stored with it. */
export type SignedGet = { readonly seconds: number; readonly type: string; readonly disposition: string }

/** A place to which clients send objects themselves, and from which they read them. */
export type DirectPlace = {
  /** An address for sending this object, with so many bytes and this SHA-256 in hexadecimal. */
  signPut(
    name: string,
    sent: { readonly bytes: number; readonly sha256: string; readonly seconds: number },
  ): Promise<SignedPut>
  /** An address for reading this object. Undefined where the place has no such object. */
  signGet(name: string, answered: SignedGet): Promise<string | undefined>
}

export type ObjectStore = {
  /** The printed name: the folder, or `s3://bucket/prefix`. */
  readonly name: string
  /**
   * A folder for making large files before they are put here; undefined where any folder will do.
   */
  readonly workFolder: string | undefined
  /** Undefined where only this server reaches it. */
  readonly direct: DirectPlace | undefined
  /**
   * The objects whose name begins with `prefix`, by name. Links, and folders that are not its own,
   * are left out.
   */
  list(prefix: string): Promise<readonly StoredObject[]>
  /** All bytes, or a part of them. Throws `MissingObject` when there is no such object. */
  read(name: string, range?: ByteRange): Promise<AsyncIterable<Buffer>>
  /**
   * Moves a local file here. Throws `StartError` where the name exists, unless it may be replaced.
   */
  put(name: string, file: string, replace?: boolean): Promise<void>
  /** Replaces an existing object. */
  putBytes(name: string, bytes: Buffer): Promise<void>
  /**
   * Stores a stream under a new name. It is durable when this resolves. When the source fails, this
   * throws the error of the source, and nothing is left. The memory does not grow with the stream.
   * `beside` is stored after it: where it is there, so is the whole stream.
   */
  write(name: string, source: ByteSource, beside?: BesideObject): Promise<void>
  /** The object may be missing already. */
  remove(name: string): Promise<void>
  /** Removes all objects whose names begin with `folder/`, unfinished ones too. */
  removeAll(folder: string): Promise<void>
}

/** All bytes of an object, for one that fits into memory. */
export async function wholeObject(store: Pick<ObjectStore, 'read'>, name: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await store.read(name)))
}

export type StoreOptions = {
  /**
   * Whether a folder of the store, such as `log/`, has objects of its own. By default every folder
   * has; a folder of others is not looked into.
   */
  readonly owns?: (folder: string) => boolean
}

export const bucketPackage = { name: 's3mini' } satisfies OptionalPackage

/** Throws `StartError` for a bucket without the package that it needs. `name`: the variable. */
export function checkStore(setting: StoreSetting, name: string): void {
  if (!('folder' in setting)) checkInstalled(bucketPackage, `${name}=s3://${setting.bucket}`)
}

export async function openObjectStore(
  setting: StoreSetting,
  bucketFetch: MakeBucketFetch,
  options: StoreOptions = {},
): Promise<ObjectStore> {
  if ('folder' in setting) {
    const { openFolderStore } = await import('./folder-store.ts')
    return openFolderStore(setting.folder, options)
  }
  const { openBucketStore } = await import('./bucket-store.ts')
  return openBucketStore(setting, bucketFetch())
}
