/** Folders in which a backup is made or looked at. Nobody takes what is in them for a backup, and what a killed process left is removed. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../errors.ts'
import { workPrefix } from './folder-place.ts'

const prefix = `${workPrefix}work-`

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Those of processes of this machine that are gone. Another machine's may still be in use. */
function removeLeft(base: string): void {
  const own = `${prefix}${hostname()}-`
  for (const name of readdirSync(base)) {
    const pid = name.startsWith(own) ? Number(name.slice(own.length).split('-')[0]) : 0
    if (pid > 0 && !isAlive(pid)) rmSync(join(base, name), { recursive: true, force: true })
  }
}

/** Makes a folder in `base` that only its owner may read; it is removed afterwards. Throws `StartError`. */
export async function inWorkFolder<T>(base: string, work: (folder: string) => Promise<T>): Promise<T> {
  let folder: string
  try {
    removeLeft(base)
    folder = mkdtempSync(join(base, `${prefix}${hostname()}-${process.pid}-`))
  } catch (error) {
    throw new StartError(`Cannot write in ${base}: ${(error as Error).message}`, { cause: error })
  }
  try {
    return await work(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new StartError(`The disk of ${base} is full: a backup needs room for the whole database`, { cause: error })
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
