/**
 * What a backup says about itself: the first file in it, so that it is known before anything is
 * unpacked.
 */
import { StartError } from '../errors.ts'

const format = 'bindery backup'
const formatVersion = 1
export const manifestName = 'manifest.json'
/** A line for each table: ten thousand of them take a tenth of it. */
export const manifestBytesMax = 4_000_000

export type Manifest = {
  readonly format: typeof format
  readonly formatVersion: number
  /** The version of Bindery that wrote it. */
  readonly bindery: string
  /** Every write that was acknowledged before this time is in it (RFC 3339). */
  readonly at: string
  /** The kind of the database. */
  readonly database: string
  /** SHA-256 of the schema. */
  readonly schema: string
  /** The file that follows. */
  readonly content: { readonly name: string; readonly bytes: number; readonly sha256: string }
  /** Whether the generated secret of access tokens is in it. */
  readonly secret: boolean
  /**
   * Whether the generated key pair of access tokens is in it; not said by versions that never had
   * it there.
   */
  readonly key?: boolean
  /** Rows by table, or by resource where rows were written one by one. */
  readonly tables: Readonly<Record<string, number>>
}

export function printManifest(manifest: Omit<Manifest, 'format' | 'formatVersion'>): string {
  return `${JSON.stringify({ format, formatVersion, ...manifest } satisfies Manifest, null, 2)}\n`
}

/** Throws `StartError` for what is no manifest, or one of a later format. */
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
