/** The generated secrets of a service on SQLite: files that only their owner can read. */
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../../errors.ts'
import { type SecretName, secretFile } from '../../database-kind.ts'
import { placeFile, syncFolderOf } from '../../durable-file.ts'
import { makeFolder } from './setup.ts'

const secretBytesMin = 32

export function secretFileIn(dataDir: string, name: SecretName): string {
  return join(dataDir, secretFile(name))
}

/** Where the file system is read-only, nobody can open it further either. */
function keepPrivate(file: string): void {
  if ((statSync(file).mode & 0o777) === 0o600) return
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    throw new StartError(`Cannot make ${file} readable by its owner alone: ${(error as Error).message}`)
  }
}

/** The secret in the file, which is made with `drawn` if it does not exist. Throws `StartError`. */
export function keepInFile(file: string, drawn: string): string {
  makeFolder(dirname(file))
  try {
    // On the disk before anything is signed with it: an empty file would hinder the start after a power cut
    writeFileSync(file, `${drawn}\n`, { mode: 0o600, flag: 'wx', flush: true })
    syncFolderOf(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') {
      rmSync(file, { force: true }) // half a secret would block the next start
      throw new StartError(`Cannot write ${file}: ${message}`)
    }
    keepPrivate(file)
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (Buffer.byteLength(secret) < secretBytesMin)
    throw new StartError(`${file} holds no secret of ${secretBytesMin} bytes or more; delete it to make a new one`)
  return secret
}

/** Puts this text in its place, whole or not at all, for the same user as before. Throws `StartError`. */
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

/** The secret that is kept in the file; undefined where none is. */
export function findInFile(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
