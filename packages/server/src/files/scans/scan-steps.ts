/**
 * Scans in the writes of records. A write that gives a record a file leaves its scan. The scan ends
 * with a write of the record, which has the verdict.
 */
import type { RecordTransaction } from '../../record/write-context.ts'
import type { Resource } from '../../resource/catalog.ts'
import { scanKindName, scansOf } from '../../resource/fields/files/file-scan.ts'
import type { ScanVerdict } from '../../resource/fields/files/scan-state.ts'
import { fileFacts, type StoredFile } from '../../resource/fields/files/stored-file.ts'
import type { Values } from '../../storage/storage.ts'

/** The subject of a scan: a record, and a file that it had when the scan was left. */
export type ScanPayload = { readonly record: string | number; readonly file: string }

export const filesOf = (value: unknown): readonly StoredFile[] =>
  [(value ?? []) as StoredFile | readonly StoredFile[]].flat()

/** Leaves a scan for each file that has none, also by writes that cause no effects. */
export async function leaveScans(
  tx: RecordTransaction,
  resource: Resource,
  { row, had }: { readonly row: Values; readonly had?: ReadonlySet<string> },
): Promise<void> {
  const record = row[resource.idField] as ScanPayload['record']
  const left = scansOf(resource).flatMap(([field]) =>
    filesOf(row[field])
      .filter(({ id, scan }) => scan === 'waiting' && !had?.has(id))
      .map(({ id }) => {
        const payload: ScanPayload = { record, file: id }
        return { kind: scanKindName(resource.name, field), key: id, inOrder: true, payload }
      }),
  )
  if (left.length > 0) await tx.leave(...left)
}

const verdicts = Symbol('verdicts of scans that this transaction stores')

/** Says the verdict on a file, so that a write of its record may store it. */
export function noteVerdict(tx: RecordTransaction, file: string, verdict: ScanVerdict): void {
  tx.remembered(verdicts, () => new Map<string, ScanVerdict>()).set(file, verdict)
}

/** The facts of a file that a record has, with the verdict that this transaction brings. */
export function withVerdict(tx: RecordTransaction, file: StoredFile): StoredFile {
  const scan = tx.remembered(verdicts, () => new Map<string, ScanVerdict>()).get(file.id)
  return scan ? fileFacts({ ...file, scan }) : file
}
