/** The generated secret of a service on SQLite: a file that only its owner can read. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import { makeFolder } from './setup.ts'

const secretBytesMin = 32

/** The secret in the file, which is made with `drawn` if it does not exist. Throws `StartError`. */
export function keepInFile(folder: string, drawn: string): string {
  const file = join(folder, 'jwt-secret')
  makeFolder(folder)
  try {
    writeFileSync(file, `${drawn}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') {
      rmSync(file, { force: true }) // half a secret would block the next start
      throw new StartError(`Cannot write ${file}: ${message}`)
    }
    chmodSync(file, 0o600)
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (Buffer.byteLength(secret) < secretBytesMin)
    throw new StartError(`${file} holds no secret of ${secretBytesMin} bytes or more; delete it to make a new one`)
  return secret
}

/** The secret that is kept in the folder; undefined where none is. */
export function findInFile(folder: string): string | undefined {
  const file = join(folder, 'jwt-secret')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
