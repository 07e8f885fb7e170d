/**
 * Finds the built console: in the package beside this file, in a checkout in `packages/console`.
 * Nothing is read before the first request.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PageFile, scriptType, styleType } from '../http/pages/page-files.ts'

/** As `packages/console/build.ts` writes it. */
export type BuiltConsole = {
  readonly entry: string
  readonly style: string
  /** The rest of the first load. */
  readonly preload: readonly string[]
  readonly files: readonly string[]
}

const folders = [join(import.meta.dirname, 'assets'), join(import.meta.dirname, '../../../console/dist')]

function folderOfBuild(): string | undefined {
  return folders.find((folder) => existsSync(join(folder, 'index.json')))
}

/** Undefined where the console was not built. */
export function readBuild(): BuiltConsole | undefined {
  const folder = folderOfBuild()
  return folder === undefined
    ? undefined
    : (JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as BuiltConsole)
}

function fileOf(name: string): PageFile {
  return {
    type: name.endsWith('.css') ? styleType : scriptType,
    read() {
      const path = join(folderOfBuild() ?? '', name)
      const packed = `${path}.br`
      return existsSync(packed)
        ? { bytes: readFileSync(packed), isBrotli: true }
        : { bytes: readFileSync(path), isBrotli: false }
    },
  }
}

export function builtFiles({ files }: BuiltConsole): Readonly<Record<string, PageFile>> {
  return Object.fromEntries(files.map((name) => [name, fileOf(name)]))
}
