/** The parts that the work on files shares: the engine, the table of files, and their store. */
import { checkInstalled, loadOnce, type OptionalPackage } from '../base/optional-package.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import type { FileSettings } from '../settings/file-settings.ts'
import { bucketFetchOf } from '../stores/bucket-fetch.ts'
import { type ObjectStore, openObjectStore } from '../stores/object-store.ts'

export type FileRoom = {
  readonly engine: Engine
  /** The table of files. */
  readonly files: Resource
  readonly settings: FileSettings
  /** Opened at the first use. */
  store(): Promise<ObjectStore>
}

const typePackage = { name: 'file-type' } satisfies OptionalPackage

/** Undefined where no field holds a file. Throws `StartError` where a package is missing. */
export function makeFileRoom(engine: Engine, settings: FileSettings, outgoing: Outgoing): FileRoom | undefined {
  const { files } = engine.catalog
  if (!files) return undefined
  checkInstalled(typePackage, 'A field that holds files')
  const store = loadOnce(() => openObjectStore(settings.store, bucketFetchOf(outgoing, 'files')))
  return { engine, files, settings, store }
}

/** The folder of one file in the store: its bytes, their checksum, and what is made of them. */
export function folderOf(id: string): string {
  return `files/${id.slice(0, 2)}/${id}`
}

export function originalOf(id: string): string {
  return `${folderOf(id)}/original`
}

/** The object beside the bytes, as `sha256sum -c` reads it. */
export function checksumOf(id: string): string {
  return `${originalOf(id)}.sha256`
}
