/**
 * Serves the scripts and style sheets of the pages from this server, so that they need no other
 * host. An address contains a hash of its file, so its content never changes.
 */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { type ContentCoding, encode } from '../messages/coding.ts'
import type { HttpResponse } from '../messages/exchange.ts'

export const scriptType = 'text/javascript; charset=utf-8'
export const styleType = 'text/css; charset=utf-8'

/** The bytes of a file, or their brotli form where only that is stored. */
type StoredFileBytes = { readonly bytes: Buffer; readonly isBrotli: boolean }
export type PageFile = { readonly type: string; read(): StoredFileBytes }

type PackagedFile = {
  readonly type: string
  readonly from: string
  readonly file: string
  /** A pattern of text to leave out of the file. */
  readonly without?: RegExp
}

/**
 * Files of other packages, by the name under which they are served. A build copies them to
 * `assets/`, compressed, and then does not need those packages.
 */
export const packagedFiles: Readonly<Record<string, PackagedFile>> = {
  // Without its embedded fonts, two thirds of the file: system fonts serve instead.
  'graphiql.min.css': {
    type: styleType,
    from: 'graphiql',
    file: 'graphiql.min.css',
    without: /@font-face\s*\{[^}]*\}/g,
  },
  'react.production.min.js': { type: scriptType, from: 'react', file: 'umd/react.production.min.js' },
  'react-dom.production.min.js': { type: scriptType, from: 'react-dom', file: 'umd/react-dom.production.min.js' },
  'graphiql.min.js': { type: scriptType, from: 'graphiql', file: 'graphiql.min.js' },
  'scalar.js': { type: scriptType, from: '@scalar/api-reference', file: 'dist/browser/standalone.js' },
}

/**
 * `folderOf('react', import.meta.url)` → the folder of that package, even where it exports no
 * package.json. Throws when it is not installed.
 */
export function folderOf(name: string, from: string): string {
  const found = (createRequire(from).resolve.paths(name) ?? [])
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')))
  if (!found) throw new Error(`The package ${name} is not installed`)
  return found
}

/** Reads a file of a package. `from`: the module from which the package is resolved. */
export function readPackaged(name: string, from: string): Buffer {
  const { from: source, file, without } = packagedFiles[name] as PackagedFile
  const bytes = readFileSync(join(folderOf(source, from), file))
  return without ? Buffer.from(bytes.toString().replace(without, '')) : bytes
}

export function packagedFile(name: string): PageFile {
  const { type } = packagedFiles[name] as PackagedFile
  const copied = join(import.meta.dirname, 'assets', `${name}.br`)
  return {
    type,
    read: () =>
      existsSync(copied)
        ? { bytes: readFileSync(copied), isBrotli: true }
        : { bytes: readPackaged(name, import.meta.url), isBrotli: false },
  }
}

/** A file whose text is in this program. */
export function writtenFile(type: string, text: string): PageFile {
  return { type, read: () => ({ bytes: Buffer.from(text), isBrotli: false }) }
}

export type PageFiles = {
  /** The addresses of all files, in order. */
  addresses(): string[]
  /** `answer('page.css')`; undefined for a name that is not on the list. */
  answer(name: string): HttpResponse | undefined
}

type ServedPageFile = { readonly digest: string; plain(): Buffer; coded(coding: ContentCoding): Promise<Buffer> }

/** Compressed forms are made at the first request, and kept: there are few files. */
function serve({ bytes, isBrotli }: StoredFileBytes): ServedPageFile {
  let decoded = isBrotli ? undefined : bytes
  const plain = () => {
    decoded ??= brotliDecompressSync(bytes)
    return decoded
  }
  const forms = new Map<ContentCoding, Promise<Buffer>>(isBrotli ? [['br', Promise.resolve(bytes)]] : [])
  return {
    digest: hash('sha256', bytes, 'hex').slice(0, 16),
    plain,
    coded(coding) {
      const form = forms.get(coding) ?? encode(plain(), coding, 'often')
      forms.set(coding, form)
      return form
    },
  }
}

/** Serves these files below `path`. Each is read at its first request. */
export function makePageFiles(path: string, files: Readonly<Record<string, PageFile>>): PageFiles {
  const served = new Map<string, ServedPageFile>()

  function find(name: string): ServedPageFile | undefined {
    if (!Object.hasOwn(files, name)) return undefined
    const known = served.get(name) ?? serve((files[name] as PageFile).read())
    served.set(name, known)
    return known
  }

  return {
    addresses: () => Object.keys(files).map((name) => `${path}/${name}?v=${find(name)?.digest}`),
    answer(name) {
      const file = find(name)
      if (!file) return undefined
      const headers = {
        'content-type': files[name]?.type ?? '',
        'cache-control': 'public, max-age=31536000, immutable',
        etag: `"${file.digest}"`,
      }
      return { status: 200, headers, body: file.plain(), coded: file.coded }
    },
  }
}
