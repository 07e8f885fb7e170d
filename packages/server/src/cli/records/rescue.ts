/**
 * Exports a damaged database: copies all readable records to a database beside the file, and
 * exports that copy. The missing records are listed in a file, one a line, and the command reports
 * them.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { inWorkFolder } from '../../backup/work-folder.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { ConfiguredDatabase, MissingRecord } from '../../storage/database-kind.ts'
import { fileError } from '../failure.ts'

/**
 * `counts`: missing records by table; null where the number is unknown. `list`: the file, if
 * records are missing.
 */
export type RescueResult = { readonly counts: ReadonlyMap<string, number | null>; readonly list: string | undefined }

type RescueRequest = { readonly database: ConfiguredDatabase; readonly catalog: Catalog; readonly file: string }

export async function isDamaged({ kind, setup }: ConfiguredDatabase): Promise<boolean> {
  return (await kind.isDamaged?.(setup)) === true
}

/** Only the owner may read the list: it contains records that had to be left out. */
function makeList(file: string) {
  let descriptor: number | undefined
  const counts = new Map<string, number | null>()
  return {
    counts,
    add(missing: MissingRecord): void {
      const before = counts.get(missing.table)
      const isOne = missing.id !== undefined || missing.row !== undefined
      counts.set(missing.table, isOne && before !== null ? (before ?? 0) + 1 : null)
      try {
        descriptor ??= openSync(file, 'w', 0o600)
        writeSync(descriptor, `${JSON.stringify(missing)}\n`)
      } catch (error) {
        throw fileError('write', file, error)
      }
    },
    end(): string | undefined {
      if (descriptor !== undefined) closeSync(descriptor)
      return descriptor === undefined ? undefined : file
    },
  }
}

/** Runs the work on the readable part of a damaged database. Throws `StartError`. */
export async function onRescued(
  { database: { kind, setup }, catalog, file }: RescueRequest,
  work: (copy: ConfiguredDatabase) => Promise<void>,
): Promise<RescueResult> {
  const list = makeList(`${file}.missing.ndjson`)
  const { rescue } = kind
  if (!rescue) throw new Error(`${kind.name} is rescued by its own tools`)
  try {
    await inWorkFolder(dirname(resolve(file)), async (folder) => {
      const copy = await rescue(setup, catalog, { folder, missing: list.add })
      await work({ kind, setup: copy })
    })
  } finally {
    list.end()
  }
  return { counts: list.counts, list: list.counts.size > 0 ? `${file}.missing.ndjson` : undefined }
}

/** `3 of volumes, 1 of racks, an unknown number of posts` */
export function printCounts({ counts }: RescueResult): string {
  return [...counts].map(([table, count]) => `${count ?? 'an unknown number'} of ${table}`).join(', ')
}
