/** The parts that the work on files shares: the engine, the table of files, and their store. */
import { checkInstalled, loadOnce, type OptionalPackage } from '../base/optional-package.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import type { FileField } from '../resource/fields/files/file-options.ts'
import { declaresVariants } from '../resource/fields/files/image-variant.ts'
import type { FileSettings } from '../settings/file-settings.ts'
import { bucketFetchOf } from '../stores/bucket-fetch.ts'
import { openFileStore } from '../stores/fallback-store.ts'
import { checkStore, type ObjectStore } from '../stores/object-store.ts'
import { type FileCounts, makeFileCounts } from './file-counts.ts'
import { makeUploadTurns, type UploadTurns } from './tus/upload-turns.ts'
import { type FindVariant, makeFindVariant } from './variants/find-variant.ts'
import { makePictures, type Pictures, picturePackage } from './variants/pictures.ts'

export type FileRoom = {
  readonly engine: Engine
  /** The table of files. */
  readonly files: Resource
  readonly settings: FileSettings
  /** Opened at the first use. */
  store(): Promise<ObjectStore>
  /** Of the requests of this process that send pieces of uploads. */
  readonly uploadTurns: UploadTurns
  readonly counts: FileCounts
  readonly pictures: Pictures
  readonly findVariant: FindVariant
}

const typePackage = { name: 'file-type' } satisfies OptionalPackage

const hasVariants = ({ fields, fileNames }: Resource) =>
  fileNames.some((name) => declaresVariants((fields[name] as unknown as FileField).limits))

/** Undefined where no field holds a file. Throws `StartError` where a package is missing. */
export function makeFileRoom(engine: Engine, settings: FileSettings, outgoing: Outgoing): FileRoom | undefined {
  const { files, resources } = engine.catalog
  if (!files) return undefined
  checkInstalled(typePackage, 'A field that holds files')
  if ([...resources.values()].some(hasVariants)) checkInstalled(picturePackage, 'An image with variants')
  checkStore(settings.store, 'FILES_STORE')
  if (settings.fallback) checkStore(settings.fallback, 'FILES_STORE_FALLBACK')
  const store = loadOnce(() => openFileStore(settings, bucketFetchOf(outgoing, 'files')))
  const room = {
    engine,
    files,
    settings,
    store,
    uploadTurns: makeUploadTurns(),
    counts: makeFileCounts(),
    pictures: makePictures(),
  }
  return { ...room, findVariant: makeFindVariant(room) }
}

/** A warning for the operator where other instances would look for files elsewhere. */
export function folderWarning(
  { files }: Engine['catalog'],
  { store }: FileSettings,
  { isShared }: { readonly isShared: boolean },
): string | undefined {
  if (!files || !isShared || !('folder' in store)) return undefined
  return `Files of records are in ${store.folder}: instances on other machines need the same folder, or FILES_STORE=s3://BUCKET/PREFIX`
}
