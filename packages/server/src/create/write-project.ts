/** Writes a new application into its folder, whole or not at all. */
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** An error that the user can correct; the message says how. */
export class CreateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CreateError'
  }
}

/** Throws `CreateError` unless the folder is empty or does not exist. */
export function checkEmpty(folder: string): void {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw new CreateError(`Cannot use ${folder}: ${(error as Error).message}`)
  }
  if (names.length > 0) throw new CreateError(`${folder} is not empty: it has ${names.slice(0, 3).join(', ')}`)
}

function install(folder: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: isWindows,
  })
  let problem = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text
  })
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new CreateError(`npm install failed, so nothing was made; --no-install makes the files alone.\n${why}`))
    child.once('error', (error) => fail(error.message))
    child.once('close', (code) => (code === 0 ? resolve() : fail(problem.trim())))
  })
}

type ProjectFiles = {
  readonly files: ReadonlyMap<string, string>
  /** A file that is copied unchanged. */
  readonly copied: string | undefined
  readonly installs: boolean
}

/**
 * Writes all files into a temporary folder, then renames it or moves its contents. Throws
 * `CreateError`.
 */
export async function writeProject(folder: string, { files, copied, installs }: ProjectFiles): Promise<void> {
  checkEmpty(folder)
  const exists = existsSync(folder)
  if (!exists) mkdirSync(dirname(folder), { recursive: true })
  const making = mkdtempSync(exists ? join(folder, '.making-') : `${folder}.making-`)
  const discard = () => rmSync(making, { recursive: true, force: true })
  const stop = () => {
    discard()
    process.exit(130)
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(making, path)), { recursive: true })
      writeFileSync(join(making, path), text)
    }
    if (copied) copyFileSync(copied, join(making, basename(copied)))
    if (installs) await install(making)
    if (!exists) return renameSync(making, folder)
    for (const name of readdirSync(making)) renameSync(join(making, name), join(folder, name))
  } finally {
    discard()
    process.removeListener('SIGINT', stop)
    process.removeListener('SIGTERM', stop)
  }
}
