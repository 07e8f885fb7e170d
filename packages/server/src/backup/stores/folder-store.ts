/** Stores backups in a folder. Only its owner may read the files. */
import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../../errors.ts'
import { placeFile } from '../../storage/durable-file.ts'
import { isStreamName, logFolder } from '../log/log-names.ts'
import type { BackupStore, StoredFile } from './backup-store.ts'

/** The prefix of unfinished files, also those of killed processes. */
export const workPrefix = '.bindery-'

function startErrorOf(what: string, error: unknown): StartError {
  return new StartError(`Cannot ${what}: ${(error as Error).message}`, { cause: error })
}

/**
 * The files of a folder without those in its subfolders and without links, which may lead anywhere.
 */
async function filesIn(folder: string): Promise<string[]> {
  try {
    const all = await readdir(folder, { withFileTypes: true })
    return all.filter((one) => one.isFile() && !one.name.startsWith(workPrefix)).map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw startErrorOf(`read ${folder}`, error)
  }
}

/** The folders of streams in the folder of logs. Other entries are ignored. */
async function streamsIn(folder: string): Promise<string[]> {
  try {
    if (!(await lstat(folder)).isDirectory()) return []
    const all = await readdir(folder, { withFileTypes: true })
    return all.filter((one) => one.isDirectory() && isStreamName(one.name)).map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw startErrorOf(`read ${folder}`, error)
  }
}

/**
 * The names with that prefix: of backups, in the folder itself, or of log copies, two levels below.
 */
async function namesIn(folder: string, prefix: string): Promise<string[]> {
  const own = prefix.startsWith(logFolder) ? [] : await filesIn(folder)
  const streams =
    logFolder.startsWith(prefix) || prefix.startsWith(logFolder) ? await streamsIn(join(folder, logFolder)) : []
  const copies = await Promise.all(
    streams.map(async (stream) => {
      const path = `${logFolder}${stream}/`
      if (!path.startsWith(prefix) && !prefix.startsWith(path)) return []
      return (await filesIn(join(folder, path))).map((name) => `${path}${name}`)
    }),
  )
  return [...own, ...copies.flat()].filter((name) => name.startsWith(prefix)).sort()
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

export function openFolderStore(folder: string): BackupStore {
  async function pathOf(name: string): Promise<string> {
    const path = join(folder, name)
    await refuseLinks(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return path
  }
  return {
    name: folder,
    workFolder: folder,
    async list(prefix) {
      const names = await namesIn(folder, prefix)
      const sizes = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)))
      return names.flatMap((name, i): StoredFile[] => (sizes[i] ? [{ name, bytes: sizes[i].size }] : []))
    },
    async read(name) {
      const path = join(folder, name)
      if (!existsSync(path)) throw new StartError(`There is no ${path}`)
      return createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>
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
    async remove(name) {
      await rm(join(folder, name), { force: true })
    },
  }
}
