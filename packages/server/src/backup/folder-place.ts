/** A folder as a place for backups. Only its owner may read what is in it. */
import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { StartError } from '../errors.ts'
import { placeFile } from '../storage/durable-file.ts'
import type { Kept, Place } from './place.ts'

/** What is being made, or was when its process ended. */
export const workPrefix = '.bindery-'

function startErrorOf(what: string, error: unknown): StartError {
  return new StartError(`Cannot ${what}: ${(error as Error).message}`, { cause: error })
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const all = await readdir(folder, { recursive: true, withFileTypes: true })
    return all
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .filter((name) => !name.split(sep).some((part) => part.startsWith(workPrefix)))
      .map((name) => name.replaceAll(sep, '/'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw startErrorOf(`read ${folder}`, error)
  }
}

export function openFolder(folder: string): Place {
  async function pathOf(name: string): Promise<string> {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return path
  }
  return {
    name: folder,
    workFolder: folder,
    async list(prefix) {
      const names = (await namesIn(folder)).filter((name) => name.startsWith(prefix)).sort()
      const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
      return names.flatMap((name, i): Kept[] => (sizes[i] ? [{ name, bytes: sizes[i].size }] : []))
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
