/**
 * Scans of files as kinds of effects: durable, retried, and shown as others. A file that its record
 * has no more needs no verdict. The verdict is stored by a write of the record, so versions, caches
 * and those who follow changes see it.
 */
import { timestampOf } from '../../base/clock.ts'
import { type EffectKind, triesOf } from '../../effects/effect-kind.ts'
import { codeTenantsOf } from '../../record/references/code-tenants-of.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { CodeRun, MakeOutsideCode, SystemRecords } from '../../resource/code/code-context.ts'
import { equal } from '../../resource/condition.ts'
import { type FileScan, scanKindNames, scansOf } from '../../resource/fields/files/file-scan.ts'
import { type ScanVerdict, scanVerdicts } from '../../resource/fields/files/scan-state.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import { originalOf } from '../../stores/file-objects.ts'
import type { FileRoom } from '../file-room.ts'
import { filesOf, noteVerdict, type ScanPayload } from './scan-steps.ts'

const timeoutSecondsUsual = 60
const atOnceUsual = 4

type ScannedField = {
  readonly room: FileRoom
  readonly resource: Resource
  readonly field: string
  readonly scan: FileScan
  /** The kind of its work. */
  readonly name: string
}

/** Its bytes, opened when they are read. */
async function* bytesOf({ store }: FileRoom, { id }: StoredFile): AsyncGenerator<Uint8Array> {
  yield* await (await store()).read(originalOf(id), undefined)
}

function waitingIn(row: Row | undefined, field: string, file: string): StoredFile | undefined {
  return filesOf(row?.[field]).find(({ id, scan }) => id === file && scan === 'waiting')
}

/** Stores the verdict. The sweep removes the bytes of a refused file. */
async function storeVerdict(
  { room, resource, field }: ScannedField,
  { record, file }: ScanPayload,
  { verdict, cause }: { readonly verdict: ScanVerdict; readonly cause: CodeRun['cause'] },
): Promise<boolean> {
  const { engine, files } = room
  return engine.records.transaction({ ...serviceAuthor, cause }, async (tx) => {
    const found = await tx.lock(resource, equal(resource.idField, record))
    if (!found || !waitingIn(found.row, field, file)) return false
    if (verdict === 'refused') {
      const stored = await tx.lock(files, equal(names.id, file))
      const going = { [names.state]: 'going', [names.dueAt]: timestampOf(engine.clock()) }
      if (stored) await tx.deeper().change(files, stored.row, going)
    }
    noteVerdict(tx, file, verdict)
    await tx.change(resource, found.row, { [field]: found.row[field] })
    return true
  })
}

function kindOf(scanned: ScannedField, makeCode: MakeOutsideCode<SystemRecords>): EffectKind {
  const { room, resource, field, scan, name } = scanned
  const { storage, catalog } = room.engine
  return {
    name,
    async run({ id, tries, payload, origin }, { signal, step }) {
      const about = payload as ScanPayload
      const row = (await storage.find(resource, equal(resource.idField, about.record)))?.row
      const waiting = waitingIn(row, field, about.file)
      if (!row || !waiting) return
      const context = { catalog, author: { tenant: origin?.tenant }, bounds: undefined, transaction: storage as Reader }
      const cause = { id, depth: origin?.depth ?? 1 }
      const code = makeCode({ name, signal, cause, tenants: codeTenantsOf(context, { resource, row }) })
      const { scan: _, width: __, height: ___, ...file } = waiting
      const verdict = await scan.run({ ...code, file, bytes: bytesOf(room, waiting), id, tries, step })
      if (!scanVerdicts.includes(verdict))
        throw new Error(`A scan returns 'passed' or 'refused', and this one returned ${String(verdict)}`)
      const isStored = await storeVerdict(scanned, about, { verdict, cause })
      if (isStored && verdict === 'refused') code.log.warn('The scan refused a file', { ...about, field })
    },
    inOrder: true,
    atOnce: scan.atOnce ?? atOnceUsual,
    ...triesOf(scan.retries),
    timeoutMs: (scan.timeoutSeconds ?? timeoutSecondsUsual) * 1000,
    words: {
      again: `The scan ${name} failed, and is tried again`,
      givenUp: `The scan ${name} is given up: its file stays unreadable`,
    },
  }
}

/** Empty where no field has a scan. */
export function scanKinds(room: FileRoom, makeCode: MakeOutsideCode<SystemRecords>): EffectKind[] {
  const resources = [...room.engine.catalog.resources.values()].filter(({ traits }) => !traits.made)
  return resources.flatMap((resource) =>
    scansOf(resource).flatMap(([field, scan]) =>
      scanKindNames(resource, field).map((name) => kindOf({ room, resource, field, scan, name }, makeCode)),
    ),
  )
}
