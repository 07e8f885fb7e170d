/**
 * The scan of files: code of the application that judges each file of a field, such as a search
 * for viruses. A file is unreadable until it has passed. Its value says how far it is.
 */
import type { OutsideCode, SystemRecords } from '../../code/code-context.ts'
import type { RunStep } from '../../effects/effect-step.ts'
import { type Retries, retriesKind, retriesMistake } from '../../effects/retries.ts'
import { countKind, functionKind, type Members, objectOf, timeoutKind } from '../../members.ts'
import type { Field, Fields } from '../field.ts'
import { earlierNames } from '../field-facts.ts'
import type { FileLimits } from './file-options.ts'
import type { ScanVerdict } from './scan-state.ts'
import type { StoredFile } from './stored-file.ts'

/** The code of a scan is given this. */
export type ScanContext = OutsideCode<SystemRecords> & {
  readonly file: Pick<StoredFile, 'id' | 'name' | 'type' | 'size' | 'sha256'>
  /** All of its bytes, read when they are asked for. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** The same at each try. */
  readonly id: string
  /** This one included. */
  readonly tries: number
  /** `step('send', () => …)` does a part of the work once, and keeps its result for later tries. */
  readonly step: RunStep
}

export type FileScan = {
  /**
   * Reads the file after the commit, at least once, and returns its verdict. One that throws is
   * tried again. A refused file loses its bytes.
   */
  readonly run: (given: ScanContext) => Promise<ScanVerdict> | ScanVerdict
  /** How often it is tried, and when: 10 times over a day by default. */
  readonly retries?: Retries
  /** How long one try may take; 60 seconds by default. */
  readonly timeoutSeconds?: number
  /** How many files of the field one process scans side by side; 4 by default. */
  readonly atOnce?: number
}

const members = {
  run: functionKind,
  retries: retriesKind,
  timeoutSeconds: timeoutKind,
  atOnce: countKind,
} satisfies Members<FileScan>
export const scanKind = objectOf(members, { needed: ['run'], areOptions: true })

export function scanMistake({ scan }: Pick<FileLimits, 'scan'>): string | undefined {
  const unmeant = retriesMistake(scan?.retries)
  return unmeant && `scan.retries ${unmeant}`
}

/** The kind of work of a scan, as operators see it: `lamp.manual.scan`. */
export function scanKindName(resource: string, field: string): string {
  return `${resource}.${field}.scan`
}

type NamedResource = {
  readonly name: string
  readonly renamedFrom: readonly string[]
  readonly fields: Fields
}

/**
 * The kinds of work of one field: that of its present name, and those of the names that it and its
 * resource had. Scans that wait are under the name of their time.
 */
export function scanKindNames({ name, renamedFrom, fields }: NamedResource, field: string): readonly string[] {
  const names = [field, ...earlierNames(fields[field] as Field)]
  return [name, ...renamedFrom].flatMap((one) => names.map((of) => scanKindName(one, of)))
}

type Scanned = readonly (readonly [field: string, scan: FileScan])[]

/** The fields of a resource whose files are scanned. */
export function scansOf({ fields }: { readonly fields: Fields }): Scanned {
  return Object.entries(fields).flatMap(([name, { type, limits }]) => {
    const scan = type.holdsFiles && (limits as FileLimits).scan
    return scan ? [[name, scan] as const] : []
  })
}
