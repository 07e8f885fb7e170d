/** Stores objects in a folder. Only its owner may read the files. */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { placeFile } from '../base/disk/durable-file.ts'
import { StartError } from '../errors.ts'
import {
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
const chunkBytes = 1 << 18

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
  for (const [i] of parts.entries()) {
    const path = join(folder, ...parts.slice(0, i + 1))
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink()) throw new StartError(`Cannot write ${join(folder, name)}: ${path} is a link`)
  }
}

/** Makes the names in a folder durable. Some systems cannot, and need not. */
async function syncNames(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined)
  await opened?.sync().catch(() => undefined)
  await opened?.close()
}

/** The folder and those above it that were missing are durable when this resolves. */
async function makeFolders(root: string, folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  for (let at = folder; at.length >= made.length && at !== root; at = dirname(at)) await syncNames(dirname(at))
}

async function writeAll(opened: FileHandle, source: ByteSource): Promise<void> {
  for await (const chunk of source) await opened.writeFile(chunk)
  await opened.sync()
}

/** The file appears under its name when all of it is on the disk. */
async function writeStream(path: string, source: ByteSource): Promise<void> {
  const part = join(dirname(path), `${workPrefix}${randomUUID()}.part`)
  const opened = await open(part, 'wx', 0o600)
  try {
    await writeAll(opened, source).finally(() => opened.close())
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncNames(dirname(path))
}

export function openFolderStore(folder: string, { owns = () => true }: StoreOptions = {}): ObjectStore {
  async function pathOf(name: string): Promise<string> {
    const path = join(folder, name)
    await refuseLinks(folder, name)
    await makeFolders(folder, dirname(path))
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
      const part = range && { start: range.first, end: range.last }
      return createReadStream(path, { fd: opened, highWaterMark: chunkBytes, ...part }) as AsyncIterable<Buffer>
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
      const part = join(dirname(path), `${workPrefix}${randomUUID()}.part`)
      try {
        await writeFile(part, bytes, { mode: 0o600 })
        placeFile(part, path, true)
      } catch (error) {
        throw startErrorOf(`write ${path}`, error)
      }
    },
    write: async (name, source) => writeStream(await pathOf(name), source),
    async remove(name) {
      await rm(join(folder, name), { force: true })
    },
    async removeAll(name) {
      await refuseLinks(folder, `${name}/`)
      await rm(join(folder, name), { force: true, recursive: true })
    },
  }
}
