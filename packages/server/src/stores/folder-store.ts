/** Stores objects in a folder. Only its owner may read the files. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { placeFile } from '../base/disk/durable-file.ts'
import { StartError } from '../errors.ts'
import {
  type BesideObject,
  type ByteRange,
  type ByteSource,
  MissingObject,
  type ObjectStore,
  type StoredObject,
  type StoreOptions,
} from './object-store.ts'

/** The prefix of unfinished files, also those of killed processes. */
export const workPrefix = '.bindery-'

/** A read takes so many bytes at once: a large file needs no more memory than a small one. */
const pieceBytes = 1 << 18

function startErrorOf(what: string, error: unknown): StartError {
  return new StartError(`Cannot ${what}: ${(error as Error).message}`, { cause: error })
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * The files and folders in a folder, without links, which may lead anywhere. Empty where it is
 * missing.
 */
async function entriesIn(folder: string) {
  try {
    const all = await readdir(folder, { withFileTypes: true })
    const own = all.filter(({ name }) => !name.startsWith(workPrefix))
    return {
      files: own.filter((one) => one.isFile()).map(({ name }) => name),
      folders: own.filter((one) => one.isDirectory()).map(({ name }) => name),
    }
  } catch (error) {
    if (isMissing(error)) return { files: [], folders: [] }
    throw startErrorOf(`read ${folder}`, error)
  }
}

type Listing = Required<StoreOptions> & { readonly root: string; readonly prefix: string }

/** The names with the prefix, in this folder and in those below it that the store owns. */
async function namesIn(folder: string, listing: Listing): Promise<string[]> {
  const { root, prefix, owns } = listing
  if (!folder.startsWith(prefix) && !prefix.startsWith(folder)) return []
  const { files, folders } = await entriesIn(join(root, folder))
  const below = folders.map((name) => `${folder}${name}/`).filter(owns)
  const names = files.map((name) => `${folder}${name}`).filter((name) => name.startsWith(prefix))
  const deeper = await Promise.all(below.map((one) => namesIn(one, listing)))
  return [...names, ...deeper.flat()]
}

/** Throws `StartError` where a folder on the path is a link: the file would be stored elsewhere. */
async function refuseLinks(folder: string, name: string): Promise<void> {
  const parts = name.split('/').slice(0, -1)
  const refuse = async (path: string) => {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink()) throw new StartError(`Cannot write ${join(folder, name)}: ${path} is a link`)
  }
  await Promise.all(parts.map((_, i) => refuse(join(folder, ...parts.slice(0, i + 1)))))
}

/** Makes the names in a folder durable. Some systems cannot, and need not. */
async function syncNames(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined)
  await opened?.sync().catch(() => undefined)
  await opened?.close()
}

/** Makes the folder and those above it. Returns those with new names, which are not durable. */
async function makeFolders(root: string, folder: string): Promise<readonly string[]> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  const grown: string[] = []
  if (made === undefined) return grown
  for (let at = folder; at.length >= made.length && at !== root; at = dirname(at)) grown.push(dirname(at))
  return grown
}

/** A file that is written under a name of its own. */
type Part = { readonly path: string; readonly own: string; readonly opened: FileHandle }

const ownName = (path: string) => join(dirname(path), `${workPrefix}${randomUUID()}.part`)

async function beginPart(path: string): Promise<Part> {
  const own = ownName(path)
  return { path, own, opened: await open(own, 'wx', 0o600) }
}

type WrittenStream = {
  readonly path: string
  readonly source: ByteSource
  readonly beside: (() => { readonly path: string; readonly bytes: Buffer }) | undefined
}

/** Each file appears under its name when all of it is on the disk, the one beside it last. */
async function writeStream({ path, source, beside }: WrittenStream): Promise<void> {
  const parts = [await beginPart(path)]
  try {
    for await (const chunk of source) await parts[0]?.opened.writeFile(chunk)
    if (beside) {
      const { path: place, bytes } = beside()
      const part = await beginPart(place)
      parts.push(part)
      await part.opened.writeFile(bytes)
    }
    await Promise.all(parts.map(({ opened }) => opened.sync()))
    for (const one of parts) await rename(one.own, one.path)
  } catch (error) {
    await Promise.all(parts.map(({ own }) => rm(own, { force: true })))
    throw error
  } finally {
    await Promise.all(parts.map(({ opened }) => opened.close()))
  }
}

/** Closes the file at the end. Its caller reads at least once. */
async function* bytesIn(opened: FileHandle, range: ByteRange | undefined): AsyncGenerator<Buffer> {
  try {
    const { first, last } = range ?? { first: 0, last: (await opened.stat()).size - 1 }
    for (let at = first; at <= last; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, last + 1 - at))
      const { bytesRead } = await opened.read(piece, 0, piece.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await opened.close()
  }
}

export function openFolderStore(folder: string, { owns = () => true }: StoreOptions = {}): ObjectStore {
  async function placeOf(name: string) {
    const path = join(folder, name)
    await refuseLinks(folder, name)
    return { path, grown: await makeFolders(folder, dirname(path)) }
  }
  async function pathOf(name: string): Promise<string> {
    const { path, grown } = await placeOf(name)
    await Promise.all(grown.map(syncNames))
    return path
  }
  return {
    name: folder,
    workFolder: folder,
    direct: undefined,
    async list(prefix) {
      const names = (await namesIn('', { root: folder, prefix, owns })).sort()
      const sizes = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)))
      return names.flatMap((name, i): StoredObject[] => (sizes[i] ? [{ name, bytes: sizes[i].size }] : []))
    },
    async read(name, range?: ByteRange) {
      const path = join(folder, name)
      const opened = await open(path, 'r').catch((error) => {
        throw isMissing(error) ? new MissingObject(`There is no ${path}`) : startErrorOf(`read ${path}`, error)
      })
      return bytesIn(opened, range)
    },
    async put(name, file, replace = false) {
      try {
        placeFile(file, await pathOf(name), replace)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw startErrorOf(`write ${join(folder, name)}`, error)
        throw new StartError(`${join(folder, name)} is there already; --force replaces it`)
      }
    },
    async putBytes(name, bytes) {
      const path = await pathOf(name)
      const part = ownName(path)
      try {
        await writeFile(part, bytes, { mode: 0o600 })
        placeFile(part, path, true)
      } catch (error) {
        throw startErrorOf(`write ${path}`, error)
      }
    },
    async write(name, source, beside) {
      const { path, grown } = await placeOf(name)
      const placed = () => {
        const { name: other, bytes } = (beside as BesideObject)()
        return { path: join(dirname(path), other), bytes }
      }
      await writeStream({ path, source, beside: beside && placed })
      await Promise.all([dirname(path), ...grown].map(syncNames))
    },
    async remove(name) {
      await rm(join(folder, name), { force: true })
    },
    async removeAll(name) {
      await refuseLinks(folder, `${name}/`)
      await rm(join(folder, name), { force: true, recursive: true })
    },
  }
}
