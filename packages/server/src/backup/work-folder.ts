/**
 * Temporary folders in which backups are made or verified. No reader takes their files for a
 * backup, and folders of killed processes are removed.
 */
import { mkdtempSync, readdirSync } from 'node:fs'
import { lstat, open, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../errors.ts'
import { workPrefix } from '../stores/folder-store.ts'

const prefix = `${workPrefix}work-`

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A file system can free this much at once without delaying others on the disk. */
const stepBytes = 16 << 20
const pauseMs = 10

async function shrink(file: string): Promise<void> {
  const opened = await open(file, 'r+')
  try {
    let { size } = await opened.stat()
    while (size > stepBytes) {
      size -= stepBytes
      await opened.truncate(size)
      await sleep(pauseMs)
    }
  } finally {
    await opened.close()
  }
}

/**
 * Removing a copy of a large database takes long, and would delay commits on that disk. So files
 * are truncated in steps. Links are not followed.
 */
async function shrinkAll(folder: string): Promise<void> {
  for (const one of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, one.name)
    if (one.isDirectory()) await shrinkAll(path)
    else if (one.isFile()) await shrink(path).catch(() => undefined)
  }
}

async function removeFolder(folder: string): Promise<void> {
  await shrinkAll(folder)
  await rm(folder, { recursive: true, force: true })
}

/** A backup that runs on another machine writes more often than this. */
const abandonedMs = 86_400_000

async function lastWrittenMs(folder: string): Promise<number> {
  const names = await readdir(folder)
  const stats = await Promise.all(['', ...names].map((name) => lstat(join(folder, name)).catch(() => undefined)))
  return Math.max(...stats.map((one) => one?.mtimeMs ?? 0))
}

/**
 * Whether the folder is abandoned. In a container the next process has the number of the killed
 * one. So a folder with this process's number is abandoned where it is older than the process. The
 * next container has another host name, as a machine at work has. So a folder of another host is
 * abandoned after a day without a write.
 */
async function isLeft(base: string, name: string): Promise<boolean> {
  const own = `${prefix}${hostname()}-`
  const pid = name.startsWith(own) ? Number(name.slice(own.length).split('-')[0]) : 0
  if (pid > 0 && pid !== process.pid) return !isAlive(pid)
  const touchedMs = await lastWrittenMs(join(base, name))
  return touchedMs < Date.now() - (pid > 0 ? process.uptime() * 1000 : abandonedMs)
}

async function removeLeft(base: string): Promise<void> {
  for (const { name } of readdirSync(base, { withFileTypes: true }).filter((one) => one.isDirectory()))
    if (name.startsWith(prefix) && (await isLeft(base, name).catch(() => false))) await removeFolder(join(base, name))
}

/**
 * Makes a folder in `base` that only its owner may read, and removes it afterwards. Throws
 * `StartError`.
 */
export async function inWorkFolder<T>(base: string, work: (folder: string) => Promise<T>): Promise<T> {
  let folder: string
  try {
    await removeLeft(base)
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
    await removeFolder(folder)
  }
}
