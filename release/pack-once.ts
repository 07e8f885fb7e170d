/**
 * The packages, packed once for all files of a test run and unpacked as an installation has them.
 * The first file that asks packs, in the folder of the run; the others wait.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Packed, packCopy } from './pack-copy.ts'

export type Unpacked = Packed & {
  /**
   * A node_modules with these packages as they are published, and all packages of this repository.
   */
  readonly modules: string
}

const root = join(import.meta.dirname, '..')
const own = ['bindery-server', 'create-bindery', 'bindery-client']

/** Extracts the tarball's content into `target`. */
function unpack(tarball: string, target: string): void {
  mkdirSync(target)
  execFileSync('tar', ['xzf', tarball, '-C', target, '--strip-components=1'])
}

/** Links to the packages of this repository, in the folder `modules`. */
function linkPackages(modules: string): void {
  mkdirSync(modules)
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.') && !own.includes(name)) symlinkSync(join(root, 'node_modules', name), join(modules, name))
}

function packInto(folder: string): Unpacked {
  const packed = packCopy(folder, true)
  const modules = join(folder, 'node_modules')
  linkPackages(modules)
  unpack(packed.server, join(modules, 'bindery-server'))
  unpack(packed.create, join(modules, 'create-bindery'))
  unpack(packed.client, join(modules, 'bindery-client'))
  return { ...packed, modules }
}

/** Throws what packing threw, in every file that asks. */
export async function packOnce(): Promise<Unpacked> {
  const run = process.env.BINDERY_TEST_RUN
  if (!run) throw new Error('No folder to pack into: run this test by `node test/run.ts <name>`')
  const folder = join(run, 'packed')
  const made = join(run, 'packed.json')
  const isFirst = mkdirSync(folder, { recursive: true }) !== undefined
  if (isFirst) {
    let result: { unpacked?: Unpacked; problem?: string }
    try {
      result = { unpacked: packInto(folder) }
    } catch (error) {
      result = { problem: String(error) }
    }
    writeFileSync(`${made}.new`, JSON.stringify(result))
    renameSync(`${made}.new`, made)
  }
  while (!existsSync(made)) await sleep(100)
  const { unpacked, problem } = JSON.parse(readFileSync(made, 'utf8'))
  if (problem) throw new Error(problem)
  return unpacked
}
