/**
 * The source of a new application's engine: the registry, a packed file, or in a clone of the
 * repository its packed sources. A packed file is copied into the application's folder, so that the
 * application can be moved.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join, resolve, sep } from 'node:path'
import { text } from 'node:stream/consumers'
import { ownVersion } from './own-version.ts'
import { CreateError } from './write-project.ts'

export type EnginePackage = {
  /** The value in package.json. */
  readonly spec: string
  /** The packed file to copy into the application. */
  readonly file?: string
}

const root = resolve(import.meta.dirname, '../../../..')
const packer = join(root, 'release/pack-engine.ts')
/** A package contains the build, so only a clone runs from sources. */
export const isClone = extname(import.meta.filename) === '.ts' && existsSync(packer)

/** npm treats a folder inside a clone as part of the repository. Throws `CreateError`. */
export function checkTargetFolder(target: string): void {
  const inside = ['apps', 'packages'].find((name) => target.startsWith(join(root, name) + sep))
  if (isClone && inside)
    throw new CreateError(
      `${target} is in ${inside} of Bindery's own repository: name a folder beside it, as ../my-app`,
    )
}

async function pack(folder: string): Promise<string> {
  const child = spawn(process.execPath, [packer, folder], { stdio: ['ignore', 'pipe', 'pipe'] })
  const code = new Promise<number | null>((done) => child.once('close', done))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  if ((await code) === 0) return out.trim()
  throw new CreateError(`The engine of this clone could not be packed, so nothing was made.\n${err.trim()}`)
}

const inFolder = (file: string): EnginePackage => ({ spec: `file:${basename(file)}`, file })

function engineOf(given: string): EnginePackage {
  if (!existsSync(given)) return { spec: given }
  const path = resolve(given)
  return statSync(path).isFile() ? inFolder(path) : { spec: `file:${path}` }
}

/**
 * Passes the package to `work`. A file that was packed for it is removed afterwards. Throws
 * `CreateError`.
 */
export async function withEnginePackage(
  given: string | undefined,
  work: (engine: EnginePackage) => Promise<void>,
): Promise<void> {
  if (given !== undefined) return work(engineOf(given))
  if (!isClone) return work({ spec: `^${ownVersion()}` })
  const folder = mkdtempSync(join(tmpdir(), 'bindery-engine-'))
  const discard = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', discard)
  try {
    process.stderr.write('Packing the engine of this clone …\n')
    await work(inFolder(await pack(folder)))
  } finally {
    discard()
    process.removeListener('exit', discard)
  }
}
