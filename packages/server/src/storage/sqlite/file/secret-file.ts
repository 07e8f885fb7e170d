/** Stores the generated secrets of a service on SQLite, in files that only their owner can read. */
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { placeFile } from '../../../base/disk/durable-file.ts'
import { StartError } from '../../../errors.ts'
import { type SecretName, secretFile } from '../../database-kind.ts'
import { makeFolder } from './setup.ts'

const secretBytesMin = 32

export function secretFileIn(dataDir: string, name: SecretName): string {
  return join(dataDir, secretFile(name))
}

/** On a read-only file system the modes cannot change anyway. */
function keepPrivate(file: string): void {
  if ((statSync(file).mode & 0o777) === 0o600) return
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    throw new StartError(`Cannot make ${file} readable by its owner alone: ${(error as Error).message}`)
  }
}

/**
 * The secret in the file, which is created with `drawn` if it does not exist. Throws `StartError`.
 */
export function keepInFile(file: string, drawn: string): string {
  makeFolder(dirname(file))
  const part = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    // Instances that start together must read a complete secret, or none: the file gets its name
    // when it is complete.
    writeFileSync(part, `${drawn}\n`, { mode: 0o600, flag: 'wx', flush: true })
    placeFile(part, file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw new StartError(`Cannot write ${file}: ${message}`)
    keepPrivate(file)
  } finally {
    rmSync(part, { force: true })
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (Buffer.byteLength(secret) < secretBytesMin)
    throw new StartError(`${file} holds no secret of ${secretBytesMin} bytes or more; delete it to make a new one`)
  return secret
}

/** Replaces the file atomically, with the same owner as before. Throws `StartError`. */
export function replaceInFile(file: string, text: string): void {
  try {
    writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 })
    const before = statSync(file, { throwIfNoEntry: false })
    if (before && process.getuid?.() === 0) chownSync(`${file}.new`, before.uid, before.gid)
    placeFile(`${file}.new`, file, true)
  } catch (error) {
    rmSync(`${file}.new`, { force: true })
    throw new StartError(`Cannot write ${file}: ${(error as Error).message}`)
  }
}

/** The secret in the file; undefined where there is none. */
export function findInFile(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
