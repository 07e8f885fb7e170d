/**
 * The manifest of a backup: the first file in the archive, so that a reader knows the rest before
 * it unpacks it.
 */
import { StartError } from '../errors.ts'

const format = 'bindery backup'
const formatVersion = 1
export const manifestName = 'manifest.json'
/** A line for each table: ten thousand tables take a tenth of this. */
export const manifestBytesMax = 4_000_000

export type Manifest = {
  readonly format: typeof format
  readonly formatVersion: number
  /** The version of Bindery that wrote it. */
  readonly bindery: string
  /** The backup has all writes acknowledged before this time (RFC 3339). */
  readonly at: string
  /** The kind of the database. */
  readonly database: string
  /** SHA-256 of the schema. */
  readonly schema: string
  /** The file after the manifest. */
  readonly content: { readonly name: string; readonly bytes: number; readonly sha256: string }
  /** Whether the backup has the generated secret of access tokens. */
  readonly secret: boolean
  /**
   * Whether it has the generated key pair of access tokens; absent in backups of versions that
   * never included it.
   */
  readonly key?: boolean
  /**
   * The files of its records, which lie beside it; absent where there are none. `lacking`: how many
   * could not be read when it was taken.
   */
  readonly files?: { readonly count: number; readonly bytes: number; readonly lacking: number }
  /** Rows by table, or by resource where rows were written one by one. */
  readonly tables: Readonly<Record<string, number>>
}

export function printManifest(manifest: Omit<Manifest, 'format' | 'formatVersion'>): string {
  return `${JSON.stringify({ format, formatVersion, ...manifest } satisfies Manifest, null, 2)}\n`
}

/** Throws `StartError` for a text that is not a manifest, or one of a later format. */
export function parseManifest(text: string): Manifest {
  let manifest: Partial<Manifest> | null = null
  try {
    manifest = JSON.parse(text) as Partial<Manifest> | null
  } catch {}
  if (manifest?.format !== format) throw new StartError('This is no backup of Bindery')
  if (manifest.formatVersion !== formatVersion)
    throw new StartError(
      `The backup has format ${manifest.formatVersion}, and this version of Bindery reads ${formatVersion}: take the version that wrote it, ${manifest.bindery}`,
    )
  return manifest as Manifest
}

export function rowsIn({ tables }: Pick<Manifest, 'tables'>): number {
  return Object.values(tables).reduce((sum, rows) => sum + rows, 0)
}
